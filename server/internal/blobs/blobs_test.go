package blobs_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/nstest"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/outage"
	"github.com/transcriptkit/transcriptkit/server/store/s3store"
)

// TestABlobIsWhatWasWritten, on every kind of store: whole, or not there at all.
func TestABlobIsWhatWasWritten(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func() string{
		"folder": func() string { return filepath.Join(t.TempDir(), "blobs") },
		"memory": func() string { return blobs.InMemory },
		"s3":     func() string { return storetest.S3(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openBlobs(t, place())
			for _, size := range []int{0, 1, 511, 512, 513, 3 << 20, 16<<20 - 1, 16 << 20, 33 << 20} {
				blobIsWhatWasWritten(t, s, bytes.Repeat([]byte("0123456789abcde\n"), size/16+1)[:size])
			}
			keys, err := s.Keys(t.Context(), "")
			require.NoError(t, err)
			require.Equal(t, []string{"uploads/a"}, keys)
			require.NoError(t, s.Delete(t.Context(), "uploads/a"))
			require.NoError(t, s.Delete(t.Context(), "uploads/a"), "it is gone already")
			_, err = s.Read(t.Context(), "uploads/a", io.Discard)
			require.ErrorIs(t, err, blobs.ErrNotFound)
			for _, size := range []int64{0, 1, 1 << 20, 40 << 20} {
				uploadIsAborted(t, s, size)
			}
			keys, err = s.Keys(t.Context(), "")
			require.NoError(t, err)
			require.Empty(t, keys)
		})
	}
}

func openBlobs(t *testing.T, place string) *blobs.Bucket {
	t.Helper()
	s, err := blobs.Open(t.Context(), blobs.Options{Place: place, OpenBucket: s3store.Open})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

func blobIsWhatWasWritten(t *testing.T, s *blobs.Bucket, data []byte) {
	t.Helper()
	want := blobs.Blob{Key: "uploads/a", Size: int64(len(data)), SHA256: sha256.Sum256(data)}
	put, err := s.Put(t.Context(), want.Key, func(w io.Writer) error { _, err := w.Write(data); return err })
	require.NoError(t, err)
	require.Equal(t, want, put)
	var b bytes.Buffer
	got, err := s.Read(t.Context(), want.Key, &b)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, len(data), b.Len())
}

// uploadIsAborted by the one who writes, and by the one who waits for it.
func uploadIsAborted(t *testing.T, s *blobs.Bucket, size int64) {
	t.Helper()
	broken := errors.New("the caller has no more")
	_, err := s.Put(t.Context(), "uploads/b", func(w io.Writer) error {
		_, err := io.CopyN(w, zeros{}, size)
		return errors.Join(err, broken)
	})
	require.ErrorIs(t, err, broken)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = s.Put(ctx, "uploads/c", func(w io.Writer) error {
		_, err := io.CopyN(w, zeros{}, size)
		cancel()
		return err
	})
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, outage.ErrUnavailable)
}

// TestBlobsOnAFullDisk: what the disk does not take is an error, whatever the
// writer makes of it.
func TestBlobsOnAFullDisk(t *testing.T) {
	t.Parallel()
	nstest.Disk(t, 1<<20, func(t *testing.T, dir string) {
		folder := filepath.Join(dir, "blobs")
		s := openBlobs(t, folder)
		const size = 2 << 20
		for name, write := range map[string]func(io.Writer) error{
			"at once":   func(w io.Writer) error { _, err := w.Write(make([]byte, size)); return err },
			"copied":    func(w io.Writer) error { _, err := io.CopyN(w, zeros{}, size); return err },
			"forgotten": func(w io.Writer) error { _, _ = io.CopyN(w, zeros{}, size); return nil },
		} {
			_, err := s.Put(t.Context(), "audio/a", write)
			require.ErrorIs(t, err, syscall.ENOSPC, name)
			left, err := os.ReadDir(filepath.Join(folder, "audio"))
			require.NoError(t, err)
			assert.Empty(t, left, name)
		}
	})
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
