package client_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var savedKey = library.Key{Platform: transcript.VideoSite, ExternalID: videoID}

// A file that is cut off never looks whole, and leaves nothing behind.
func TestDownloadIsCutOff(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]http.HandlerFunc{
		"in a chunk": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("half"))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		"before its length": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "8")
			_, _ = w.Write([]byte("half"))
		},
		"in silence": func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte("half"))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			patience := time.Minute
			if name == "in silence" {
				patience = 3 * time.Second
			}
			c := served(t, h, client.WithAttemptTimeout(patience))
			d, err := c.Library.Download(t.Context(), savedKey, client.DownloadParams{Format: library.TXT})
			require.NoError(t, err)
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "download"), []byte("an older one"), 0o600))
			path, err := d.Save(dir)
			require.Error(t, err)
			assert.Empty(t, path)
			assert.NotErrorIs(t, err, io.EOF)
			assert.ErrorContains(t, err, "GET /v1/library/transcripts/video_site/"+videoID+"/download: ")
			if name == "in silence" {
				assert.ErrorContains(t, err, "silent")
			} else {
				assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
			}
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, left, 1)
			older, err := os.ReadFile(filepath.Join(dir, "download"))
			require.NoError(t, err)
			assert.Equal(t, "an older one", string(older))
		})
	}
}

// An answer that ends with its connection cannot be told from one that was cut off.
func TestDownloadWithoutAnEnd(t *testing.T) {
	t.Parallel()
	c := served(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf of it, or all?"))
		_ = conn.Close()
	})
	_, err := c.Library.Download(t.Context(), savedKey, client.DownloadParams{Format: library.TXT})
	assert.ErrorContains(t, err, "does not say where the file ends")
}

// What is refused before the file begins is repeated like any other request; silence
// too, as long as nothing has come.
func TestDownloadIsRepeated(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		switch asked.Add(1) {
		case 1:
			w.Header().Set("Retry-After", "0")
			writeJSON(w, http.StatusServiceUnavailable, object{"error": object{"code": "SERVICE_UNAVAILABLE", "message": "Later."}})
		case 2:
			<-r.Context().Done()
		default:
			_, _ = w.Write([]byte("the file"))
		}
	}, client.WithAttemptTimeout(3*time.Second))
	d, err := c.Library.Download(t.Context(), savedKey, client.DownloadParams{Format: library.TXT})
	require.NoError(t, err)
	defer d.Close()
	whole, err := io.ReadAll(d)
	require.NoError(t, err)
	assert.Equal(t, "the file", string(whole))
	assert.EqualValues(t, 3, asked.Load())
}

// A file that takes longer than an attempt may is no silence.
func TestDownloadTakesItsTime(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	c := served(t, func(w http.ResponseWriter, _ *http.Request) {
		for range 5 {
			_, _ = w.Write([]byte("piece "))
			_ = http.NewResponseController(w).Flush()
			<-next
		}
	}, client.WithAttemptTimeout(time.Minute))
	d, err := c.Library.Download(t.Context(), savedKey, client.DownloadParams{Format: library.TXT})
	require.NoError(t, err)
	defer d.Close()
	for range 5 {
		_, err := io.ReadFull(d, make([]byte, len("piece ")))
		require.NoError(t, err)
		next <- struct{}{}
	}
	n, err := d.Read(make([]byte, 1))
	assert.Zero(t, n)
	assert.Equal(t, io.EOF, err)
}

func TestDownloadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("half"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	})
	ctx, cancel := context.WithCancel(t.Context())
	d, err := c.Library.Download(ctx, savedKey, client.DownloadParams{Format: library.TXT})
	require.NoError(t, err)
	cancel()
	_, err = io.ReadAll(d)
	assert.ErrorIs(t, err, context.Canceled)
	<-gone
	require.NoError(t, d.Close())

	_, err = c.Library.Download(ctx, savedKey, client.DownloadParams{Format: library.TXT})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestDownloadNames(t *testing.T) {
	t.Parallel()
	for disposition, want := range map[string]string{
		`attachment; filename="batch-1.zip"`:                                        "batch-1.zip",
		`attachment; filename=plain.txt; filename*=UTF-8''r%C3%A9sum%C3%A9.txt`:     "résumé.txt",
		`attachment; filename="../../etc/passwd"`:                                   "passwd",
		`attachment; filename="C:\\Windows\\evil.exe"`:                              "evil.exe",
		`attachment; filename*=UTF-8''..%2F..%2Fevil`:                               "evil",
		`attachment; filename=".bashrc"`:                                            "bashrc",
		`attachment; filename=".."`:                                                 "download",
		`attachment; filename="nul.txt"`:                                            "_nul.txt",
		`attachment; filename="COM1.tar.gz"`:                                        "_COM1.tar.gz",
		`attachment; filename*=UTF-8''a%00%0d%0ab%E2%80%AEtxt.exe`:                  "abtxt.exe",
		`attachment; filename="a:b?.txt. . "`:                                       "a_b_.txt",
		`attachment; filename="-rf.txt"`:                                            "rf.txt",
		`attachment; filename="` + strings.Repeat("x", 500) + `.zip"`:               strings.Repeat("x", 196) + ".zip",
		`attachment; filename*=UTF-8''` + strings.Repeat("%E8%AA%9E", 200) + `.zip`: strings.Repeat("語", 65) + ".zip",
		`inline`: "download",
		``:       "download",
		`;;;`:    "download",
	} {
		c := served(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Disposition"] = []string{disposition}
			_, _ = w.Write([]byte("x"))
		})
		d, err := c.Library.Download(t.Context(), savedKey, client.DownloadParams{Format: library.TXT})
		require.NoError(t, err)
		assert.Equal(t, want, d.Name, disposition)
		require.NoError(t, d.Close())
	}
}

// Who makes a Download by hand, for a test, may call it anything.
func TestSaveStaysInItsFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := &client.Download{ReadCloser: io.NopCloser(strings.NewReader("x")), Name: "../evil"}
	path, err := d.Save(filepath.Join(dir))
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "evil"), path)
	_, err = (&client.Download{ReadCloser: io.NopCloser(strings.NewReader("x"))}).Save(filepath.Join(dir, "nowhere"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
