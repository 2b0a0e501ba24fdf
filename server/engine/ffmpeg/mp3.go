package ffmpeg

import (
	"bytes"
	"encoding/binary"
	"os"
)

// mp3Count is what the frames of an MP3 file tell. The header of the file often tells something
// else, because programs that glue or cut files do not change the header.
type mp3Count struct {
	seconds float64
	frames  int64
	bytes   int64 // of the frames
	strange int64 // bytes that belong to no frame and no tag
	// grows reports that one channel becomes two on the way.
	grows bool
	// broken reports that the file ends inside of a frame.
	broken bool
	// headFrames, headBytes and headSeconds are what the header announces; 0: nothing.
	headFrames, headBytes int64
	headSeconds           float64
}

// cutOff returns how many seconds a file announces that is cut off, or 0. A header that
// announces too many frames is no evidence. The file must also have fewer bytes than its
// header announces, of about the same size for a frame, and it must end inside of a frame.
func (m mp3Count) cutOff() float64 {
	if !m.broken || m.frames == 0 || m.headFrames <= m.frames || m.headBytes <= m.bytes {
		return 0
	}
	announced, held := float64(m.headBytes)/float64(m.headFrames), float64(m.bytes)/float64(m.frames)
	if announced < held/2 || announced > held*2 {
		return 0
	}
	return m.headSeconds
}

// mp3Frame is the head of a frame.
type mp3Frame struct {
	kind    uint32 // the bits that frames of one recording share
	rate    int64
	length  int64
	samples int64
	mono    bool
	lowRate bool // MPEG-2
}

// mp3Rates are the bit rates in kbit/s by layer, for MPEG-1 and then for MPEG-2.
var mp3Rates = [2][3][16]int64{
	{
		{0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448},
		{0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
		{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
	},
	{
		{0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256},
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
	},
}

func readMP3Frame(b []byte) (f mp3Frame, ok bool) {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe0 != 0xe0 {
		return f, false
	}
	h := binary.BigEndian.Uint32(b)
	version, layer := h>>19&3, 4-int(h>>17&3) // layer 4 is none
	if version == 1 || layer == 4 || h>>10&3 == 3 {
		return f, false
	}
	f.lowRate = version != 3
	low := 0
	f.rate = [3]int64{44100, 48000, 32000}[h>>10&3]
	if f.lowRate {
		low = 1
		f.rate /= 2
	}
	if version == 0 {
		f.rate /= 2
	}
	bits := mp3Rates[low][layer-1][h>>12&15] * 1000
	if bits == 0 {
		return f, false
	}
	padding := int64(h >> 9 & 1)
	switch {
	case layer == 1:
		f.samples, f.length = 384, (12*bits/f.rate+padding)*4
	case layer == 3 && f.lowRate:
		f.samples, f.length = 576, 72*bits/f.rate+padding
	default:
		f.samples, f.length = 1152, 144*bits/f.rate+padding
	}
	f.kind, f.mono = h>>17&0xf, h>>6&3 == 3
	return f, f.length > 4
}

// countMP3 walks over the frames of a part of a file. It reads the head of each frame, and
// decodes nothing.
func countMP3(p *part) (m mp3Count, ok bool) {
	f, err := os.Open(p.path)
	if err != nil {
		return m, false
	}
	defer f.Close() // only read: nothing can be lost
	c := &cursor{file: f, size: p.from + p.size}
	mono := false
	for at := p.from; at < c.size; {
		head := c.get(at, 10)
		frame, is := readMP3Frame(head)
		switch {
		case is && at+frame.length > c.size:
			m.broken = true
			at = c.size
		case is:
			if m.frames == 0 && m.head(c.get(at, 64), frame) {
				at += frame.length
				continue
			}
			m.grows = m.grows || mono && !frame.mono
			mono = mono || frame.mono
			m.frames++
			m.bytes += frame.length
			m.seconds += float64(frame.samples) / float64(frame.rate)
			at += frame.length
		case bytes.HasPrefix(head, []byte("ID3")) && len(head) == 10:
			at += id3Size(head)
		case bytes.HasPrefix(head, []byte("TAG")) && c.size-at <= 128:
			at = c.size
		case bytes.HasPrefix(head, []byte("APETAGEX")):
			at += 32 + c.le32(at+12)
		default:
			next := c.nextMP3Frame(at + 1)
			m.strange += next - at
			at = next
		}
	}
	return m, m.frames > 0 && m.strange < p.size/2
}

// endOfMP3 returns where another container begins behind the frames of an MP3. It ignores bytes
// inside a frame that look like a container. For any other format, it returns the size of the file.
func endOfMP3(c *cursor, at int64) int64 {
	if _, is := readMP3Frame(c.get(at, 10)); !is {
		return c.size
	}
	file := int64(-1) // the next place where a container begins; -1 means not looked for
	for at < c.size {
		head := c.get(at, 10)
		if frame, is := readMP3Frame(head); is {
			at += frame.length
			continue
		}
		if bytes.HasPrefix(head, []byte("ID3")) && len(head) == 10 {
			at += id3Size(head)
			continue
		}
		next := c.nextMP3Frame(at + 1)
		if file < at {
			file = c.nextFile(at)
		}
		if file < next {
			return file
		}
		at = next
	}
	return c.size
}

// nextMP3Frame returns where the next frame begins behind strange bytes: one that is followed
// by another of its kind.
func (c *cursor) nextMP3Frame(at int64) int64 {
	for at < c.size {
		piece := c.get(at, 1<<15)
		i := bytes.IndexByte(piece, 0xff)
		if i < 0 {
			at += int64(len(piece))
			continue
		}
		at += int64(i)
		if f, ok := readMP3Frame(c.get(at, 4)); ok {
			g, next := readMP3Frame(c.get(at+f.length, 4))
			if next && g.kind == f.kind && g.rate == f.rate {
				return at
			}
		}
		at++
	}
	return c.size
}

// head reads what the first frame announces, if it is a header (Xing or Info).
func (m *mp3Count) head(b []byte, f mp3Frame) bool {
	at := 36
	switch {
	case f.lowRate && f.mono:
		at = 13
	case f.lowRate || f.mono:
		at = 21
	}
	if len(b) < at+16 || string(b[at:at+4]) != "Xing" && string(b[at:at+4]) != "Info" {
		return false
	}
	flags := binary.BigEndian.Uint32(b[at+4:])
	if flags&1 != 0 {
		m.headFrames = int64(binary.BigEndian.Uint32(b[at+8:]))
		if flags&2 != 0 {
			m.headBytes = int64(binary.BigEndian.Uint32(b[at+12:]))
		}
	}
	m.headSeconds = float64(m.headFrames*f.samples) / float64(f.rate)
	return true
}

// id3Size returns how long an ID3 tag is, from its first ten bytes.
func id3Size(head []byte) int64 {
	size := int64(10)
	for i, b := range head[6:10] {
		size += int64(b&0x7f) << (7 * (3 - i))
	}
	return size
}
