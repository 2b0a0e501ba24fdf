package blobs_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
)

// putPart stores a part, and asserts that it is whole.
func putPart(t *testing.T, b *blobs.Bucket, prefix string, offset, turn int64, content string) {
	t.Helper()
	size, ended, err := b.PutPart(t.Context(), blobs.PartKey(prefix, offset, turn), strings.NewReader(content))
	require.NoError(t, err)
	require.ErrorIs(t, ended, io.EOF)
	require.Equal(t, int64(len(content)), size)
}

// A file in parts is read, and removed, as one blob, on every kind of store.
func TestFileInParts(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func() string{
		"folder": func() string { return filepath.Join(t.TempDir(), "blobs") },
		"memory": func() string { return blobs.InMemory },
		"s3":     func() string { return storetest.S3(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := openBlobs(t, place())
			putPart(t, b, "uploads/a", 0, 1, "the ")
			putPart(t, b, "uploads/a", 4, 1, "lost")       // its request has died before it was recorded
			putPart(t, b, "uploads/a", 4, 10, "whole")     // by the request that was recorded
			putPart(t, b, "uploads/a", 4, 9, "late words") // of a request that was silent for long
			putPart(t, b, "uploads/a", 9, 11, " file")
			putPart(t, b, "uploads/a", 14, 12, "beyond the end")
			putPart(t, b, "uploads/ab", 0, 1, "another file")

			var got bytes.Buffer
			key := blobs.WholeKey("uploads/a", 14)
			whole, err := b.Read(t.Context(), key, &got)
			require.NoError(t, err)
			require.Equal(t, "the whole file", got.String())
			assert.Equal(t, blobs.Blob{Key: key, Size: 14, SHA256: sha256.Sum256(got.Bytes())}, whole)

			require.NoError(t, b.Delete(t.Context(), key))
			keys, err := b.Keys(t.Context(), "uploads/")
			require.NoError(t, err)
			assert.Equal(t, []string{blobs.PartKey("uploads/ab", 0, 1)}, keys)
			_, err = b.Read(t.Context(), key, io.Discard)
			require.ErrorIs(t, err, blobs.ErrNotFound)
			require.NoError(t, b.Delete(t.Context(), key), "it is gone already")
		})
	}
}

// Parts that do not add up to the file are damage, and never another recording.
func TestDamagedParts(t *testing.T) {
	t.Parallel()
	for name, parts := range map[string]map[int64]string{
		"the first is missing":  {4: "whole file"},
		"one is missing":        {0: "the ", 9: " file"},
		"the last is missing":   {0: "the ", 4: "whole"},
		"one is too short":      {0: "the", 4: "whole file"},
		"one is too long":       {0: "the w", 4: "whole file"},
		"the last is too short": {0: "the ", 4: "whole fil"},
		"the last is too long":  {0: "the ", 4: "whole files"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := openBlobs(t, blobs.InMemory)
			for offset, content := range parts {
				putPart(t, b, "uploads/a", offset, 1, content)
			}
			_, err := b.Read(t.Context(), blobs.WholeKey("uploads/a", 14), io.Discard)
			require.ErrorIs(t, err, blobs.ErrDamaged)
		})
	}
}

// A part that is cut short after it was stored is damage too.
func TestPartThatHasShrunk(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "blobs")
	b := openBlobs(t, dir)
	putPart(t, b, "uploads/a", 0, 1, "the whole file")
	require.NoError(t, os.Truncate(filepath.Join(dir, "uploads", "a+000000000000000-1"), 13))
	_, err := b.Read(t.Context(), blobs.WholeKey("uploads/a", 14), io.Discard)
	require.ErrorIs(t, err, blobs.ErrDamaged)
}

// An incomplete part of a process that has died is no part, and goes with the file.
func TestIncompletePartIsNoPart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "blobs")
	b := openBlobs(t, dir)
	putPart(t, b, "uploads/a", 0, 1, "file")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "uploads", "a+000000000000000-2.18a.tmp"), []byte("fi"), 0o600))
	var got bytes.Buffer
	_, err := b.Read(t.Context(), blobs.WholeKey("uploads/a", 4), &got)
	require.NoError(t, err)
	require.Equal(t, "file", got.String())
	require.NoError(t, b.Delete(t.Context(), blobs.WholeKey("uploads/a", 4)))
	keys, err := b.Keys(t.Context(), "")
	require.NoError(t, err)
	assert.Empty(t, keys)
}

// A part ends where its body ends or fails, and after PartSize bytes.
func TestPutPart(t *testing.T) {
	t.Parallel()
	cut := errors.New("the line is cut")
	for name, c := range map[string]struct {
		body  io.Reader
		size  int64
		ended error
	}{
		"nothing":             {strings.NewReader(""), 0, io.EOF},
		"a cut at once":       {iotest.ErrReader(cut), 0, cut},
		"a byte":              {strings.NewReader("a"), 1, io.EOF},
		"a byte, then a cut":  {io.MultiReader(strings.NewReader("a"), iotest.ErrReader(cut)), 1, cut},
		"bytes one by one":    {iotest.OneByteReader(strings.NewReader("abc")), 3, io.EOF},
		"data with its error": {iotest.DataErrReader(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(cut))), 3, cut},
		"one less":            {zeroBytes(blobs.PartSize - 1), blobs.PartSize - 1, io.EOF},
		"a whole part":        {zeroBytes(blobs.PartSize), blobs.PartSize, nil},
		"more":                {zeroBytes(blobs.PartSize + 1), blobs.PartSize, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := openBlobs(t, blobs.InMemory)
			size, ended, err := b.PutPart(t.Context(), "uploads/a+0-1", c.body)
			require.NoError(t, err)
			assert.Equal(t, c.size, size)
			require.ErrorIs(t, ended, c.ended)
			keys, err := b.Keys(t.Context(), "")
			require.NoError(t, err)
			assert.Len(t, keys, int(min(size, 1)), "no byte makes no part")
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := openBlobs(t, blobs.InMemory).PutPart(ctx, "uploads/a+0-1", strings.NewReader("a"))
	require.Error(t, err)
}

func zeroBytes(n int64) io.Reader { return bytes.NewReader(make([]byte, n)) }
