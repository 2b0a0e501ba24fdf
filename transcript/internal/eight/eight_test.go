package eight_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/internal/eight"
)

// setOf is the plain form: the bytes for which is holds.
func setOf(b []byte, is func(byte) bool) (s eight.Set) {
	for i, c := range b[:8] {
		if is(c) {
			s |= 0x80 << (8 * i)
		}
	}
	return s
}

// check compares each operation with its plain form.
func check(t *testing.T, b []byte, c byte) {
	t.Helper()
	v := eight.Load(b)
	require.Equal(t, v, eight.Load(string(b)))
	below := setOf(b, func(d byte) bool { return d < c })
	require.Equal(t, below, v.Below(c), "%q below %q", b, c)
	require.Equal(t, setOf(b, func(d byte) bool { return d == c }), v.Equal(c), "%q equal %q", b, c)
	require.Equal(t, setOf(b, func(d byte) bool { return d >= 0x80 }), v.Wide(), "%q", b)
	first := 0
	for first < 8 && b[first] >= c {
		first++
	}
	require.Equal(t, first, below.First(), "%q", b)
	for i := range 8 {
		require.Equal(t, i < 7 && b[i+1] < c, below.Before()>>(8*i)&0x80 != 0, "%q at %d", b, i)
	}
	require.Equal(t, below == 0x8080808080808080, below.All())
}

// Every byte beside every other, at every place, against every ASCII character.
func TestEveryByte(t *testing.T) {
	t.Parallel()
	for c := range byte(0x80) {
		for d := range 256 {
			b := []byte{byte(d), c, byte(d) + 1, c + 1, byte(d) - 1, c - 1, 0xFF, byte(d)}
			v := eight.Load(b)
			if v.Below(c) != setOf(b, func(e byte) bool { return e < c }) || v.Equal(c) != setOf(b, func(e byte) bool { return e == c }) {
				check(t, b, c)
			}
		}
	}
	assert.Equal(t, 8, eight.Set(0).First())
}

func FuzzSets(f *testing.F) {
	f.Add([]byte("a word &"), byte('&'))
	f.Add([]byte("\x00\x7f\x80\xff< >>"), byte(' '))
	f.Fuzz(func(t *testing.T, b []byte, c byte) {
		if len(b) >= 8 {
			check(t, b, c&0x7F)
		}
	})
}
