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

// clock is the plain form of Clock.
func clock(b []byte) (ms int64, ok bool) {
	unit := map[int]int64{0: 36e6, 1: 36e5, 3: 6e5, 4: 6e4, 6: 1e4, 7: 1e3, 9: 100, 10: 10, 11: 1}
	for i, c := range b[:12] {
		switch {
		case unit[i] > 0 && '0' <= c && c <= '9':
			ms += int64(c-'0') * unit[i]
		case unit[i] > 0, i != 8 && c != ':':
			return 0, false
		}
	}
	return ms, true
}

func checkClock(t *testing.T, b []byte) {
	t.Helper()
	want, valid := clock(b)
	ms, ok := eight.Clock(b)
	require.Equal(t, valid, ok, "%q", b)
	if ok {
		require.Equal(t, want, ms, "%q", b)
	}
}

// Every byte at every place of a time.
func TestClock(t *testing.T) {
	t.Parallel()
	for i := range 12 {
		for c := range 256 {
			for _, s := range []string{"01:02:03.456", "98:99:87,999", "00:00:00.000"} {
				b := []byte(s)
				b[i] = byte(c)
				checkClock(t, b)
			}
		}
	}
}

func FuzzClock(f *testing.F) {
	f.Add([]byte("01:02:03.456"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= 12 {
			checkClock(t, b)
		}
	})
}
