package servertest_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// BenchmarkLargeUpload compares an upload of 100 MB that can go on after a break with the same
// upload as a form, over loopback to the real service. The two take turns. No file is known to the
// service.
func BenchmarkLargeUpload(b *testing.B) {
	const row = "an upload of 100 MB that can go on, of a form"
	if !ratio.Wanted(row) {
		return
	}
	s := servertest.New(b)
	resumable, err := client.New(s.URL, client.WithAPIKey(s.Key))
	require.NoError(b, err)
	form, err := client.New(s.URL, client.WithAPIKey(s.Key), around(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
		if r.Header.Get("Upload-Complete") != "" {
			return &http.Response{StatusCode: http.StatusUnsupportedMediaType, Body: http.NoBody, Request: r}, nil
		}
		return next.RoundTrip(r)
	}))
	require.NoError(b, err)
	content := make([]byte, 100e6)
	files := uint64(0)
	send := func(c *client.Client) float64 {
		files++
		binary.LittleEndian.PutUint64(content, files)
		source := transcript.Media("talk.wav", int64(len(content)), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil })
		began := time.Now()
		_, _, err := c.Transcripts.Submit(b.Context(), atOnce(source))
		require.NoError(b, err)
		return time.Since(began).Seconds()
	}
	send(form) // which learns that the service takes forms
	send(resumable)
	var ratios []float64
	for range 12 {
		ratios = append(ratios, send(resumable)/send(form))
	}
	ratio.Row{Name: row, Ratios: ratios, AtMost: 1.05}.Report(b)
}
