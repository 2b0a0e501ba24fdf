package web

import (
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
)

// sentForm is a form that was refused, as the visitor filled it in, on a page about the refusal. Forms
// with more fields are shown again on their own pages.
type sentForm struct {
	To     string // the path and query of the form
	Fields []sentField
}

// sentField is a field of a form.
type sentField struct {
	Name, Value string
	Label       string // empty: the field is hidden
}

// typedFields are the fields of such forms that a visitor types, with the keys of their labels.
var typedFields = map[string]map[string]string{
	"POST /transcripts/{platform}/{externalId}":          {"language": "transcript.languages.other"},
	"POST /transcripts/{platform}/{externalId}/speakers": {"name": "edit.newName"},
}

// sentAgain returns the form of a request that was refused; nil if sending it again is no use, or if it
// has a password or a file, which no page holds.
func (r *Request) sentAgain(refusal *Trouble) *sentForm {
	typed := typedFields[r.Pattern]
	passes := refusal.Wait > 0 || refusal.Status == http.StatusTooManyRequests || refusal.Status >= http.StatusInternalServerError
	switch {
	case r.Method != http.MethodPost, typed == nil && !passes, r.PostForm.Has("password"), len(r.PostForm.Encode()) > MaxHeld, hasFile(r.MultipartForm):
		return nil
	}
	form := &sentForm{To: r.URL.RequestURI()}
	for _, name := range slices.Sorted(maps.Keys(r.PostForm)) {
		for _, value := range r.PostForm[name] {
			field := sentField{Name: name, Value: value}
			if label := typed[name]; label != "" {
				field.Label = r.Text(label)
			}
			if name != shownTo { // which the page adds
				form.Fields = append(form.Fields, field)
			}
		}
	}
	return form
}

func hasFile(form *multipart.Form) bool {
	if form == nil {
		return false
	}
	for _, files := range form.File {
		if slices.ContainsFunc(files, func(f *multipart.FileHeader) bool { return f.Filename != "" }) {
			return true
		}
	}
	return false
}

// pageOf returns the page from which a form was sent; the start page if that is not known.
func (r *Request) pageOf() string {
	from, err := url.Parse(r.Referer())
	if err != nil || from.Host != r.Host {
		return "/"
	}
	page := &http.Request{Method: http.MethodGet, Host: r.Host, URL: from}
	if _, pattern := r.site.mux.Handler(page); pattern == "/" { // the answer to a form that has no page of its own
		return "/"
	}
	return LocalPath(from.RequestURI())
}
