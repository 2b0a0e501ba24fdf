package blobs_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
)

// holds asserts that a file in parts has the content.
func holds(t *testing.T, b *blobs.Bucket, prefix, content string) {
	t.Helper()
	var got bytes.Buffer
	_, err := b.Read(t.Context(), blobs.WholeKey(prefix, int64(len(content))), &got)
	require.NoError(t, err)
	require.Equal(t, content, got.String())
}

// join joins the parts of a file, and removes those that a joined part has replaced.
func join(t *testing.T, b *blobs.Bucket, prefix string, size, turn int64) {
	t.Helper()
	unused, err := b.JoinParts(t.Context(), blobs.WholeKey(prefix, size), turn)
	require.NoError(t, err)
	for _, key := range unused {
		require.NoError(t, b.Delete(t.Context(), key))
	}
}

// However many requests bring a file, its parts are few, and it stays whole.
func TestJoinedParts(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func() string{
		"folder": func() string { return filepath.Join(t.TempDir(), "blobs") },
		"memory": func() string { return blobs.InMemory },
		"s3":     func() string { return storetest.S3(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := openBlobs(t, place())
			var content string
			for turn := int64(1); turn <= 100; turn++ {
				if turn%8 == 0 {
					join(t, b, "uploads/a", int64(len(content)), turn)
					holds(t, b, "uploads/a", content)
				}
				putPart(t, b, "uploads/a", int64(len(content)), turn, fmt.Sprint(turn%10))
				content += fmt.Sprint(turn % 10)
				keys, err := b.Keys(t.Context(), "")
				require.NoError(t, err)
				require.LessOrEqual(t, len(keys), 2*8+2)
			}
			holds(t, b, "uploads/a", content)
		})
	}
}

// Parts that are large enough stay as they are, and no joined part is larger than PartSize.
func TestPartsThatAreNotJoined(t *testing.T) {
	t.Parallel()
	b := openBlobs(t, blobs.InMemory)
	var content string
	turn := int64(0)
	for _, size := range []int{10, blobs.PartSize - 1, blobs.PartSize / 4, 200 << 10, 200 << 10, 200 << 10, 200 << 10, 200 << 10, 200 << 10, 10} {
		turn++
		some := strings.Repeat(fmt.Sprint(turn%10), size)
		putPart(t, b, "uploads/a", int64(len(content)), turn, some)
		content += some
	}
	_, err := b.JoinParts(t.Context(), blobs.WholeKey("uploads/a", int64(len(content))), 11)
	require.NoError(t, err)
	holds(t, b, "uploads/a", content)
	first := int64(10 + blobs.PartSize - 1 + blobs.PartSize/4)
	var joined []string
	for key := range keysOf(t, b) {
		if strings.HasSuffix(key, "-11") {
			joined = append(joined, key)
		}
	}
	assert.ElementsMatch(t, []string{blobs.PartKey("uploads/a", first, 11), blobs.PartKey("uploads/a", first+5*200<<10, 11)}, joined)
}

func keysOf(t *testing.T, b *blobs.Bucket) map[string]bool {
	t.Helper()
	keys, err := b.Keys(t.Context(), "")
	require.NoError(t, err)
	all := map[string]bool{}
	for _, key := range keys {
		all[key] = true
	}
	return all
}

// A request that joins may be overtaken, or die at any moment. The file stays whole.
func TestJoinsThatAreOvertaken(t *testing.T) {
	t.Parallel()
	b := openBlobs(t, blobs.InMemory)
	for turn, content := range []string{"the ", "wh", "ole"} {
		putPart(t, b, "uploads/a", []int64{0, 4, 6}[turn], int64(turn+1), content)
	}
	putPart(t, b, "uploads/a", 9, 5, " file") // a later request than the one that joins up to byte 9
	join(t, b, "uploads/a", 9, 4)
	holds(t, b, "uploads/a", "the whole file")
	join(t, b, "uploads/a", 14, 6)
	holds(t, b, "uploads/a", "the whole file")
	putPart(t, b, "uploads/a", 0, 4, "the whole") // the slow one again
	holds(t, b, "uploads/a", "the whole file")
	join(t, b, "uploads/a", 14, 7)
	holds(t, b, "uploads/a", "the whole file")
	assert.Len(t, keysOf(t, b), 1, "what no request can record any more is gone")

	_, err := b.JoinParts(t.Context(), blobs.WholeKey("uploads/a", 9), 4)
	require.ErrorIs(t, err, blobs.ErrDamaged, "another request has joined more")
	holds(t, b, "uploads/a", "the whole file")
	_, err = b.JoinParts(t.Context(), blobs.WholeKey("uploads/none", 0), 4)
	require.NoError(t, err, "an upload without a byte")
}
