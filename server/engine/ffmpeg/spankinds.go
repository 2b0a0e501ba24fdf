package ffmpeg

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// kinds returns the containers that may follow each other in a file. ffmpeg itself reads MP3,
// ADTS and MPEG streams that follow each other. An MP3 ends where another container begins, the
// other streams end with the file.
func kinds() []kind {
	return []kind{
		{begins: isMatroska, end: endOfMatroska},
		{begins: isBoxes, end: endOfBoxes},
		{begins: isRIFF, end: endOfRIFF},
		{begins: prefix("fLaC"), end: endOfFLAC},
		{begins: prefix("OggS\x00"), end: endOfOgg},
		{begins: prefix("FORM"), end: func(c *cursor, at int64) int64 { return at + 8 + c.be32(at+4) }},
		{begins: prefix(wave64), end: func(c *cursor, at int64) int64 { return at + c.le64(at+16) }},
		{begins: isAU, end: endOfAU},
		{begins: prefix("caff\x00\x01"), end: endOfCAF},
		{begins: prefix("#!AMR"), end: endOfAMR},
		{begins: prefix("FLV\x01"), end: endOfFLV},
		{begins: prefix(asfHeader), end: endOfASF},
		{begins: prefix("ID3"), end: endOfTagged},
		{begins: isFrames, end: endOfMP3},
	}
}

const (
	wave64    = "riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\x00\x00"
	asfHeader = "\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"
)

func prefix(s string) func([]byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(s)) }
}

// isFrames reports whether head may be a frame of MP3, ADTS or AC-3, or a packet of an MPEG
// stream. Other bytes may look like them, and ffprobe then finds no recording.
func isFrames(head []byte) bool {
	return len(head) > 2 && (head[0] == 0xff && head[1]&0xe0 == 0xe0 || head[0] == 0x0b && head[1] == 0x77 ||
		bytes.HasPrefix(head, []byte("\x00\x00\x01\xba")))
}

// endOfTagged finds the end of what is behind an ID3 tag.
func endOfTagged(c *cursor, at int64) int64 {
	head := c.get(at, 10)
	if len(head) < 10 {
		return c.size
	}
	behind := at + id3Size(head)
	if prefix("fLaC")(c.get(behind, 4)) {
		return endOfFLAC(c, behind)
	}
	return endOfMP3(c, behind)
}

func isRIFF(head []byte) bool {
	return len(head) >= 12 && (bytes.HasPrefix(head, []byte("RIFF")) || bytes.HasPrefix(head, []byte("RF64"))) &&
		(string(head[8:12]) == "WAVE" || string(head[8:12]) == "AVI ")
}

// startsWAV reports whether head is the beginning of a WAV and nothing else: it is used among
// samples.
func startsWAV(head []byte) bool {
	return isRIFF(head) && len(head) >= 36 && string(head[8:16]) == "WAVEfmt " &&
		binary.LittleEndian.Uint32(head[16:]) <= 64 && head[22] > 0 && head[23] == 0
}

// endOfRIFF takes the end that the header declares. A WAV that declares none, or one behind the
// end of the file, ends where another one begins.
func endOfRIFF(c *cursor, at int64) int64 {
	if string(c.get(at+8, 4)) == "AVI " {
		end := at + 8 + c.le32(at+4)
		for end < c.size && string(c.get(end, 4)) == "RIFF" && string(c.get(end+8, 4)) == "AVIX" {
			end += 8 + c.le32(end+4)
		}
		return end
	}
	size, begin := c.le32(at+4), at+12
	if string(c.get(at, 4)) == "RF64" {
		size = c.le64(at + 20)
	}
	for range 100 {
		chunk, length := string(c.get(begin, 4)), c.le32(begin+4)
		switch {
		case len(chunk) < 4:
			return c.size
		case chunk != "data":
			begin += 8 + length + length%2
			continue
		case string(c.get(at, 4)) == "RF64" && length == 1<<32-1:
			length = c.le64(at + 28)
		case length >= streamed:
			length = 0
		}
		end := begin + 8 + length
		if length == 0 || end > c.size {
			return c.nextFile(begin + 8)
		}
		if all := at + 8 + size; all <= c.size {
			end = max(end, all)
		}
		return min(end+length%2, c.size)
	}
	return c.size
}

