package ffmpeg

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
)

// mostSpans is how many recordings in one file are read. The bytes of further ones are unread.
const mostSpans = 256

// span is a range of bytes.
type span struct{ from, size int64 }

// spansOf finds the recordings that follow each other in a file. It reads the structure of the
// containers: where a recording ends, and whether another one begins there. A beginning inside
// of sound counts only if the container declares no end, or an end where nothing begins. unread
// is how many bytes belong to no recording and are neither tags nor padding.
func spansOf(path string, size int64) (spans []span, unread int64) {
	f, err := os.Open(path)
	if err != nil {
		return []span{{0, size}}, 0 // ffprobe tells why
	}
	defer f.Close() // only read: nothing can be lost
	c := &cursor{file: f, size: size}
	for at := int64(0); at < size; {
		k := c.kindAt(at)
		if k == nil {
			unread = size - at
			break
		}
		end := min(k.end(c, at), size)
		if end <= at {
			end = size
		}
		if len(spans) == mostSpans {
			unread = size - at
			break
		}
		next := c.afterTags(end)
		if next < size && c.kindAt(next) == nil {
			// The container ends nowhere. Perhaps it is cut off, and another recording begins in it.
			if inside := c.nextFile(at + 1); inside < end {
				end, next = inside, inside
			}
		}
		spans = append(spans, span{at, end - at})
		at = next
	}
	if len(spans) < 2 {
		return []span{{0, size}}, min(unread, size-1) * int64(len(spans))
	}
	return spans, unread
}

// kind is a kind of container whose end can be found.
type kind struct {
	begins func(head []byte) bool
	// end returns where a recording that begins at a place ends: at most the size of the file.
	end func(c *cursor, at int64) int64
}

// headLength is how many bytes tell the kind of a container.
const headLength = 64

func (c *cursor) kindAt(at int64) *kind {
	head := c.get(at, headLength)
	for _, k := range kinds() {
		if k.begins(head) {
			return &k
		}
	}
	return nil
}

// cursor reads a file piece by piece.
type cursor struct {
	file  io.ReaderAt
	size  int64
	cache [1 << 16]byte
	from  int64
	n     int
}

// get returns up to n bytes at a place, fewer at the end of the file. n is at most the size of
// the cache.
func (c *cursor) get(at int64, n int) []byte {
	if at < c.from || at+int64(n) > c.from+int64(c.n) {
		c.from, c.n = at, 0
		if at >= 0 && at < c.size {
			c.n, _ = c.file.ReadAt(c.cache[:min(int64(len(c.cache)), c.size-at)], at) // what is missing is missing
		}
	}
	have := c.cache[min(int64(c.n), at-c.from):c.n]
	return have[:min(n, len(have))]
}

func (c *cursor) be32(at int64) int64 {
	if b := c.get(at, 4); len(b) == 4 {
		return int64(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (c *cursor) le32(at int64) int64 {
	if b := c.get(at, 4); len(b) == 4 {
		return int64(binary.LittleEndian.Uint32(b))
	}
	return 0
}

// be64 and le64 return at most the size of the file and a byte.
func (c *cursor) be64(at int64) int64 {
	if b := c.get(at, 8); len(b) == 8 {
		return int64(min(binary.BigEndian.Uint64(b), uint64(c.size)+1))
	}
	return 0
}

func (c *cursor) le64(at int64) int64 {
	if b := c.get(at, 8); len(b) == 8 {
		return int64(min(binary.LittleEndian.Uint64(b), uint64(c.size)+1))
	}
	return 0
}

// large64 and largeBig64 return a size that is perhaps larger than the file; 0 if it is absurd.
func (c *cursor) large64(at int64) int64 {
	if b := c.get(at, 8); len(b) == 8 {
		return sane(binary.LittleEndian.Uint64(b))
	}
	return 0
}

func (c *cursor) largeBig64(at int64) int64 {
	if b := c.get(at, 8); len(b) == 8 {
		return sane(binary.BigEndian.Uint64(b))
	}
	return 0
}

func sane(size uint64) int64 {
	if size > 1<<45 {
		return 0
	}
	return int64(size)
}

// search returns the first place from at on and before end where mark stands and fits agrees,
// or end. fits gets up to headLength bytes from back bytes before the mark, which is the place.
func (c *cursor) search(at, end int64, mark string, back int64, fits func(head []byte) bool) int64 {
	for from := at; at < end; {
		piece := c.get(at, len(c.cache))
		i := bytes.Index(piece, []byte(mark))
		if i < 0 {
			at += int64(max(1, len(piece)-len(mark)+1))
			continue
		}
		found := at + int64(i)
		if begin := found - back; begin >= from && begin < end && fits(c.get(begin, headLength)) {
			return begin
		}
		at = found + 1
	}
	return end
}

// tagChunks are chunks with texts that programs append behind the end of a RIFF file.
var tagChunks = []string{"LIST", "id3 ", "ID3 ", "bext", "JUNK", "PAD ", "iXML", "_PMX", "cue ", "smpl", "fact"}

// afterTags returns the first place from at on that belongs to no tag and no padding.
func (c *cursor) afterTags(at int64) int64 {
	for at < c.size {
		head := c.get(at, headLength)
		switch {
		case bytes.HasPrefix(head, []byte("TAG")) && c.size-at == 128:
			return c.size
		case bytes.HasPrefix(head, []byte("APETAGEX")):
			at += 32 + c.le32(at+12)
		case isTagChunk(head) && at+8+c.le32(at+4) <= c.size:
			size := c.le32(at + 4)
			at += 8 + size + size%2
		case head[0] == 0 && c.kindAt(at) == nil: // a box begins with its size, and so with zeros
			zeros := 0
			for zeros < len(head) && head[zeros] == 0 {
				zeros++
			}
			at += int64(max(1, zeros-3))
		default:
			return at
		}
	}
	return c.size
}

func isTagChunk(head []byte) bool {
	for _, name := range tagChunks {
		if bytes.HasPrefix(head, []byte(name)) {
			return true
		}
	}
	return false
}
