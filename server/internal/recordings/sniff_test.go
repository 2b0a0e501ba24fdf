package recordings_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/internal/recordings"
)

func TestSniff(t *testing.T) {
	t.Parallel()
	stream := "G" + strings.Repeat("\x00", 187)
	for head, want := range map[string]string{
		"RIFF\x00\x00\x00\x00WAVEfmt ": "audio/wav", "RIFF\x00\x00\x00\x00AVI LIST": "video/x-msvideo", "RIFF": recordings.UnknownMedia, "RIFF\x00\x00\x00\x00WEBP": recordings.UnknownMedia,
		"\x00\x00\x00\x20ftypM4A ": "audio/mp4", "\x00\x00\x00\x20ftypisom": "video/mp4", "\x00\x00\x00\x14ftypqt  ": "video/quicktime", "\x00\x00\x00\x14ftyp3gp4": "video/3gpp",
		"\x00\x00\x00\x14ftyp": "video/mp4", "\x00\x00\x00\x20moov": "video/quicktime",
		"\x1aE\xdf\xa3\x01\x00webm": "video/webm", "\x1aE\xdf\xa3\x01\x00matroska": "video/x-matroska",
		"OggS\x00\x02OpusHead": "audio/ogg", "OggS\x00\x02\x80theora": "video/ogg", "fLaC\x00": "audio/flac", "ID3\x04": "audio/mpeg", "FORM\x00\x00\x00\x00AIFF": "audio/aiff",
		"caff\x00": "audio/x-caf", "#!AMR\n": "audio/amr", "FLV\x01": "video/x-flv", "\xff\xfb\x90": "audio/mpeg", "\xff\xf1\x50": "audio/aac",
		stream + stream: "video/mp2t", stream: recordings.UnknownMedia, "\x00\x00\x01\xba": "video/mpeg",
		"": recordings.UnknownMedia, "\xff": recordings.UnknownMedia, "<html><script>": recordings.UnknownMedia, "<?xml version": recordings.UnknownMedia, "%PDF-1.7": recordings.UnknownMedia, "#EXTM3U": recordings.UnknownMedia,
	} {
		assert.Equal(t, want, recordings.SniffMedia([]byte(head)), "%q", head)
	}
}

// Each type has an ending of its own, and no type is one that browsers run.
func TestExtensions(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "mp3", recordings.MediaExtension("audio/mpeg"))
	assert.Equal(t, "bin", recordings.MediaExtension(recordings.UnknownMedia))
	assert.Equal(t, "bin", recordings.MediaExtension("text/html"))
}
