package whispermodel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"time"

	"github.com/transcriptkit/transcriptkit/server/speech"
)

// Recording is an open WAV. The caller closes it.
type Recording struct {
	Size   int64 // bytes of the file
	Length time.Duration
	file   *os.File
}

// OpenRecording opens the WAV at path.
func OpenRecording(path string) (*Recording, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	rec := &Recording{file: file}
	if err := rec.measure(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return rec, nil
}

func (r *Recording) measure() error {
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	r.Size = info.Size()
	wav, err := speech.NewRecording(r.file, r.Size)
	if err != nil {
		return err
	}
	r.Length = wav.Duration()
	return nil
}

// Close closes the file.
func (r *Recording) Close() { _ = r.file.Close() } // it was only read

// Field is a field of a form.
type Field struct{ Name, Value string }

// Post returns a request that sends the fields, and then the recording as the file "file".
// The recording is read from the disk while it is sent.
func (r *Recording) Post(ctx context.Context, url string, fields []Field) (*http.Request, error) {
	var head bytes.Buffer
	form := multipart.NewWriter(&head)
	for _, f := range fields {
		if err := form.WriteField(f.Name, f.Value); err != nil {
			return nil, fmt.Errorf("form: %w", err)
		}
	}
	file := textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="audio.wav"`},
		"Content-Type":        {"audio/wav"},
	}
	if _, err := form.CreatePart(file); err != nil {
		return nil, fmt.Errorf("form: %w", err)
	}
	tail := "\r\n--" + form.Boundary() + "--\r\n"
	body := func() (io.ReadCloser, error) {
		recording := io.NewSectionReader(r.file, 0, r.Size)
		return io.NopCloser(io.MultiReader(bytes.NewReader(head.Bytes()), recording, bytes.NewReader([]byte(tail)))), nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	if err != nil {
		return nil, err
	}
	req.Body, _ = body() // never fails
	req.GetBody = body   // net/http sends the part again that a closed connection has not accepted
	req.ContentLength = int64(head.Len()) + r.Size + int64(len(tail))
	req.Header.Set("Content-Type", form.FormDataContentType())
	return req, nil
}
