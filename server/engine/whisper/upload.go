package whisper

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"time"

	"github.com/transcriptkit/transcriptkit/server/speech"
)

// upload is an open recording for the server.
type upload struct {
	file   *os.File
	size   int64 // bytes
	length time.Duration
}

// openUpload opens the recording at path.
func openUpload(path string) (*upload, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	u := &upload{file: f}
	if err := u.measure(); err != nil {
		u.close()
		return nil, err
	}
	return u, nil
}

func (u *upload) measure() error {
	info, err := u.file.Stat()
	if err != nil {
		return err
	}
	u.size = info.Size()
	rec, err := speech.NewRecording(u.file, u.size)
	if err != nil {
		return err
	}
	u.length = rec.Duration()
	return nil
}

func (u *upload) close() { _ = u.file.Close() } // it was only read

// form returns the request's body, its size and its content type. The recording is read from
// the file while it is sent. The form has a prompt even if it is empty, because older servers
// keep the prompt of an earlier request.
func (u *upload) form(code, prompt string) (body io.Reader, size int64, contentType string, err error) {
	var head bytes.Buffer
	form := multipart.NewWriter(&head)
	for _, field := range [][2]string{
		{"response_format", "verbose_json"},
		{"language", cmp.Or(code, "auto")},
		{"temperature", "0"},
		{"max_context", contextFor(prompt)},
		{"prompt", spoken(prompt)},
		{"carry_initial_prompt", "true"},      // through the whole recording
		{"token_timestamps", "true"},          // for the times of words
		{"no_language_probabilities", "true"}, // computing them costs as much as half a minute of sound
	} {
		if err := form.WriteField(field[0], field[1]); err != nil {
			return nil, 0, "", err
		}
	}
	if _, err := form.CreateFormFile("file", "audio.wav"); err != nil {
		return nil, 0, "", err
	}
	tail := "\r\n--" + form.Boundary() + "--\r\n"
	size = int64(head.Len()) + u.size + int64(len(tail))
	recording := io.NewSectionReader(u.file, 0, u.size)
	return io.MultiReader(&head, recording, bytes.NewReader([]byte(tail))), size, form.FormDataContentType(), nil
}

// send sends the recording and reads the answer.
func (s *Server) send(ctx context.Context, rec *upload, code, prompt string) (answer, error) {
	body, size, contentType, err := rec.form(code, prompt)
	if err != nil {
		return answer{}, fmt.Errorf("whisper: form: %w", err)
	}
	late := fmt.Errorf("no answer within %v", patience(rec.length))
	limited, cancel := context.WithTimeoutCause(ctx, patience(rec.length), late)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodPost, s.inference(), body)
	if err != nil {
		return answer{}, fmt.Errorf("whisper: request: %w", withoutURL(err))
	}
	req.ContentLength = size
	req.Header.Set("Content-Type", contentType)
	req.Close = true // the server closes idle connections, sometimes just when a request is sent
	resp, err := s.http.Do(req)
	if err != nil {
		return answer{}, unreachable(ctx, limited, err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode != http.StatusOK {
		return answer{}, refused(resp, prompt)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxOutput+1))
	switch {
	case err != nil:
		return answer{}, unreachable(ctx, limited, err)
	case len(data) > maxOutput:
		return answer{}, notAnAnswer(errors.New("an answer longer than that of any recording"))
	}
	return readAnswer(data, prompt)
}
