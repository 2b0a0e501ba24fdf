package format

import (
	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// AppendJSON appends t as the JSON object of the API and returns the extended
// buffer; the segments allocate only what the buffer lacks. Start and duration are
// rounded to milliseconds, and 0 where they are negative or not a number; a
// confidence that is not a number is left out; invalid UTF-8 becomes U+FFFD.
// Characters that mean something to HTML are not escaped. The error is that of
// metadata that JSON cannot hold; dst comes back unextended then.
func AppendJSON(dst []byte, t *transcript.Transcript) ([]byte, error) {
	return wire.AppendTranscript(dst, t, nil)
}
