package web

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// views are the templates of the pages by name, each inside the layout.
type views map[string]*template.Template

// parseViews reads the templates. Those in parts are shared by all pages.
func parseViews(files fs.FS, funcs template.FuncMap, texts *Catalog, assets *assets) (views, error) {
	base, err := template.New("").Funcs(funcs).Funcs(template.FuncMap{
		"t":    texts.Text,
		"says": texts.says, "cure": texts.Cure,
		"asset": assets.url,
		"lang":  texts.tag.String, "otherLanguages": texts.otherLanguages, "tongues": texts.tongues,
		"clock":    Clock,
		"language": texts.language,
		"number":   texts.anyNumber, "size": texts.Size, "span": texts.Span, "moment": texts.moment, "second": texts.second, "day": texts.day,
		"date":    func(at transcript.Time) string { return at.UTC().Format(time.RFC3339) },
		"length":  transcript.LengthText,
		"pathOf":  TextPath,
		"formats": library.DownloadFormats,
		"pause":   texts.pause,
		"plan":    texts.plan,
		"quality": quality,
	}).ParseFS(files, "templates/parts/*.html")
	if err != nil {
		return nil, err
	}
	all, err := fs.ReadDir(files, "templates")
	if err != nil {
		return nil, err
	}
	v := views{}
	for _, file := range all {
		if file.IsDir() {
			continue
		}
		page, err := base.Clone()
		if err != nil {
			return nil, err
		}
		if page, err = page.ParseFS(files, path.Join("templates", file.Name())); err != nil {
			return nil, err
		}
		v[strings.TrimSuffix(file.Name(), ".html")] = page
	}
	return v, nil
}

// view is the data of a template: Data belongs to the page.
type view struct {
	Visitor visitor.Visitor
	Path    string // of the request
	Here    string // the address of the page, for a return to it
	Bare    bool   // without navigation
	Data    any

	Modules template.HTML // the elements that load the page's modules
	Texts   template.JS   // the texts of these modules
}

// Signs reports whether the page is shown for a user who signs in, and whose session can end.
func (v view) Signs() bool { return v.Visitor.Known() && !v.Visitor.Single }

// Show renders a whole page before it sends any of it, so that an error can still be reported.
func (r *Request) Show(status int, name string, data any) error {
	return r.showView(status, name, view{Visitor: r.Visitor(), Data: data})
}

// ShowBare shows a page that is the same for everyone with the same language, without navigation.
func (r *Request) ShowBare(status int, name string, data any) error {
	return r.showView(status, name, view{Bare: true, Data: data})
}

func (r *Request) showView(status int, name string, v view) error {
	page, ok := r.views[name]
	if !ok {
		return fmt.Errorf("there is no template %s", name)
	}
	v.Path, v.Here = r.URL.Path, hereOf(r.Request)
	var err error
	if v.Modules, v.Texts, err = r.modulesOf(page, v); err != nil {
		return err
	}
	var whole bytes.Buffer
	if err = page.ExecuteTemplate(&whole, "layout.html", v); err != nil {
		return err
	}
	r.W.Header().Set("Content-Type", "text/html; charset=utf-8")
	r.W.Header().Set("Content-Language", r.tag.String())
	r.W.Header().Add("Vary", "Accept-Language, Cookie")
	r.W.Header().Set("Cache-Control", "no-store")
	r.W.WriteHeader(status)
	shown := whole.Bytes()
	if v.Signs() {
		shown = markForms(shown, v.Visitor.Account)
	}
	_, _ = r.W.Write(shown) // a visitor who has gone needs no page
	return nil
}

// modulesOf returns the elements that load the modules of a page, and the texts of the modules.
func (r *Request) modulesOf(page *template.Template, v view) (template.HTML, template.JS, error) {
	if page.Lookup("modules") == nil {
		return "", "{}", nil
	}
	var head strings.Builder
	if err := page.ExecuteTemplate(&head, "modules", v); err != nil {
		return "", "", err
	}
	modules := template.HTML(head.String()) //nolint:gosec // a template has made it
	texts, err := r.textsFor(modules)
	return modules, texts, err
}

// hereOf returns the address of the page that a request loads. The answer to a form has no
// address of its own: the start page takes its place.
func hereOf(r *http.Request) string {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return "/"
	}
	return r.URL.RequestURI()
}

// Clock formats a time of a recording, as 1:02:03 or 2:03.
func Clock(seconds float64) string {
	s := int(seconds)
	if s < 3600 {
		return strconv.Itoa(s/60) + fmt.Sprintf(":%02d", s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
