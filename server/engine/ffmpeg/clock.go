package ffmpeg

import (
	"bytes"
	"os"
	"slices"
)

// sampled are the formats without timestamps of their own, as ffprobe names them. The time
// in such a recording is the count of its samples. ffmpeg makes timestamps for these
// formats from the rate and the sizes of the first packets. It is wrong where the rate
// changes later, as in a podcast with a glued-in advertisement.
var sampled = []string{"mp3", "aac", "flac", "wav", "w64", "aiff", "amr", "au", "ac3", "eac3", "caf"}

// clock says what tells the time in a recording.
type clock bool

const (
	byTimestamps clock = false // gaps between timestamps are silence
	bySamples    clock = true  // timestamps are ignored
)

// clockOf returns the clock of a format that ffprobe has named.
func clockOf(format string) clock { return clock(slices.Contains(sampled, format)) }

// filter returns the filters that bring sound to a rate, as the clock says. With timestamps,
// they resample, and then fill gaps with silence: before sound that starts later than the
// picture, and in between. In this order the filling needs the least memory.
func (c clock) filter(format string) string {
	if c == bySamples {
		return format
	}
	return format + ",aresample=async=1:first_pts=0"
}

// headSize is how many of a file's first bytes tell its format.
const headSize = 4096

// stamped are the first bytes of the formats with timestamps, at a place.
var stamped = []struct {
	at    int
	bytes string
}{
	{0, "\x1aE\xdf\xa3"}, // Matroska, WebM
	{0, "OggS"},
	{0, "FLV\x01"},
	{0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11"}, // ASF
	{8, "AVI "},
	{0, "\x00\x00\x01\xba"}, // MPEG program streams
	{0, "\x00\x00\x01\xb3"},
	{4, "ftyp"}, {4, "moov"}, {4, "mdat"}, {4, "free"}, {4, "skip"}, {4, "wide"}, {4, "pnot"}, {4, "moof"}, {4, "styp"},
}

// tsPackets are the lengths of packets in MPEG transport streams, and where a packet has its
// mark.
var tsPackets = []struct{ length, at int }{{188, 0}, {192, 4}, {204, 0}}

// clockAt returns the clock of a file that begins with head. It is the clock that clockOf
// returns when ffprobe has seen the whole file, or Verify refuses the file.
func clockAt(head []byte) clock {
	for _, s := range stamped {
		if len(head) >= s.at && bytes.HasPrefix(head[s.at:], []byte(s.bytes)) {
			return byTimestamps
		}
	}
	for _, p := range tsPackets {
		marks := 0
		for at := p.at; at < len(head) && head[at] == 0x47; at += p.length {
			marks++
		}
		if marks > 0 && marks >= min(5, (len(head)-p.at+p.length-1)/p.length) {
			return byTimestamps
		}
	}
	return bySamples
}

// clockOfHead returns what clockAt says about a part of a file.
func clockOfHead(p *part) clock {
	f, err := os.Open(p.path)
	if err != nil {
		return byTimestamps
	}
	defer f.Close() // only read: nothing can be lost
	head := make([]byte, headSize)
	n, _ := f.ReadAt(head, p.from) // a file may be shorter
	return clockAt(head[:n])
}
