package caption_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// endless is a file that begins and then repeats its filling. It calls cancel after a MiB
// and counts what is read after that.
type endless struct {
	begin, filling string
	cancel         func()
	read, after    int
	next           *strings.Reader
}

func (e *endless) Read(p []byte) (int, error) {
	if e.next == nil {
		e.next = strings.NewReader(e.begin)
	}
	if e.next.Len() == 0 {
		e.next.Reset(e.filling)
	}
	n, err := e.next.Read(p)
	if e.read > 1<<20 {
		e.cancel()
		e.after += n
	}
	e.read += n
	return n, err
}

func TestUntilEndsTheReadingOfEachFormat(t *testing.T) {
	t.Parallel()
	gone := errors.New("the job is gone")
	for name, file := range map[string]endless{
		"webvtt":               {begin: "WEBVTT\n\n", filling: "00:01.000 --> 00:02.000\n" + strings.Repeat("& ", 30_000) + "\n\n"},
		"srt":                  {begin: "", filling: "1\n00:00:01,000 --> 00:00:02,000\n" + strings.Repeat("<rt> ", 10_000) + "\n\n"},
		"ttml":                 {begin: "<tt><body><div>", filling: `<p begin="1s" end="2s">` + strings.Repeat("& ", 30_000) + "</p>"},
		"srv1":                 {begin: "<transcript>", filling: `<text start="1" dur="1">` + strings.Repeat("& ", 30_000) + "</text>"},
		"srv3":                 {begin: `<timedtext format="3"><body>`, filling: `<p t="1" d="1">` + strings.Repeat("<s>a</s>", 10_000) + "</p>"},
		"json3":                {begin: `{"events":[{}`, filling: `,{"tStartMs":1,"dDurationMs":1,"segs":[{"utf8":"` + strings.Repeat("& ", 30_000) + `"}]}`},
		"a file without a cue": {begin: "WEBVTT\n\n", filling: "NOTE nothing\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			file.cancel = func() { cancel(gone) }
			_, err := caption.ReadAny(caption.Until(ctx, &file))
			require.ErrorIs(t, err, gone)
			assert.Less(t, file.after, 1<<20)
		})
	}
}

func TestUntilReadsAWholeFile(t *testing.T) {
	t.Parallel()
	file := []byte(strings.Repeat("any text", 50_000))
	read, err := io.ReadAll(caption.Until(t.Context(), bytes.NewReader(file)))
	require.NoError(t, err)
	assert.Equal(t, file, read)
}
