package readmetest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// The README says which public site each platform is, as readers search for the names of sites.
func TestSitesInTheREADME(t *testing.T) {
	t.Parallel()
	readme := read(t, "README.md")
	for _, platform := range transcript.Platforms() {
		at, public := site.Default().Site(platform)
		if !public {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(at.Hosts[0], "www."), ".")
		assert.Regexp(t, "(?i)\\b"+name+"\\b[^.]* \\(`"+string(platform)+"`", readme)
		assert.Equal(t, 1, strings.Count(readme, "`"+string(platform)+"`"))
	}
}
