package pasttext

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/maphash"
	"io"

	"github.com/transcriptkit/transcriptkit/server/internal/packed"
)

// A difference makes an older text from the next newer one. It begins with the checksum of the older
// text and with its length. Steps follow, each of four parts: how far to move in the newer text since
// the last copy (signed), how many bytes to copy from there, the number of new bytes, and the new bytes.
//
// A stored difference is mark and the gzip of the difference. A program that knows only whole texts
// refuses it, because it does not begin like a gzip, so the program cannot return a wrong text. The
// last four bytes are the length of the difference, as in a gzip: package librarysize uses them for
// its count.
const mark = 'd'

// A text of at least large bytes becomes a difference if the difference has at most 1/worth of its bytes.
const (
	large = 64 << 10
	worth = 4
)

// mostText is the longest text that a difference may make, in bytes: much longer than any stored
// text.
const mostText = 1 << 30

func isDifference(stored []byte) bool { return len(stored) > 0 && stored[0] == mark }

// difference returns what to store in place of the older text, or nil if the whole text
// stays.
func difference(older, newer *packed.Bytes) ([]byte, error) {
	if older.Len() < large {
		return nil, nil
	}
	was, err := older.Plain()
	if err != nil {
		return nil, err
	}
	is, err := newer.Plain()
	if err != nil {
		return nil, err
	}
	d := compare(was, is, len(was)/worth)
	if d == nil {
		return nil, nil
	}
	return append([]byte{mark}, packed.Pack(d).Gzip()...), nil
}

// older returns the text that a stored difference makes from the newer text.
func older(stored, newer []byte) ([]byte, error) {
	gzip, err := packed.Stored(stored[1:])
	if err != nil {
		return nil, err
	}
	d, err := gzip.Plain()
	if err != nil {
		return nil, err
	}
	text, err := apply(d, newer)
	if err != nil {
		return nil, fmt.Errorf("pasttext: a difference: %w", err)
	}
	return text, nil
}

// compare returns the difference that makes was from is, or nil if it would have more than most
// bytes.
func compare(was, is []byte, most int) []byte {
	c := &comparison{is: cut(is), d: binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(was))}
	c.d = binary.AppendUvarint(c.d, uint64(len(was)))
	old := cut(was)
	next := 0 // the expected line of is
	for i := range old.lines() {
		line := old.line(i)
		same := next < c.is.lines() && bytes.Equal(line, c.is.line(next))
		if !same {
			if at, found := c.find(line); found {
				next, same = at, true
			}
		}
		switch {
		case same:
			c.copy(c.is.start(next), len(line))
		case next < c.is.lines():
			c.change(line, c.is.line(next), c.is.start(next))
		default:
			c.put(line)
		}
		next++
		if len(c.d)+len(c.fresh) > most {
			return nil
		}
	}
	c.step()
	return c.d
}

// comparison is a difference that is being made.
type comparison struct {
	is     pieces
	seed   maphash.Seed
	places map[uint64]int // of the lines of is, by their hashes; -1 if there are several; nil if not yet needed
	d      []byte

	// The current step.
	end        int // of the copy in the previous step
	from, size int // what to copy
	fresh      []byte
}

// find returns the place of a line that occurs once in is. A line that occurs more often does
// not show where the text continues.
func (c *comparison) find(line []byte) (at int, found bool) {
	if c.places == nil {
		c.seed, c.places = maphash.MakeSeed(), make(map[uint64]int, c.is.lines())
		for i := range c.is.lines() {
			hash := maphash.Bytes(c.seed, c.is.line(i))
			if _, twice := c.places[hash]; twice {
				c.places[hash] = -1
			} else {
				c.places[hash] = i
			}
		}
	}
	at, found = c.places[maphash.Bytes(c.seed, line)]
	return at, found && at >= 0 && bytes.Equal(line, c.is.line(at))
}

// change adds a line that has the same beginning and end as the newer line at a place,
// and another middle.
func (c *comparison) change(line, newer []byte, place int) {
	first := 0
	for first < min(len(line), len(newer)) && line[first] == newer[first] {
		first++
	}
	last := 0
	for last < min(len(line), len(newer))-first && line[len(line)-1-last] == newer[len(newer)-1-last] {
		last++
	}
	c.copy(place, first)
	c.put(line[first : len(line)-last])
	c.copy(place+len(newer)-last, last)
}

func (c *comparison) copy(from, size int) {
	if size == 0 {
		return
	}
	if len(c.fresh) > 0 || from != c.from+c.size {
		c.step()
		c.from = from
	}
	c.size += size
}

func (c *comparison) put(fresh []byte) { c.fresh = append(c.fresh, fresh...) }

// step ends a step.
func (c *comparison) step() {
	if c.size > 0 || len(c.fresh) > 0 {
		c.d = binary.AppendVarint(c.d, int64(c.from-c.end))
		c.d = binary.AppendUvarint(c.d, uint64(c.size))
		c.d = binary.AppendUvarint(c.d, uint64(len(c.fresh)))
		c.d = append(c.d, c.fresh...)
		c.end = c.from + c.size
	}
	c.from, c.size, c.fresh = c.end, 0, c.fresh[:0]
}

// pieces divides a text into lines. A line ends after a brace, as a line or a word of the
// JSON does.
type pieces struct {
	all  []byte
	ends []int
}

func cut(all []byte) pieces {
	t := pieces{all: all, ends: make([]int, 0, bytes.Count(all, []byte{'}'})+1)}
	for at := 0; at < len(all); {
		n := bytes.IndexByte(all[at:], '}') + 1
		if n == 0 {
			n = len(all) - at
		}
		at += n
		t.ends = append(t.ends, at)
	}
	return t
}

func (t pieces) lines() int        { return len(t.ends) }
func (t pieces) line(i int) []byte { return t.all[t.start(i):t.ends[i]] }

func (t pieces) start(i int) int {
	if i == 0 {
		return 0
	}
	return t.ends[i-1]
}

// errWrong means that a difference is damaged, or belongs to another text.
var errWrong = errors.New("it does not belong to the newer text")

// apply returns the text that a difference makes from the newer text.
func apply(d, newer []byte) ([]byte, error) {
	r := bytes.NewReader(d)
	var sum [4]byte
	if _, err := io.ReadFull(r, sum[:]); err != nil {
		return nil, errWrong
	}
	length, err := binary.ReadUvarint(r)
	if err != nil || length > mostText {
		return nil, errWrong
	}
	out := make([]byte, 0, length)
	for at := int64(0); r.Len() > 0; {
		move, err1 := binary.ReadVarint(r)
		size, err2 := binary.ReadUvarint(r)
		fresh, err3 := binary.ReadUvarint(r)
		if at += move; errors.Join(err1, err2, err3) != nil || at < 0 || at > int64(len(newer)) ||
			size > uint64(int64(len(newer))-at) || fresh > uint64(r.Len()) || uint64(len(out))+size+fresh > length {
			return nil, errWrong
		}
		out = append(out, newer[at:at+int64(size)]...)
		at += int64(size)
		begin := len(d) - r.Len()
		out = append(out, d[begin:begin+int(fresh)]...)
		_, _ = r.Seek(int64(fresh), io.SeekCurrent) // never fails: the bytes are in memory
	}
	if uint64(len(out)) != length || crc32.ChecksumIEEE(out) != binary.LittleEndian.Uint32(sum[:]) {
		return nil, errWrong
	}
	return out, nil
}
