package readmetest_test

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	code    = regexp.MustCompile("(?ms)^```.*?^```$|`[^`\n]+`")
	linked  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// Every link from one document to another leads to a file or folder, and to a heading if it names one.
func TestLinksBetweenDocuments(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	seen := 0
	for _, document := range everyDocument(t, root) {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		for _, found := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			to, err := url.Parse(found[1])
			require.NoError(t, err, document)
			if to.Scheme != "" {
				continue
			}
			seen++
			target := document
			if to.Path != "" {
				target = filepath.Join(filepath.Dir(document), to.Path)
			}
			_, err = os.Stat(target)
			if assert.NoError(t, err, "%s: %s", document, found[1]) && to.Fragment != "" {
				assert.Contains(t, anchors(t, target), to.Fragment, "%s: %s", document, found[1])
			}
		}
	}
	assert.Greater(t, seen, 100)
}

// everyDocument returns the paths of the Markdown files for readers.
func everyDocument(t *testing.T, root string) (all []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "client/*.md", "server/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		all = append(all, found...)
	}
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			all = append(all, path)
		}
		return err
	}))
	return all
}

// anchors returns the names that GitHub gives to the headings of a document.
func anchors(t *testing.T, document string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(document)
	require.NoError(t, err)
	for _, h := range heading.FindAllStringSubmatch(string(text), -1) {
		shown := strings.ToLower(linked.ReplaceAllString(h[1], "$1"))
		names = append(names, strings.Map(func(c rune) rune {
			switch {
			case c == ' ':
				return '-'
			case c == '-', c == '_', unicode.IsLetter(c), unicode.IsDigit(c):
				return c
			}
			return -1
		}, shown))
	}
	return names
}
