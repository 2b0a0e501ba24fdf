package main

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// Every case has a right answer, exactly: from the reader that detects the format, from the
// reader of the format, and byte by byte.
func TestOurReadersAnswerEachCase(t *testing.T) {
	t.Parallel()
	all, err := load("cases")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(all), 600)
	for _, e := range all {
		t.Run(e.name(), func(t *testing.T) {
			t.Parallel()
			assert.NotEmpty(t, e.Rule)
			file, err := os.ReadFile(e.path)
			require.NoError(t, err)
			var right []string
			for _, a := range e.right() {
				right = append(right, exactly(t, a))
			}
			got := exactly(t, ask(caption.ReadAny, bytes.NewReader(file), e.Language))
			assert.Contains(t, right, got)
			assert.Contains(t, right, exactly(t, ask(named(e.format), bytes.NewReader(file), e.Language)), "the reader of the format")
			assert.Equal(t, got, exactly(t, ask(caption.ReadAny, iotest.OneByteReader(bytes.NewReader(file)), e.Language)), "byte by byte")
		})
	}
}

// exactly is an answer in one form: an empty speaker is none, and errors are equal.
func exactly(t *testing.T, a answer) string {
	t.Helper()
	a.Error = problem(map[bool]string{true: "error"}[a.Error != ""])
	for i := range a.Cues {
		if c := &a.Cues[i]; c.Speaker == nil {
			c.Speaker = new(string)
		}
	}
	if a.Cues == nil {
		a.Cues = []cue{}
	}
	b, err := json.MarshalIndent(a, "", " ")
	require.NoError(t, err)
	return string(b)
}