func isAU(head []byte) bool {
	if len(head) < 24 || string(head[:4]) != ".snd" {
		return false
	}
	be := binary.BigEndian
	channels := be.Uint32(head[20:])
	return be.Uint32(head[4:]) >= 24 && be.Uint32(head[4:]) < 1<<16 && be.Uint32(head[12:]) <= 27 && channels > 0 && channels < 256
}

func endOfAU(c *cursor, at int64) int64 {
	begin, size := at+c.be32(at+4), c.be32(at+8)
	if size == 1<<32-1 || size == 0 || begin+size > c.size {
		return c.nextFile(begin)
	}
	return begin + size
}

func endOfCAF(c *cursor, at int64) int64 {
	at += 8
	for at < c.size && fourLetters(c.get(at, 4)) {
		size := c.be64(at + 4)
		if size > c.size {
			return c.size // also the length -1, which is unknown
		}
		at += 12 + size
		if prefix("caff\x00\x01")(c.get(at, 6)) {
			return at
		}
	}
	return at
}

func fourLetters(name []byte) bool {
	for _, b := range name {
		if (b < 0x20 || b > 0x7e) && b != 0xa9 {
			return false
		}
	}
	return len(name) == 4
}

// The lengths of AMR frames by their type.
var (
	narrowFrames = [16]int64{13, 14, 16, 18, 20, 21, 27, 32, 6, 1, 1, 1, 1, 1, 1, 1}
	wideFrames   = [16]int64{18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 1, 1, 1, 1, 1, 1}
)

func endOfAMR(c *cursor, at int64) int64 {
	lengths, frame := narrowFrames, at+6
	if prefix("#!AMR-WB\n")(c.get(at, 9)) {
		lengths, frame = wideFrames, at+9
	}
	for frame < c.size {
		head := c.get(frame, 6)
		if prefix("#!AMR")(head) {
			return frame
		}
		frame += lengths[head[0]>>3&15]
	}
	return c.size
}

func endOfFLV(c *cursor, at int64) int64 {
	for tag := at + 13; tag < c.size; {
		head := c.get(tag, 11)
		switch {
		case prefix("FLV\x01")(head):
			return tag
		case len(head) < 11 || head[0]&0x1f != 8 && head[0]&0x1f != 9 && head[0]&0x1f != 18:
			return tag
		}
		tag += 15 + (c.be32(tag) & 0xffffff)
	}
	return c.size
}

func endOfASF(c *cursor, at int64) int64 {
	for object := at; object < c.size; {
		size := c.le64(object + 16)
		if size < 24 || object > at && prefix(asfHeader)(c.get(object, 16)) {
			if size < 24 && object != at && !prefix(asfHeader)(c.get(object, 16)) {
				return c.size // a live stream
			}
			return object
		}
		object += size
	}
	return c.size
}

// endOfFLAC looks for the beginning of another FLAC file, because frames do not tell their
// length. It skips the pictures and texts before the first frame.
func endOfFLAC(c *cursor, at int64) int64 {
	at += 4
	for range 1000 {
		block := c.be32(at)
		at += 4 + block&0xffffff
		if block>>31 == 1 {
			break
		}
	}
	return c.nextFile(at)
}

