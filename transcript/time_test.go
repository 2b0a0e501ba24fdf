package transcript_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestTimeOnTheWire(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("east", 2*3600)
	for want, in := range map[string]time.Time{
		"2026-11-21T02:03:34.123Z": time.Date(2026, 11, 21, 4, 3, 34, 123_999_999, east),
		"2026-11-21T02:03:34.000Z": time.Date(2026, 11, 21, 2, 3, 34, 0, time.UTC),
		"2026-11-21T02:03:34.100Z": time.Date(2026, 11, 21, 2, 3, 34, 100_000_000, time.UTC),
	} {
		b, err := json.Marshal(transcript.At(in))
		require.NoError(t, err)
		assert.Equal(t, `"`+want+`"`, string(b))
		asKey, err := json.Marshal(map[transcript.Time]int{transcript.At(in): 1})
		require.NoError(t, err)
		assert.Equal(t, `{"`+want+`":1}`, string(asKey))
	}
}

func TestTimeReadsAnyRFC3339(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"2026-11-21T02:03:34.123Z"`:          "2026-11-21T02:03:34.123Z",
		`"2026-11-21T04:03:34.1239999+02:00"`: "2026-11-21T02:03:34.123Z",
		`"2026-11-21T02:03:34Z"`:              "2026-11-21T02:03:34.000Z",
	} {
		var got transcript.Time
		require.NoError(t, json.Unmarshal([]byte(in), &got))
		assert.Equal(t, want, got.String())
		assert.Equal(t, time.UTC, got.Location())
	}
	kept := moment
	require.NoError(t, json.Unmarshal([]byte(`null`), &kept))
	assert.Equal(t, moment, kept)
	for _, bad := range []string{`""`, `5`, `"yesterday"`, `"2026-11-21"`, `{}`, `"2026-13-21T02:03:34Z"`} {
		assert.Error(t, json.Unmarshal([]byte(bad), &kept), bad)
	}
}
