package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/library"
)

// Download is a file that is read from the service as a stream. Reading returns io.EOF
// only at the end of a complete file. If the file is cut off, or if no byte arrives for
// the time of [WithAttemptTimeout], reading returns another error. The caller must
// close a Download. Save closes it too.
type Download struct {
	io.ReadCloser
	// Name is the service's name for the file, made safe: it is never a path, and never
	// a name that an operating system reserves.
	Name string
	// MediaType is the media type of the file, with parameters.
	MediaType string
	// ETag is the entity tag of the file; empty if the service sent none.
	ETag string
	// Size is the size in bytes, or -1 if it is not known before the end, as with a
	// gzip answer.
	Size int64
}

// Save writes the file to the folder dir under its Name, closes the Download, and
// returns the path. Save replaces an existing file only when the new one is complete.
// If the download fails, Save leaves no partial file.
func (d *Download) Save(dir string) (path string, err error) {
	if d.ReadCloser == nil {
		return "", errors.New("client: saving a download: it was not made by a call of this package")
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	path = filepath.Join(dir, safeName(d.Name))
	part := filepath.Join(dir, "."+rand.Text()+".part")
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // as the umask has it
	if err != nil {
		return "", fmt.Errorf("client: saving a download: %w", err)
	}
	_, err = io.Copy(f, d)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("client: saving a download: %w", err), os.Remove(part))
	}
	return path, nil
}

// ExportParams say in which form a batch is exported.
type ExportParams struct {
	Format batch.ExportFormat // required
	// OmitTimestamps leaves the times out of TXT.
	OmitTimestamps bool
	// Partial exports the finished items while the batch still runs.
	Partial bool
}

// Export returns all texts of a batch as one file, which the caller must close. The
// error is an [*Error] with the code STATE_CONFLICT if the batch still runs and
// p.Partial is false, NO_TRANSCRIPT if no item has a text, and UPGRADE_REQUIRED if the
// plan does not include exports. If a text changes during the download, reading fails:
// export again. The Name of the file consists only of the batch's id and the file type.
// Exports of one batch as SRT, as VTT and as ZIP therefore have the same Name: save
// them into different folders.
func (s *BatchService) Export(ctx context.Context, id string, p ExportParams, opts ...RequestOption) (*Download, error) {
	path, err := batchPath(id)
	if err != nil {
		return nil, err
	}
	query := url.Values{"format": {string(p.Format)}}
	if p.OmitTimestamps {
		query.Set("includeTimestamp", "false")
	}
	if p.Partial {
		query.Set("partial", "true")
	}
	return s.client.download(ctx, path+"/export?"+query.Encode(), opts)
}

// DownloadParams say in which form a saved transcript is downloaded.
type DownloadParams struct {
	Format library.DownloadFormat // required
	// OmitTimestamps leaves the times out of TXT and MD.
	OmitTimestamps bool
	// Speakers puts the names of the speakers before their words in TXT and SRT, where
	// the names are known.
	Speakers bool
}

// Download returns the saved transcript identified by key as a file, which the caller
// must close. If key has no Language, Download returns the newest. The errors are those
// of [LibraryService.Get].
func (s *LibraryService) Download(ctx context.Context, key library.Key, p DownloadParams, opts ...RequestOption) (*Download, error) {
	path, err := savedPath(library.Key{Platform: key.Platform, ExternalID: key.ExternalID}, "/download")
	if err != nil {
		return nil, err
	}
	query := url.Values{"format": {string(p.Format)}}
	if key.Language != "" {
		query.Set("language", key.Language)
	}
	if p.OmitTimestamps {
		query.Set("includeTimestamp", "false")
	}
	if p.Speakers {
		query.Set("speakers", "true")
	}
	return s.client.download(ctx, path+"?"+query.Encode(), opts)
}

// download opens the file at a path.
func (c *Client) download(ctx context.Context, path string, opts []RequestOption) (*Download, error) {
	answer, err := c.open(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	file, err := answer.download()
	if err == nil && answer.StatusCode != http.StatusOK {
		err = errors.Join(answer.malformed(errors.New("it is not the whole file")), file.Close())
	}
	if err != nil {
		return nil, err
	}
	return file, nil
}

// download is an open answer as a file. After an error the answer is closed.
func (a *answer) download() (*Download, error) {
	r := a.stream
	if !tellsItsEnd(r) {
		return nil, errors.Join(a.malformed(errors.New("it does not say where the file ends, so a file that is cut off would look complete")), r.Body.Close())
	}
	return &Download{
		ReadCloser: &downloadBody{r.Body, a},
		Name:       dispositionName(r.Header.Get("Content-Disposition")),
		MediaType:  r.Header.Get("Content-Type"),
		ETag:       r.Header.Get("ETag"),
		Size:       r.ContentLength,
	}, nil
}

// tellsItsEnd reports whether the end of an answer can be told from the end of its
// connection.
func tellsItsEnd(r *http.Response) bool {
	return r.ProtoMajor > 1 || r.ContentLength >= 0 || r.Uncompressed || slices.Contains(r.TransferEncoding, "chunked")
}

// downloadBody names the request in errors.
type downloadBody struct {
	io.ReadCloser
	answer *answer
}

func (b *downloadBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = &transportError{b.answer.method, b.answer.path, err}
	}
	return n, err
}

// dispositionName is the name in a Content-Disposition, made safe.
func dispositionName(disposition string) string {
	_, params, err := mime.ParseMediaType(disposition)
	if err != nil {
		return safeName("") // no name is no reason to refuse a file
	}
	return safeName(params["filename"])
}

// longestName is how many bytes the name of a file has at most.
const longestName = 200

// safeName is what of a name may stand in a folder of any system.
func safeName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		case strings.ContainsRune(`<>:"|?*`, r):
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	name = strings.TrimRight(strings.TrimLeft(name, ". -"), ". ")
	extension := filepath.Ext(name)
	if len(extension) > 16 {
		extension = ""
	}
	base := strings.TrimSuffix(name, extension)
	for len(base)+len(extension) > longestName {
		runes := []rune(base)
		base = string(runes[:len(runes)-1])
	}
	switch {
	case base == "":
		return "download" + extension
	case reserved(base):
		return "_" + base + extension
	}
	return base + extension
}

// reserved reports whether Windows takes the name for a device.
func reserved(base string) bool {
	base, _, _ = strings.Cut(strings.ToLower(base), ".")
	base = strings.TrimRight(base, " ")
	switch base {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	digit, port := strings.CutPrefix(base, "com")
	if !port {
		digit, port = strings.CutPrefix(base, "lpt")
	}
	return port && len([]rune(digit)) == 1 && strings.ContainsAny(digit, "0123456789¹²³")
}
