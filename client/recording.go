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
	"strings"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// MediaParams says which bytes of a recording are read. The zero value reads the whole file as it
// was sent.
type MediaParams struct {
	Copy library.RecordingCopy
	// Offset is the first byte, and Length how many bytes follow; 0: up to the end. Neither may be
	// negative.
	Offset, Length int64
}

// Media reads the recording that the account keeps of an upload, by the ExternalID of its
// transcript. If the connection breaks, the download goes on where it was, as long as each
// connection brings a byte. It breaks off if the recording has become another file. Errors are
// [*Error]s: NO_TRANSCRIPT if the account keeps no recording of the upload, and INVALID_REQUEST
// with the status 416 if the file has no byte at the Offset. ctx bounds the whole download.
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

// DeleteMedia deletes the recording that the account keeps of an upload, by the ExternalID of its
// transcript. The transcript stays. If the account keeps no recording of the upload, the error is
// an [*Error] with the code NO_TRANSCRIPT.
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
	etag   string        // of the file; empty before the first answer
	at     int64         // the next byte
	end    int64         // the byte after the last; 0: the end of the file
	body   io.ReadCloser // of the present connection
	read   int64         // its bytes
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
	if err := b.follows(file, answer.Response, ranged); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	b.etag, b.body, b.read = file.ETag, file.ReadCloser, 0
	return file, nil
}

var errOtherRecording = errors.New("client: the recording has become another file while it was read")

// follows checks that an answer has the bytes that are asked for.
func (b *recordingBody) follows(file *Download, resp Response, ranged bool) error {
	switch {
	case !ranged:
		return nil
	case b.etag != "" && (resp.StatusCode == http.StatusOK || file.ETag != b.etag):
		return errOtherRecording
	case resp.StatusCode != http.StatusPartialContent, !strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", b.at)):
		return fmt.Errorf("client: the service has sent other bytes than those from byte %d on", b.at)
	}
	return nil
}

func (b *recordingBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	b.at, b.read = b.at+int64(n), b.read+int64(n)
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
