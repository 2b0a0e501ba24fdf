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

// upload streams one file: in a multipart form, or the part of the file that comes next. Every
// attempt opens the file again. The file is never held in memory.
type upload struct {
	head, tail  []byte // the form before and after the file's bytes
	from, until int64  // the bytes of the file that the next attempt sends
	size        int64  // of the file in bytes, -1 when unknown
	open        func() (io.ReadCloser, error)
	report      func(sent, total int64) // nil: the caller wants no reports

	mu      sync.Mutex
	current *uploadBody // of the running attempt; an older one may still be read
	given   int64       // how far the connections have read the file at most
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
	size = max(size, -1)
	u := &upload{head: form.Bytes()[:split], tail: form.Bytes()[split:], until: size, size: size, open: open}
	return payload{contentType: w.FormDataContentType(), content: retryablehttp.ReaderFunc(u.body), upload: u}, nil
}

// escapeControls writes control characters as package multipart writes line breaks: "%1B".
// A header cannot carry them.
func escapeControls(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsControl(r) {
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
func (u *upload) body() (io.Reader, error) { return u.next(), nil }

// next is the body of the next attempt.
func (u *upload) next() *uploadBody { return &uploadBody{upload: u, until: u.until, sent: u.from} }

// farthest is how many bytes of the file the service can have at most.
func (u *upload) farthest() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.given
}

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
	until  int64     // where the part ends, -1 when unknown
	sent   int64     // where the next byte of the file stands

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
	if err := b.take(file, err); err != nil {
		return err
	}
	if err := skip(file, b.sent); err != nil {
		return b.fail(err)
	}
	b.form = io.MultiReader(bytes.NewReader(u.head), (*fileReader)(b), bytes.NewReader(u.tail))
	b.progress()
	return nil
}

// take makes the opened file that of the running attempt.
func (b *uploadBody) take(file io.ReadCloser, err error) error {
	u := b.upload
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
	return nil
}

// skip passes over the first n bytes of a file that was just opened.
func skip(file io.Reader, n int64) error {
	if n == 0 {
		return nil
	}
	if seeker, ok := file.(io.Seeker); ok {
		if _, err := seeker.Seek(n, io.SeekStart); err == nil {
			return nil
		}
	}
	passed, err := io.CopyN(io.Discard, file, n)
	if err == io.EOF {
		err = fmt.Errorf("the file ends after %d bytes, of which %d are sent already: %w", passed, n, io.ErrUnexpectedEOF)
	}
	return err
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
	u.given = max(u.given, b.sent)
	if u.report != nil && !b.closed && u.current == b {
		u.report(b.sent, u.size)
	}
}

// fileReader is the file's part of the body: its bytes, counted and held to the size that was
// announced.
type fileReader uploadBody

func (f *fileReader) Read(p []byte) (int, error) {
	b := (*uploadBody)(f)
	file, err := b.reading()
	if err != nil {
		return 0, err
	}
	size := b.upload.size
	if b.until < size {
		if b.sent == b.until {
			return 0, io.EOF // the next part begins here
		}
		p = p[:min(int64(len(p)), b.until-b.sent)]
	}
	n, err := file.Read(p)
	b.sent += int64(n)
	if b.sent == size && n > 0 && err == nil {
		err = b.atEnd(file)
	}
	switch {
	case size >= 0 && b.sent > size:
		return 0, b.fail(fmt.Errorf("the file is longer than its size of %d bytes", size))
	case err == io.EOF && b.sent < size:
		return 0, b.fail(fmt.Errorf("the file ends after %d of %d bytes: %w", b.sent, size, io.ErrUnexpectedEOF))
	case err != nil && err != io.EOF:
		return 0, b.fail(err) // the bytes before may be the last ones
	}
	if n > 0 {
		b.progress()
	}
	return n, err
}

// atEnd looks for more bytes before the last ones are sent: what the service has whole, the
// service begins to work on. It returns io.EOF if there are none.
func (b *uploadBody) atEnd(file io.Reader) error {
	n, err := io.ReadFull(file, make([]byte, 1))
	b.sent += int64(n)
	return err
}
