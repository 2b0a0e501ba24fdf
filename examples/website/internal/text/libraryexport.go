package text

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// mostSelected is how many texts a page of the library can select.
	mostSelected = 100
	// mostExported is how many texts a ZIP of a view has at most.
	mostExported = 10_000
)

// export sends texts of the library as files in a ZIP: the selected ones, or all of a view.
func (p shelf) export(r *web.Request) error {
	format := library.DownloadFormat(r.FormValue("format"))
	keys, err := p.exportedKeys(r)
	if err != nil {
		return err
	}
	if len(keys) == 0 || !slices.Contains(library.DownloadFormats(), format) {
		return r.Refuse(transcript.InvalidRequest, "library.selectFirst", "count", mostSelected)
	}
	x := &textExport{site: p.Site, r: r, format: format, names: map[string]bool{}}
	first, err := x.open(keys[0]) // before the answer begins, so that a refusal is a page
	if err != nil {
		return err
	}
	r.W.Header().Set("Content-Type", "application/zip")
	r.W.Header().Set("Content-Disposition", `attachment; filename="transcripts.zip"`)
	r.W.Header().Set("Cache-Control", "no-store")
	if err := x.write(zip.NewWriter(r.W), first, keys[1:]); err != nil {
		panic(http.ErrAbortHandler) // a truncated file must not look complete
	}
	return nil
}

// exportedKeys returns the texts that a request selects, each once. The texts of a view are listed
// before the first of them is sent, so that a text that is added or removed meanwhile moves no
// other text to another page of the list.
func (p shelf) exportedKeys(r *web.Request) (keys []library.Key, err error) {
	if r.FormValue("all") == "" {
		for _, value := range r.Form["text"] {
			if key, ok := selectedKey(value); ok && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
		if len(keys) > mostSelected {
			keys = nil
		}
		return keys, nil
	}
	query := libraryAskedBy(r.Form).Query
	query.Page, query.PageSize = 1, 100
	listed := map[library.Key]bool{}
	for item, err := range p.API.Library.All(r.Context(), query) {
		if err != nil {
			return nil, err
		}
		key := library.Key{Platform: item.Platform, ExternalID: item.ExternalID, Language: item.Lang}
		if item.Kind != library.KindTranscript || listed[key] {
			continue
		}
		if len(keys) == mostExported {
			return nil, r.Refuse(transcript.InvalidRequest, "library.zipTooMany", "count", mostExported)
		}
		listed[key], keys = true, append(keys, key)
	}
	return keys, nil
}

// textExport is a ZIP in writing. It holds no text.
type textExport struct {
	site   *web.Site
	r      *web.Request
	format library.DownloadFormat
	names  map[string]bool // of the files in the ZIP
	missed []string        // texts that were removed meanwhile
}

// open begins the download of a text. If the user has asked too often, open waits as long as the
// API says.
func (x *textExport) open(key library.Key) (*client.Download, error) {
	for {
		file, err := x.site.API.Library.Download(x.r.Context(), key, client.DownloadParams{Format: x.format, Speakers: true})
		var refused *client.Error
		if !errors.As(err, &refused) || refused.Code != transcript.RateLimited || refused.RetryAfter <= 0 {
			return file, err
		}
		select {
		case <-x.r.Context().Done():
			return nil, x.r.Context().Err()
		case <-time.After(min(refused.RetryAfter, time.Minute)):
		}
	}
}

// write writes the ZIP: the first file, and the other texts. A text that was removed meanwhile is
// named in a file of its own.
func (x *textExport) write(archive *zip.Writer, first *client.Download, others []library.Key) error {
	if err := x.add(archive, first); err != nil {
		return err
	}
	for _, key := range others {
		file, err := x.open(key)
		if errors.Is(err, transcript.NoTranscript) {
			x.missed = append(x.missed, fmt.Sprintf("%s %s %s\n", key.Platform, key.ExternalID, key.Language))
			continue
		}
		if err == nil {
			err = x.add(archive, file)
		}
		if err != nil {
			return err
		}
	}
	if len(x.missed) > 0 {
		to, err := archive.Create(x.unused("missing.txt"))
		if err == nil {
			_, err = io.WriteString(to, x.r.Text("library.zipMissed")+"\n"+strings.Join(x.missed, ""))
		}
		if err != nil {
			return err
		}
	}
	return archive.Close()
}

// add copies a download into the ZIP and closes the download.
func (x *textExport) add(archive *zip.Writer, file *client.Download) error {
	defer file.Close()
	to, err := archive.Create(x.unused(file.Name))
	if err != nil {
		return err
	}
	_, err = io.Copy(to, file)
	return err
}

// unused returns a name that the ZIP does not have yet: the wanted one, or that with a number.
func (x *textExport) unused(wanted string) string {
	name, stem, ext := wanted, wanted, ""
	if dot := strings.IndexByte(wanted, '.'); dot > 0 {
		stem, ext = wanted[:dot], wanted[dot:]
	}
	for n := 2; x.names[name]; n++ {
		name = fmt.Sprintf("%s-%d%s", stem, n, ext)
	}
	x.names[name] = true
	return name
}

// selectedKey reads the value of a checkbox: the address of the text's page.
func selectedKey(value string) (key library.Key, ok bool) {
	address, err := url.Parse(value)
	if err != nil {
		return key, false
	}
	parts := strings.Split(address.EscapedPath(), "/")
	if len(parts) != 4 || parts[1] != "transcripts" {
		return key, false
	}
	platform, err := url.PathUnescape(parts[2])
	if err != nil {
		return key, false
	}
	key.Platform, key.Language = transcript.Platform(platform), address.Query().Get("language")
	key.ExternalID, err = url.PathUnescape(parts[3])
	return key, err == nil
}
