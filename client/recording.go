package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// MediaParams say which bytes of a recording are read. The zero value reads the whole
// file as it was uploaded.
type MediaParams struct {
	Copy library.RecordingCopy
	// Offset is the position of the first byte, and Length is the number of bytes. A
	// Length of 0 means up to the end. Neither may be negative.
	Offset, Length int64
}

// Media returns the recording that the account keeps of an upload, by the ExternalID of
// its transcript. The caller must close it. If the connection breaks, the download
// resumes where it stopped, as long as each connection delivers at least a byte and the
// file has a strong ETag. If the recording is replaced meanwhile, reading fails. The
// error is an [*Error] with the code NO_TRANSCRIPT if the account keeps no recording of
// the upload, and INVALID_REQUEST with the status 416 if Offset is not before the end
// of the file. ctx limits the whole download.
func (s *LibraryService) Media(ctx context.Context, externalID string, p MediaParams, opts ...RequestOption) (*Download, error) {
	path, err := mediaPath(externalID)
	if err != nil {
		return nil, err
	}
	if p.Offset < 0 || p.Length < 0 || p.Length > math.MaxInt64-p.Offset {
		return nil, fmt.Errorf("client: %d bytes from byte %d on are no part of a recording", p.Length, p.Offset)
	}
	if p.Copy != "" {
		path = withQuery(path, url.Values{"copy": {string(p.Copy)}})
	}
	b := &recordingBody{ctx: ctx, client: s.client, path: path, opts: slices.Clone(opts), at: p.Offset}
	if p.Length > 0 {
		b.end = p.Offset + p.Length
	}
	file, err := b.open()
	if err != nil {
		return nil, err
	}
	file.ReadCloser = b
	return file, nil
}

// DeleteMedia deletes the account's kept recording of an upload. externalID is the ExternalID of
// the upload's transcript. The transcript stays. If the account keeps no recording of the upload,
// the error is an [*Error] with the code NO_TRANSCRIPT.
func (s *LibraryService) DeleteMedia(ctx context.Context, externalID string, opts ...RequestOption) error {
	path, err := mediaPath(externalID)
	if err != nil {
		return err
	}
	_, err = s.client.send(ctx, http.MethodDelete, path, payload{}, opts)
	return err
}

func mediaPath(externalID string) (string, error) {
	return savedPath(library.Key{Platform: transcript.Upload, ExternalID: externalID}, "/media")
}

// recordingBody reads a recording over as many connections as it takes.
type recordingBody struct {
	ctx    context.Context //nolint:containedctx // of the call that reads the recording
	client *Client
	path   string
	opts   []RequestOption
	etag   string        // of the file; empty before the first answer, and if it names no exact bytes
	at     int64         // the next byte
	end    int64         // the byte after the last; 0: the end of the file
	body   io.ReadCloser // of the present connection
	read   int64         // its bytes
	until  int64         // the byte after its last; 0: its end tells
}

// open asks for the rest.
func (b *recordingBody) open() (*Download, error) {
	opts := b.opts
	ranged := b.at > 0 || b.end > 0 || b.etag != ""
	if ranged {
		last := ""
		if b.end > 0 {
			last = fmt.Sprint(b.end - 1)
		}
		opts = append(slices.Clone(opts), WithHeader("Range", fmt.Sprintf("bytes=%d-%s", b.at, last)))
		if b.etag != "" {
			opts = append(opts, WithHeader("If-Range", b.etag))
		}
	}
	answer, err := b.client.open(b.ctx, b.path, opts)
	if err != nil {
		return nil, err
	}
	file, err := answer.download()
	if err != nil {
		return nil, err
	}
	if err := b.follows(file, answer, ranged); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if b.etag = file.ETag; !strings.HasPrefix(b.etag, `"`) { // a weak ETag names several forms of the file
		b.etag = ""
	}
	b.body, b.read = file.ReadCloser, 0
	return file, nil
}

var errOtherRecording = errors.New("client: the recording was replaced while it was read")

// follows checks that an answer has the bytes that are asked for.
func (b *recordingBody) follows(file *Download, a *answer, ranged bool) error {
	switch {
	case !ranged && a.StatusCode == http.StatusOK:
		return nil
	case !ranged:
		return a.malformed(errors.New("it is not the whole file"))
	case b.etag != "" && (a.StatusCode == http.StatusOK || file.ETag != b.etag):
		return errOtherRecording
	}
	part, ok := parseContentRange(a.Header.Get("Content-Range"))
	last := part.last
	if part.size > 0 {
		last = part.size - 1
	}
	if b.end > 0 {
		last = min(last, b.end-1)
	}
	switch {
	case a.StatusCode != http.StatusPartialContent, !ok, part.first != b.at, part.last != last:
		return a.malformed(fmt.Errorf("it has other bytes of the file than those from byte %d on", b.at))
	case file.Size >= 0 && file.Size != part.last-part.first+1:
		return a.malformed(fmt.Errorf("its length is %d bytes, and its Content-Range has %d", file.Size, part.last-part.first+1))
	}
	b.until = part.last + 1
	return nil
}

// contentRange is the part of a file that an answer has: from the first byte to the last.
type contentRange struct{ first, last, size int64 } // size is 0 if it is unknown

// parseContentRange reads the header of a 206 (RFC 9110, 14.4). ok is false if no part is named.
func parseContentRange(header string) (r contentRange, ok bool) {
	text, inBytes := strings.CutPrefix(header, "bytes ")
	text, size, sized := strings.Cut(text, "/")
	first, last, parted := strings.Cut(text, "-")
	if !inBytes || !sized || !parted {
		return r, false
	}
	number := func(digits string) int64 {
		n, err := strconv.ParseUint(digits, 10, 63)
		if err != nil {
			ok = false
		}
		return int64(n) //nolint:gosec // of 63 bits
	}
	ok = true
	r.first, r.last = number(first), number(last)
	if size != "*" {
		r.size = number(size)
		ok = ok && r.last < r.size
	}
	return r, ok && r.first <= r.last
}

func (b *recordingBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	b.at, b.read = b.at+int64(n), b.read+int64(n)
	if b.until > 0 && (b.at > b.until || err == io.EOF && b.at < b.until) {
		return 0, fmt.Errorf("client: the answer has not the length of its Content-Range: it goes to byte %d, and not to byte %d", b.at-1, b.until-1)
	}
	var broken *transportError
	if err == nil || !errors.As(err, &broken) || b.ctx.Err() != nil || b.etag == "" || b.read == 0 {
		return n, err
	}
	_ = b.body.Close() // it is broken
	if _, again := b.open(); again != nil {
		return n, again
	}
	return n, nil
}

// Close ends the download.
func (b *recordingBody) Close() error { return b.body.Close() }
