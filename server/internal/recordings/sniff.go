package recordings

import (
	"bytes"
	"strings"
)

// UnknownMedia is the type of a file that SniffMedia does not know.
const UnknownMedia = "application/octet-stream"

// SniffMedia returns the media type of a file that begins with head, or UnknownMedia. 512 bytes suffice. The
// type of a container that may hold pictures is a video type.
func SniffMedia(head []byte) string {
	for _, known := range mediaSignatures {
		if len(head) >= known.at && bytes.HasPrefix(head[known.at:], []byte(known.bytes)) {
			if known.further == nil {
				return known.media
			}
			return known.further(head)
		}
	}
	if media, ok := frames(head); ok {
		return media
	}
	return UnknownMedia
}

// mediaSignatures are bytes at a place that identify a format; the first match counts.
var mediaSignatures = []struct {
	at      int
	bytes   string
	media   string
	further func(head []byte) string // distinguishes formats with the same signature
}{
	{at: 0, bytes: "RIFF", further: riff},
	{at: 0, bytes: "riff\x2e\x91\xcf\x11", media: "audio/wav"}, // Wave64
	{at: 4, bytes: "ftyp", further: boxes},
	{at: 4, bytes: "moov", media: "video/quicktime"},
	{at: 4, bytes: "mdat", media: "video/quicktime"},
	{at: 0, bytes: "\x1aE\xdf\xa3", further: matroska},
	{at: 0, bytes: "OggS", further: ogg},
	{at: 0, bytes: "fLaC", media: "audio/flac"},
	{at: 0, bytes: "ID3", media: "audio/mpeg"},
	{at: 0, bytes: "FORM", media: "audio/aiff"},
	{at: 0, bytes: "caff", media: "audio/x-caf"},
	{at: 0, bytes: "#!AMR", media: "audio/amr"},
	{at: 0, bytes: "FLV\x01", media: "video/x-flv"},
	{at: 0, bytes: "\x30\x26\xb2\x75\x8e\x66\xcf\x11", media: "video/x-ms-asf"},
	{at: 0, bytes: "\x00\x00\x01\xba", media: "video/mpeg"},
	{at: 0, bytes: "\x00\x00\x01\xb3", media: "video/mpeg"},
}

func riff(head []byte) string {
	switch kind := string(head[min(8, len(head)):min(12, len(head))]); kind {
	case "WAVE":
		return "audio/wav"
	case "AVI ":
		return "video/x-msvideo"
	}
	return UnknownMedia
}

// boxes distinguishes the files of the ISO base media format by their major brand.
func boxes(head []byte) string {
	brand := string(head[min(8, len(head)):min(12, len(head))])
	switch {
	case brand == "M4A ", brand == "M4B ", brand == "F4A ":
		return "audio/mp4"
	case brand == "qt  ":
		return "video/quicktime"
	case strings.HasPrefix(brand, "3g"):
		return "video/3gpp"
	}
	return "video/mp4"
}

func matroska(head []byte) string {
	if bytes.Contains(head, []byte("webm")) {
		return "video/webm"
	}
	return "video/x-matroska"
}

func ogg(head []byte) string {
	if bytes.Contains(head, []byte("\x80theora")) {
		return "video/ogg"
	}
	return "audio/ogg"
}

// frames detects formats without a signature, which begin with a frame of sound or of a
// transport stream.
func frames(head []byte) (string, bool) {
	const packet = 188 // of a transport stream
	switch {
	case len(head) > packet && head[0] == 'G' && head[packet] == 'G':
		return "video/mp2t", true
	case len(head) < 2 || head[0] != 0xff:
		return "", false
	case head[1]&0xf6 == 0xf0: // ADTS has the layer 0
		return "audio/aac", true
	case head[1]&0xe0 == 0xe0:
		return "audio/mpeg", true
	}
	return "", false
}

// MediaExtension returns the usual ending of the name of a file of a media type, without a dot.
func MediaExtension(media string) string {
	if known, ok := mediaExtensions[media]; ok {
		return known
	}
	return "bin"
}

var mediaExtensions = map[string]string{
	"audio/aac": "aac", "audio/aiff": "aiff", "audio/amr": "amr", "audio/flac": "flac", "audio/mp4": "m4a", "audio/mpeg": "mp3",
	"audio/ogg": "ogg", "audio/wav": "wav", "audio/webm": "webm", "audio/x-caf": "caf", "video/3gpp": "3gp", "video/mp2t": "ts",
	"video/mp4": "mp4", "video/mpeg": "mpg", "video/ogg": "ogv", "video/quicktime": "mov", "video/webm": "webm", "video/x-flv": "flv",
	"video/x-matroska": "mkv", "video/x-ms-asf": "wma", "video/x-msvideo": "avi",
}
