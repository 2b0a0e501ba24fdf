package server_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Comments say the thing itself, or cite API.md by a heading that is there: see
// server/API.md, Idempotency. No paper is cited that a reader does not have.
func TestWhatCommentsCite(t *testing.T) {
	t.Parallel()
	var headings []string
	for _, p := range readAPIDoc(t).parts {
		headings = append(headings, p.title)
	}
	paper := regexp.MustCompile(`\b[Cc]ontrac[t],? (section )?[0-9]|\b[J][0-9]{1,2}[a-z]?\b|\b[Tt]h[e] specification\b`)
	cited := regexp.MustCompile(`API\.md, ([A-Z]\w*(?: \w+)*)`)
	broken := regexp.MustCompile(`\n\s*// ?`)
	files := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		files++
		source, err := os.ReadFile(path)
		text := broken.ReplaceAllString(string(source), " ")
		assert.Empty(t, paper.FindAllString(text, -1), path)
		for _, m := range cited.FindAllStringSubmatch(text, -1) {
			known := slices.ContainsFunc(headings, func(h string) bool { return strings.HasPrefix(m[1]+" ", h+" ") })
			assert.True(t, known, "%s cites %q, which API.md does not have", path, m[1])
		}
		return err
	}))
	assert.Greater(t, files, 100, "the whole module")
}