// startsFLAC reports whether head is the beginning of a FLAC file and nothing else: the first
// block has a fixed length, and its sizes and rates fit each other.
func startsFLAC(head []byte) bool {
	if len(head) < 42 || string(head[:4]) != "fLaC" || head[4]&0x7f != 0 || string(head[5:8]) != "\x00\x00\x22" {
		return false
	}
	least, most := binary.BigEndian.Uint16(head[8:]), binary.BigEndian.Uint16(head[10:])
	rate := binary.BigEndian.Uint32(head[18:]) >> 12
	return least >= 16 && most >= least && rate > 0 && rate <= 655_350
}

// endOfOgg walks from page to page. Another recording begins with the first pages of its
// streams, behind pages that are no first ones.
func endOfOgg(c *cursor, at int64) int64 {
	const first = 2
	body := false
	for page := at; page < c.size; {
		head := c.get(page, 27)
		if !bytes.HasPrefix(head, []byte("OggS\x00")) || len(head) < 27 {
			if c.kindAt(page) != nil {
				return page
			}
			page = c.search(page+1, c.size, "OggS\x00", 0, prefix("OggS\x00")) // damage
			continue
		}
		if head[5]&first == 0 {
			body = true
		} else if body {
			return page
		}
		table := c.get(page+27, int(head[26]))
		page += 27 + int64(len(table))
		for _, n := range table {
			page += int64(n)
		}
	}
	return c.size
}

// boxesAtStart are the boxes with which a file of the ISO base media format may begin.
const boxesAtStart = "ftyp moov mdat free skip wide pnot styp"

// boxesOfFile are the boxes that may be cut off at the end of a file.
const boxesOfFile = boxesAtStart + " moof sidx uuid meta mfra udta emsg"

func isBoxes(head []byte) bool {
	return len(head) >= 8 && fourLetters(head[4:8]) && strings.Contains(boxesAtStart, string(head[4:8])) &&
		!strings.Contains(string(head[4:8]), " ")
}

// endOfBoxes walks from box to box. A second ftyp behind the sound begins another recording.
func endOfBoxes(c *cursor, at int64) int64 {
	sound := false
	for box := at; box < c.size; {
		size, name := c.be32(box), string(c.get(box+4, 4))
		if !fourLetters([]byte(name)) || box+size > c.size && size != 0 && !strings.Contains(boxesOfFile, name) {
			return box
		}
		switch name {
		case "ftyp":
			if sound {
				return box
			}
		case "mdat", "moof":
			sound = true
		}
		switch size {
		case 1:
			size = c.be64(box + 8)
		case 0:
			return c.size
		}
		if size < 8 {
			return box
		}
		if box+size > c.size { // cut off, and perhaps another one begins
			return c.nextFile(box + 8)
		}
		box += size
	}
	return c.size
}

// startsBoxes reports whether head is the beginning of a file of the ISO base media format and
// nothing else.
func startsBoxes(head []byte) bool {
	if !isBoxes(head) || string(head[4:8]) != "ftyp" {
		return false
	}
	size := int(binary.BigEndian.Uint32(head))
	return size >= 16 && size%4 == 0 && size+8 <= len(head) && isBoxes(head[size:])
}

// startsOgg reports whether head is the first page of an Ogg stream and nothing else.
func startsOgg(head []byte) bool {
	return len(head) >= 27 && string(head[:14]) == "OggS\x00\x02"+strings.Repeat("\x00", 8) && string(head[18:22]) == "\x00\x00\x00\x00"
}

// nextFile returns the first place from at on where a file begins beyond doubt, or the size of
// the file.
func (c *cursor) nextFile(at int64) int64 {
	first := c.size
	for _, mark := range []struct {
		bytes string
		back  int64
		fits  func([]byte) bool
	}{
		{"fLaC", 0, startsFLAC},
		{"WAVEfmt ", 8, startsWAV},
		{"ftyp", 4, startsBoxes},
		{"\x1aE\xdf\xa3", 0, isMatroska},
		{"OggS\x00\x02", 0, startsOgg},
		{".snd", 0, isAU},
	} {
		first = min(first, c.search(at, first, mark.bytes, mark.back, mark.fits))
	}
	return first
}
