package db_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/disktest"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

func TestABlobIsWhatWasWritten(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, dbtest.SQLite(t))
	for _, size := range []int{0, 1, 511, 512, 513, 3 << 20} {
		data := bytes.Repeat([]byte("x"), size)
		want := db.Blob{Key: "uploads/a", Size: int64(size), SHA256: sha256.Sum256(data)}
		put, err := s.PutBlob(t.Context(), want.Key, func(w io.Writer) error { _, err := w.Write(data); return err })
		require.NoError(t, err)
		require.Equal(t, want, put)
		var b bytes.Buffer
		got, err := s.ReadBlob(t.Context(), want.Key, &b)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, size, b.Len())
	}
	require.NoError(t, s.DeleteBlob(t.Context(), "uploads/a"))
	require.NoError(t, s.DeleteBlob(t.Context(), "uploads/a"), "it is gone already")
	_, err := s.ReadBlob(t.Context(), "uploads/a", io.Discard)
	require.ErrorIs(t, err, db.ErrNotFound)

	broken := errors.New("the caller has no more")
	_, err = s.PutBlob(t.Context(), "uploads/b", func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20))
		return errors.Join(err, broken)
	})
	require.ErrorIs(t, err, broken)
	keys, err := s.BlobKeys(t.Context(), "")
	require.NoError(t, err)
	require.Empty(t, keys)
}

// TestBlobsOnAFullDisk: what the disk does not take is an error, whatever the
// writer makes of it.
func TestBlobsOnAFullDisk(t *testing.T) {
	t.Parallel()
	disktest.Run(t, 1<<20, func(t *testing.T, dir string) {
		o := dbtest.SQLite(t)
		o.Blobs = filepath.Join(dir, "blobs")
		s := dbtest.Open(t, o)
		const size = 2 << 20
		for name, write := range map[string]func(io.Writer) error{
			"at once":   func(w io.Writer) error { _, err := w.Write(make([]byte, size)); return err },
			"copied":    func(w io.Writer) error { _, err := io.CopyN(w, zeros{}, size); return err },
			"forgotten": func(w io.Writer) error { _, _ = io.CopyN(w, zeros{}, size); return nil },
		} {
			_, err := s.PutBlob(t.Context(), "audio/a", write)
			require.ErrorIs(t, err, syscall.ENOSPC, name)
			left, err := os.ReadDir(filepath.Join(o.Blobs, "audio"))
			require.NoError(t, err)
			assert.Empty(t, left, name)
		}
	})
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
