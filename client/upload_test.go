package client_test

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// media is an upload that counts how often it is opened and closed.
type media struct {
	content        []byte
	opened, closed atomic.Int32
}

func (m *media) source(size int64) transcript.Source {
	return transcript.Media("talk.wav", size, func() (io.ReadCloser, error) {
		m.opened.Add(1)
		return &closing{bytes.NewReader(m.content), &m.closed}, nil
	})
}

type closing struct {
	io.Reader
	closed *atomic.Int32
}

func (c *closing) Close() error { c.closed.Add(1); return nil }

// received is the content of the file part.
func received(r *http.Request) ([]byte, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, err
	}
	for {
		part, err := parts.NextPart()
		if err != nil {
			return nil, err
		}
		if part.FormName() == "file" {
			return io.ReadAll(part)
		}
	}
}

// progressLog is what a caller was told of an upload.
type progressLog struct{ sent, total []int64 }

func (p *progressLog) note(sent, total int64) {
	p.sent = append(p.sent, sent)
	p.total = append(p.total, total)
}

// TestUploadRepeated: the file is opened anew for each attempt, whole each time,
// and the progress begins again.
func TestUploadRepeated(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int64{"known size": 300_000, "unknown size": -1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &media{content: bytes.Repeat([]byte("0123456789"), 30_000)}
			var calls atomic.Int32
			var lengths [3]int64
			c := served(t, func(w http.ResponseWriter, r *http.Request) {
				n := calls.Add(1)
				lengths[n-1] = r.ContentLength
				content, err := received(r)
				assert.NoError(t, err)
				assert.Equal(t, m.content, content)
				if n < 3 {
					w.Header().Set("Retry-After", "0")
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				writeJSON(w, http.StatusAccepted, jobBody("pending", "queued", 1))
			})
			var told progressLog
			_, job, err := c.Transcripts.Submit(t.Context(), transcript.Request{Source: m.source(size)}, client.WithUploadProgress(told.note))
			require.NoError(t, err)
			assert.Equal(t, jobID, job.JobID)
			assert.EqualValues(t, 3, m.opened.Load(), "once per attempt")
			assert.Eventually(t, func() bool { return m.closed.Load() == 3 }, time.Minute, time.Millisecond)
			for _, length := range lengths {
				assert.Equal(t, size > 0, length > size, "announced when known")
			}
			begun := 0
			for i, sent := range told.sent {
				assert.Equal(t, size, told.total[i])
				if sent == 0 {
					begun++
				} else {
					assert.Greater(t, sent, told.sent[i-1])
				}
			}
			assert.Equal(t, 3, begun, "back to 0 with each attempt")
			assert.EqualValues(t, 300_000, told.sent[len(told.sent)-1])
		})
	}
}

// TestUploadRefusedEarly: a refusal comes before the file is sent.
func TestUploadRefusedEarly(t *testing.T) {
	t.Parallel()
	m := &media{content: make([]byte, 8<<20)}
	c := served(t, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusPaymentRequired, object{"error": object{"code": "UPGRADE_REQUIRED", "message": "m"}})
	})
	var told progressLog
	_, _, err := c.Transcripts.Submit(t.Context(), transcript.Request{Source: m.source(8 << 20)}, client.WithUploadProgress(told.note))
	require.ErrorIs(t, err, transcript.UpgradeRequired)
	assert.Empty(t, told.sent)
	assert.Zero(t, m.opened.Load())
}

// TestUploadBroken: a connection that breaks in the middle is a matter of the
// transport, and the upload is repeated.
func TestUploadBroken(t *testing.T) {
	t.Parallel()
	m := &media{content: make([]byte, 8<<20)}
	var calls atomic.Int32
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 1 {
			_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
			panic(http.ErrAbortHandler)
		}
		content, err := received(r)
		assert.NoError(t, err)
		assert.Len(t, content, 8<<20)
		writeJSON(w, http.StatusOK, resultBody())
	})
	result, _, err := c.Transcripts.Submit(t.Context(), transcript.Request{Source: m.source(8 << 20)})
	require.NoError(t, err)
	assert.NotNil(t, result)
	assert.EqualValues(t, 2, m.opened.Load())
}

