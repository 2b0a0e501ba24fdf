package format

import (
	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// AppendJSON appends t as the JSON object of the API and returns the extended buffer.
// For segments it allocates only if the buffer is too small. Start and duration are
// rounded to milliseconds, and become 0 if they are negative or not a number. A
// confidence that is not a number is left out. Invalid UTF-8 becomes U+FFFD. HTML
// characters such as "<" are not escaped. AppendJSON returns an error if t.Metadata has
// a value that JSON cannot represent. Then it returns dst without t.
func AppendJSON(dst []byte, t *transcript.Transcript) ([]byte, error) {
	return wire.AppendTranscript(dst, t, nil)
}
