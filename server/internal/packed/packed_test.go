package packed_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/server/internal/packed"
)

// unzip reads one gzip member, with nothing behind it.
func unzip(t require.TestingT, member []byte) []byte {
	in := bytes.NewReader(member)
	r, err := gzip.NewReader(in)
	require.NoError(t, err)
	r.Multistream(false)
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Zero(t, in.Len())
	return text
}

// kinds are how a part of an answer comes about.
var kinds = map[string]func(t require.TestingT, b []byte) *packed.Bytes{
	"raw":    func(_ require.TestingT, b []byte) *packed.Bytes { return packed.Raw(b) },
	"packed": func(_ require.TestingT, b []byte) *packed.Bytes { return packed.Pack(b) },
	"stored": func(t require.TestingT, b []byte) *packed.Bytes {
		stored, err := packed.Stored(packed.Pack(b).Gzip())
		require.NoError(t, err)
		return stored
	},
}

// Whatever an answer is made of, it is one member with the right checksum and length.
func TestJoinIsOneMember(t *testing.T) {
	t.Parallel()
	sizes := rapid.OneOf(rapid.IntRange(0, 300), rapid.SampledFrom([]int{1<<15 + 1, 1<<16 - 1, 1 << 16, 200_000}))
	rapid.Check(t, func(t *rapid.T) {
		var whole []byte
		var parts []*packed.Bytes
		for range rapid.IntRange(0, 6).Draw(t, "parts") {
			seed := rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "text")
			b := bytes.Repeat(seed, 1+200_000/len(seed))[:sizes.Draw(t, "size")]
			kind := rapid.SampledFrom([]string{"raw", "packed", "stored"}).Draw(t, "kind")
			parts, whole = append(parts, kinds[kind](t, b)), append(whole, b...)
		}
		require.Equal(t, string(whole), string(unzip(t, packed.NewBody(parts...).Gzip())))
	})
}

// Others read it too: a reader that takes a member and asks for what is left over.
func TestJoinForZlib(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	text := segments()
	cmd := exec.CommandContext(t.Context(), python, "-c", `import sys, zlib
d = zlib.decompressobj(31)
sys.stdout.buffer.write(d.decompress(sys.stdin.buffer.read()) + d.flush())
assert d.eof and not d.unused_data`)
	cmd.Stdin = bytes.NewReader(packed.NewBody(packed.Raw([]byte("<head>")), packed.Pack(text), packed.Raw([]byte("<tail>"))).Gzip())
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, "<head>"+string(text)+"<tail>", string(out))
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for kind, make := range kinds {
		for _, text := range []string{"", "a", string(segments())} {
			b := make(t, []byte(text))
			require.Equal(t, len(text), b.Len(), kind)
			require.Equal(t, kind != "raw", b.Packed(), kind)
			var readers sync.WaitGroup
			for range 4 {
				readers.Go(func() {
					plain, err := b.Plain()
					assert.NoError(t, err)
					assert.Equal(t, text, string(plain), kind)
				})
			}
			readers.Wait()
		}
	}
	var none *packed.Bytes
	plain, err := none.Plain()
	require.NoError(t, err)
	require.Nil(t, plain)
	require.Zero(t, none.Len())
	require.Nil(t, none.Gzip())
	require.Nil(t, packed.Pack(nil))
}

// What is stored may be damaged.
func TestDamage(t *testing.T) {
	t.Parallel()
	const text = "four score and seven years ago"
	whole := packed.Pack([]byte(text)).Gzip()
	for n := range 20 {
		_, err := packed.Stored(make([]byte, n))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	}
	for i := range whole {
		if i >= 3 && i < 10 {
			continue // flags, time and system: they say nothing of the bytes
		}
		bad := slices.Clone(whole)
		bad[i] ^= 0x10
		b, err := packed.Stored(bad)
		if err == nil {
			var plain []byte
			if plain, err = b.Plain(); string(plain) == text {
				continue // the bit means nothing
			}
		}
		require.Error(t, err, "byte %d", i)
	}
}
