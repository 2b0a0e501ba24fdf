package blobs_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/outage"
)

// A range is the bytes that are asked for, as far as the blob has them, on every kind of store.
func TestRange(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte("0123456789"), 100_000)
	for name, place := range map[string]func() string{
		"folder": func() string { return filepath.Join(t.TempDir(), "blobs") },
		"memory": func() string { return blobs.InMemory },
		"s3":     func() string { return storetest.S3(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openBlobs(t, place())
			_, err := s.Put(t.Context(), "uploads/a", func(w io.Writer) error { _, err := w.Write(data); return err })
			require.NoError(t, err)
			for _, c := range []struct {
				offset, length int64
				want           []byte
			}{
				{0, -1, data}, {0, 1, data[:1]}, {999_999, 1, data[999_999:]}, {5, 10, data[5:15]}, {500_000, -1, data[500_000:]},
				{999_990, 500, data[999_990:]}, {0, 1 << 40, data},
			} {
				r, err := s.Range(t.Context(), "uploads/a", c.offset, c.length)
				require.NoError(t, err)
				got, err := io.ReadAll(r)
				require.NoError(t, err)
				require.NoError(t, r.Close())
				require.True(t, bytes.Equal(c.want, got), "%d bytes from %d on", c.length, c.offset)
			}
			_, err = s.Range(t.Context(), "uploads/b", 0, 1)
			require.ErrorIs(t, err, blobs.ErrNotFound)

			ctx, cancel := context.WithCancel(t.Context())
			r, err := s.Range(ctx, "uploads/a", 0, -1)
			require.NoError(t, err)
			cancel()
			_, err = io.Copy(io.Discard, r)
			if err != nil { // a reader may hold the rest already
				require.ErrorIs(t, err, context.Canceled)
			}
			require.NoError(t, r.Close())
		})
	}
}

// A range of a faulty object store is an error that passes, and no short file.
func TestRangeOfAFaultyObjectStore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault answer
		want  error
	}{
		"cut":       {halfAnswer, outage.ErrUnavailable},
		"slow down": {refuse(503, "SlowDown"), outage.ErrUnavailable},
		"gone":      {refuse(404, "NoSuchKey"), blobs.ErrNotFound},
		"silent":    {silence, outage.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openBlobs(t, disturbed(t, storetest.NewBucket(t), fault{isObject(http.MethodGet), 0, c.fault}))
			s.SetPatience(2 * time.Second)
			_, err := s.Put(t.Context(), "uploads/a", func(w io.Writer) error { _, err := io.CopyN(w, zeros{}, 1<<20); return err })
			require.NoError(t, err)
			r, err := s.Range(t.Context(), "uploads/a", 10, 1<<19)
			if err == nil {
				_, err = io.Copy(io.Discard, r)
				assert.NoError(t, r.Close())
			}
			require.ErrorIs(t, err, c.want)
		})
	}
}

// A range of a file in parts runs over their borders.
func TestRangeOfParts(t *testing.T) {
	t.Parallel()
	data := []byte("0123456789abcdefghij")
	for name, place := range map[string]func() string{
		"folder": func() string { return filepath.Join(t.TempDir(), "blobs") },
		"s3":     func() string { return storetest.S3(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openBlobs(t, place())
			for _, part := range [][2]int64{{0, 7}, {7, 8}, {8, 20}} {
				_, _, err := s.PutPart(t.Context(), blobs.PartKey("uploads/a", part[0], 1), bytes.NewReader(data[part[0]:part[1]]))
				require.NoError(t, err)
			}
			whole := blobs.WholeKey("uploads/a", int64(len(data)))
			for first := range int64(len(data)) {
				for _, length := range []int64{1, 2, 7, 14, -1, 1000} {
					r, err := s.Range(t.Context(), whole, first, length)
					require.NoError(t, err)
					got, err := io.ReadAll(r)
					require.NoError(t, err)
					require.NoError(t, r.Close())
					last := int64(len(data))
					if length > 0 {
						last = min(last, first+length)
					}
					require.Equal(t, string(data[first:last]), string(got), "%d bytes from %d on", length, first)
				}
			}
			require.NoError(t, s.Delete(t.Context(), blobs.PartKey("uploads/a", 7, 1)))
			_, err := s.Range(t.Context(), whole, 0, -1)
			require.ErrorIs(t, err, blobs.ErrDamaged)
			require.NoError(t, s.Delete(t.Context(), whole))
			_, err = s.Range(t.Context(), whole, 0, -1)
			require.ErrorIs(t, err, blobs.ErrNotFound)
		})
	}
}