// TestUploadSourceFails: what is wrong with the caller's file is said as such,
// and no repetition mends it.
func TestUploadSourceFails(t *testing.T) {
	t.Parallel()
	errDisk := errors.New("disk on fire")
	reader := func(r io.Reader) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return io.NopCloser(r), nil }
	}
	missing := filepath.Join(t.TempDir(), "missing.mp3")
	for name, tc := range map[string]struct {
		source transcript.Source
		is     error
		says   string
	}{
		"missing":    {transcript.File(missing), os.ErrNotExist, "missing.mp3"},
		"directory":  {transcript.File(t.TempDir()), nil, "directory"},
		"open fails": {transcript.Media("a", 5, func() (io.ReadCloser, error) { return nil, errDisk }), errDisk, "upload"},
		"opens nil":  {transcript.Media("a", 5, func() (io.ReadCloser, error) { return nil, nil }), nil, "nil"},
		"read fails": {transcript.Media("a", 100, reader(io.MultiReader(strings.NewReader("abc"), failing{errDisk}))), errDisk, "upload"},
		"shrunk":     {transcript.Media("a", 100, reader(strings.NewReader("abc"))), io.ErrUnexpectedEOF, "after 3 of 100"},
		"grown":      {transcript.Media("a", 2, reader(strings.NewReader("abc"))), nil, "longer than its size of 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			c := served(t, func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				_, _ = io.Copy(io.Discard, r.Body)
				writeJSON(w, http.StatusOK, resultBody())
			})
			result, job, err := c.Transcripts.Submit(t.Context(), transcript.Request{Source: tc.source})
			require.Error(t, err)
			assert.Nil(t, result)
			assert.Nil(t, job)
			if tc.is != nil {
				require.ErrorIs(t, err, tc.is)
			}
			require.ErrorContains(t, err, tc.says)
			assert.LessOrEqual(t, calls.Load(), int32(1))
		})
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestUploadNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"": "upload", "a b.mp3": "a b.mp3", `q"u\o.wav`: `q"u\o.wav`, "Größe 🎙.ogg": "Größe 🎙.ogg",
	} {
		got := make(chan string, 1)
		c := served(t, func(w http.ResponseWriter, r *http.Request) {
			parts, err := r.MultipartReader()
			if assert.NoError(t, err) {
				var part *multipart.Part
				part, err = parts.NextPart()
				assert.NoError(t, err)
				got <- part.FileName()
			}
			writeJSON(w, http.StatusOK, resultBody())
		})
		source := transcript.Media(name, 1, func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil })
		_, _, err := c.Transcripts.Submit(t.Context(), transcript.Request{Source: source})
		require.NoError(t, err)
		assert.Equal(t, want, <-got)
	}
}

// zeros is a large file that takes no memory.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// uploadZeros sends size bytes to a service that takes resumable uploads, or forms alone. It
// returns the largest growth of the heap that was seen on the way, in bytes.
func uploadZeros(tb testing.TB, size int64, resumable bool) uint64 {
	tb.Helper()
	counted := make(chan int64, 1)
	c := served(tb, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upload-Complete") == "?0" && resumable {
			(&keeper{}).create(w)
			return
		}
		n, err := io.Copy(io.Discard, r.Body)
		assert.NoError(tb, err)
		if n == 0 {
			w.WriteHeader(http.StatusUnsupportedMediaType)
			return
		}
		counted <- n
		writeJSON(w, http.StatusAccepted, jobBody("pending", "queued", 1))
	})
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var peak uint64
	var looked int64
	source := transcript.Media("zeros.wav", size, func() (io.ReadCloser, error) {
		return io.NopCloser(io.LimitReader(zeros{}, size)), nil
	})
	_, _, err := c.Transcripts.Submit(tb.Context(), transcript.Request{Source: source},
		client.WithUploadProgress(func(sent, _ int64) {
			if sent-looked < 8<<20 {
				return
			}
			looked = sent
			runtime.ReadMemStats(&now)
			if now.HeapAlloc > before.HeapAlloc {
				peak = max(peak, now.HeapAlloc-before.HeapAlloc)
			}
		}))
	require.NoError(tb, err)
	require.GreaterOrEqual(tb, <-counted, size)
	return peak
}

// TestUploadMemory does not run beside other tests: it looks at the heap.
func TestUploadMemory(t *testing.T) {
	for _, resumable := range []bool{true, false} {
		peak := uploadZeros(t, 256<<20, resumable)
		t.Logf("256 MiB sent, heap grew by at most %d KiB", peak>>10)
		assert.Less(t, peak, uint64(8<<20))
	}
}

func BenchmarkUpload(b *testing.B) {
	const size = 1 << 30
	b.SetBytes(size)
	for b.Loop() {
		b.ReportMetric(float64(uploadZeros(b, size, true))/(1<<20), "peak-MiB")
	}
}

// A control character in the name of a file is escaped: a header cannot carry it.
func TestUploadOfANameWithControlCharacters(t *testing.T) {
	t.Parallel()
	names := make(chan string, 1)
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		_, h, err := r.FormFile("file")
		if assert.NoError(t, err) {
			names <- h.Filename
		}
		writeJSON(w, http.StatusAccepted, jobBody("pending", "queued", 1))
	})
	media := transcript.Media("a\x00b\x1b[2Jc\u0085d\x7f \"e\"\n.wav", 1, func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil })
	_, _, err := c.Transcripts.Submit(t.Context(), transcript.Request{Source: media, Wait: new(time.Duration)})
	require.NoError(t, err)
	assert.Equal(t, "a%00b%1B[2Jc%85d%7F \"e\"%0A.wav", <-names)
}
