package house_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Comments say the thing itself, or cite a document that is there, such as docs/guides/errors.md.
// No paper is cited that a reader does not have.
func TestWhatCommentsCite(t *testing.T) {
	t.Parallel()
	paper := regexp.MustCompile(`\b[Cc]ontrac[t],? (section )?[0-9]|\b[J][0-9]{1,2}[a-z]?\b|\b[Tt]h[e] specification\b`)
	numbered := regexp.MustCompile(`J[0-9]`)
	cited := regexp.MustCompile(`\bdocs/[a-z/-]+\.md`)
	broken := regexp.MustCompile(`\n\s*// ?`)
	files := 0
	require.NoError(t, filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		files++
		source, err := os.ReadFile(path)
		text := broken.ReplaceAllString(string(source), " ")
		if strings.Contains(text, "ontract") || strings.Contains(text, "specification") || numbered.MatchString(text) { // or the search takes seconds
			assert.Empty(t, paper.FindAllString(text, -1), path)
		}
		for _, document := range cited.FindAllString(text, -1) {
			assert.FileExists(t, filepath.Join("../../..", document), path)
		}
		return err
	}))
	assert.Greater(t, files, 100, "the whole module")
}
