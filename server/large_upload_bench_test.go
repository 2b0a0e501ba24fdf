package server_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
)

const (
	gib = 1 << 30
	// mostOfCopy is the goal for the time of an upload to a disk, as a multiple of the time in
	// which a bare handler copies the same body into a file.
	mostOfCopy = 3
)

// BenchmarkUpload1GiB sends a file of 1 GiB to a service with its blobs in a folder and to one
// with its blobs in a bucket. It compares the growth of the resident memory, of client and
// service together, with the goal, and the time with the time of a bare handler that copies the
// body into a file. The two take turns.
func BenchmarkUpload1GiB(b *testing.B) {
	for _, to := range []struct {
		name   string
		blobs  func() string
		growth int64
		missed string
		timed  bool // the time of a bucket is the time of another program
	}{
		{"a folder", func() string { return filepath.Join(b.TempDir(), "blobs") }, 4 << 20, "the process is the client too", true},
		{"a bucket", func() string { return storetest.S3(b) }, 24 << 20, "", false},
	} {
		name := "upload of 1 GiB to " + to.name
		if !ratio.Wanted(name) {
			continue
		}
		b.Run(to.name, func(b *testing.B) {
			s := startWithBlobs(b, to.blobs())
			raw := copier(b)
			uploadGrowth(b, s, 64<<20, resident) // the code that runs for the first time is not growth
			const rounds = 3
			wall := ratio.Row{Name: name + ", time of a bare copy", AtMost: mostOfCopy}
			growth := ratio.Row{Name: fmt.Sprintf("%s, growth of memory, of %d MiB", name, to.growth>>20), AtMost: 1, Missed: to.missed}
			for b.Loop() {
				for range rounds {
					grew, took := uploadGrowth(b, s, gib, resident)
					growth.Ratios = append(growth.Ratios, float64(grew)/float64(to.growth))
					growth.Note = fmt.Sprintf("%.1f MiB", float64(grew)/(1<<20))
					if to.timed {
						copied := raw(b)
						wall.Ratios = append(wall.Ratios, took.Seconds()/copied.Seconds())
						wall.Note = fmt.Sprintf("%v of %v", took.Round(time.Millisecond), copied.Round(time.Millisecond))
					}
				}
				if to.timed {
					wall.Report(b)
				}
				growth.Report(b)
			}
		})
	}
}

// copier is a bare handler that copies the body into a new file, and the upload of 1 GiB to it.
func copier(b *testing.B) func(*testing.B) time.Duration {
	b.Helper()
	dir := b.TempDir()
	url := serveHandler(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := filepath.Join(dir, "copy")
		f, err := os.Create(path)
		if err == nil {
			_, err = io.Copy(f, r.Body)
		}
		if err == nil {
			err = f.Close()
		}
		if err == nil {
			err = os.Remove(path)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	transport := http.DefaultTransport.(*http.Transport).Clone()
	b.Cleanup(transport.CloseIdleConnections)
	return func(b *testing.B) time.Duration {
		b.Helper()
		began := time.Now()
		r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url, io.LimitReader(zeros{}, gib))
		require.NoError(b, err)
		resp, err := (&http.Client{Transport: transport}).Do(r)
		require.NoError(b, err)
		require.NoError(b, resp.Body.Close())
		require.Equal(b, http.StatusOK, resp.StatusCode)
		return time.Since(began)
	}
}
