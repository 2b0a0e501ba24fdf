package client

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"strings"
	"sync"
	"unicode"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// upload is a multipart form that streams one file. Every attempt opens the file again.
// The file is never held in memory.
type upload struct {
	head, tail []byte // the form before and after the file's bytes
	size       int64  // of the file in bytes, -1 when unknown
	open       func() (io.ReadCloser, error)
	report     func(sent, total int64) // nil: nobody asks

	mu      sync.Mutex
	current *uploadBody // of the running attempt; an older one may still be read
	failed  error       // why the caller's file could not be read
}

// uploadPayload is the form of r, whose source is a file or an upload. The
// fields come before the file, so that the service can refuse them early.
func uploadPayload(r transcript.Request, fields [][2]string) (payload, error) {
	name, size, open, _ := r.Source.Upload()
	if name == "" {
		name = "upload" // without a name the part would be a field, not a file
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for _, field := range fields {
		if err := w.WriteField(field[0], field[1]); err != nil {
			return payload{}, fmt.Errorf("client: upload: %w", err)
		}
	}
	if _, err := w.CreateFormFile("file", escapeControls(name)); err != nil {
		return payload{}, fmt.Errorf("client: upload: %w", err)
	}
	split := form.Len()
	if err := w.Close(); err != nil {
		return payload{}, fmt.Errorf("client: upload: %w", err)
	}
	u := &upload{head: form.Bytes()[:split], tail: form.Bytes()[split:], size: max(size, -1), open: open}
	return payload{contentType: w.FormDataContentType(), content: retryablehttp.ReaderFunc(u.body), upload: u}, nil
}

// escapeControls writes control characters as package multipart writes line breaks: "%1B".
// A header cannot carry them.
func escapeControls(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsControl(r) && r != '\r' && r != '\n' {
			fmt.Fprintf(&b, "%%%02X", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// length is the Content-Length of the form, -1 (chunked) when it is unknown.
func (u *upload) length() int64 {
	if u.size < 0 {
		return -1
	}
	return int64(len(u.head)) + u.size + int64(len(u.tail))
}

// body begins an attempt. The file is opened by the first read, because bodies
// are also made to be measured and thrown away.
func (u *upload) body() (io.Reader, error) { return &uploadBody{upload: u}, nil }

// failure is why the caller's file could not be read, nil when it could.
func (u *upload) failure() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.failed
}

// over closes the file of the attempt that has ended. A middleware that answers by itself may
// have read a part of the file.
func (u *upload) over() {
	u.mu.Lock()
	body := u.current
	u.mu.Unlock()
	if body != nil {
		_ = body.Close() // the file was only read
	}
}

// uploadBody is the form as one attempt reads it. The transport may close it
// while it reads, and may go on reading while the next attempt runs.
type uploadBody struct {
	upload *upload
	form   io.Reader // nil before the first read
	sent   int64     // bytes of the file

	// Guarded by upload.mu.
	file   io.ReadCloser
	closed bool
}

var errAttemptOver = errors.New("client: upload: the attempt is over")

func (b *uploadBody) Read(p []byte) (int, error) {
	if b.form == nil {
		if err := b.begin(); err != nil {
			return 0, err
		}
	}
	return b.form.Read(p)
}

func (b *uploadBody) begin() error {
	u := b.upload
	file, err := u.open()
	if err == nil && file == nil {
		err = errors.New("the source opened as nil")
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if err != nil {
		u.failed = fmt.Errorf("client: upload: %w", err)
		return u.failed
	}
	if b.closed {
		return errors.Join(errAttemptOver, file.Close())
	}
	b.file, u.current = file, b
	b.form = io.MultiReader(bytes.NewReader(u.head), (*fileReader)(b), bytes.NewReader(u.tail))
	if u.report != nil {
		u.report(0, u.size)
	}
	return nil
}

// Close closes the file. It may come before the first read, and more than once.
func (b *uploadBody) Close() error {
	b.upload.mu.Lock()
	defer b.upload.mu.Unlock()
	file := b.file
	b.file, b.closed = nil, true
	if file == nil {
		return nil
	}
	return file.Close()
}

// reading returns the file, or an error once the attempt is over.
func (b *uploadBody) reading() (io.Reader, error) {
	b.upload.mu.Lock()
	defer b.upload.mu.Unlock()
	if b.closed {
		return nil, errAttemptOver
	}
	return b.file, nil
}

// fail records why the file cannot be sent, so that the attempt is not repeated. fail
// records nothing after the end of the attempt.
func (b *uploadBody) fail(err error) error {
	u := b.upload
	u.mu.Lock()
	defer u.mu.Unlock()
	err = fmt.Errorf("client: upload: %w", err)
	if !b.closed && u.current == b {
		u.failed = err
	}
	return err
}

func (b *uploadBody) progress() {
	u := b.upload
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.report != nil && !b.closed && u.current == b {
		u.report(b.sent, u.size)
	}
}

// fileReader is the middle of the form: the file's bytes, counted and held to
// the size that was announced.
type fileReader uploadBody

func (f *fileReader) Read(p []byte) (int, error) {
	b := (*uploadBody)(f)
	file, err := b.reading()
	if err != nil {
		return 0, err
	}
	n, err := file.Read(p)
	b.sent += int64(n)
	size := b.upload.size
	switch {
	case size >= 0 && b.sent > size:
		return 0, b.fail(fmt.Errorf("the file is longer than its size of %d bytes", size))
	case err == io.EOF && b.sent < size:
		return 0, b.fail(fmt.Errorf("the file ends after %d of %d bytes: %w", b.sent, size, io.ErrUnexpectedEOF))
	case err != nil && err != io.EOF:
		return n, b.fail(err)
	}
	if n > 0 {
		b.progress()
	}
	return n, err
}
