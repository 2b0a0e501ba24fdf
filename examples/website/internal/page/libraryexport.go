package page

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// mostExported is how many texts a page of the library can select.
const mostExported = 100

// exportTexts sends the selected texts of the library as files in a ZIP.
func (p *pages) exportTexts(w http.ResponseWriter, r *http.Request) error {
	format := library.DownloadFormat(r.FormValue("format"))
	var keys []library.Key
	for _, value := range r.Form["text"] {
		if key, ok := selectedKey(value); ok && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 || len(keys) > mostExported || !slices.Contains(library.DownloadFormats(), format) {
		return transcript.Errorf(transcript.InvalidRequest, "%s", p.strings.text("library.selectFirst", "count", mostExported))
	}
	open := func(key library.Key) (*client.Download, error) {
		return p.api.Library.Download(r.Context(), key, client.DownloadParams{Format: format, Speakers: true})
	}
	first, err := open(keys[0]) // before the answer begins, so that a refusal is a page
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", `attachment; filename="transcripts.zip"`)
	w.Header().Set("Cache-Control", "no-store")
	archive, names := zip.NewWriter(w), map[string]int{}
	err = addFile(archive, first, names)
	for _, key := range keys[1:] {
		var file *client.Download
		if err == nil {
			file, err = open(key)
		}
		if err == nil {
			err = addFile(archive, file, names)
		}
	}
	if err == nil {
		err = archive.Close()
	}
	if err != nil {
		panic(http.ErrAbortHandler) // a truncated file must not look complete
	}
	return nil
}

// addFile copies a download into an archive and closes the download. A name that the archive
// has already gets a number.
func addFile(archive *zip.Writer, file *client.Download, names map[string]int) error {
	defer file.Close()
	name := file.Name
	if names[name]++; names[name] > 1 {
		ext := path.Ext(name)
		name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), names[name], ext)
	}
	to, err := archive.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, file)
	return err
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
