package page_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/page"
	platforms "github.com/transcriptkit/transcriptkit/transcript/site"
)

// A link is taken as it stands: neither a link within it nor a bracket is cut off.
func TestLinksInProse(t *testing.T) {
	t.Parallel()
	const first, second = "https://youtu.be/dQw4w9WgXcQ", "http://youtu.be/9bZkp7q19f0"
	for text, want := range map[string][]string{
		first + "," + second:                                            {first, second},
		"see " + first + "," + second:                                   {first, second},
		"see " + first + ";" + second + ".":                             {first, second},
		"https://media.example/play?of=http://elsewhere.example/a":      {"https://media.example/play?of=http://elsewhere.example/a"},
		"see https://media.example/play?of=https://elsewhere.example/a": {"https://media.example/play?of=https://elsewhere.example/a"},
		"see https://media.example/talk_(live)":                         {"https://media.example/talk_(live)"},
		"see (https://media.example/talk_(live)).":                      {"https://media.example/talk_(live)"},
		"[talk](" + first + ").":                                        {first},
		"see «" + first + "»!":                                          {first},
		"talk:" + first + ", new":                                       {first},
		"write to ada@media.example, or see " + first:                   {first},
	} {
		got, err := page.SplitLinks(text, platforms.Default())
		require.NoError(t, err)
		assert.Equal(t, want, got, text)
	}
}
