package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The pages in the repository are those of the document. After a change: go generate ./server
func TestPagesAreCheckedIn(t *testing.T) {
	t.Parallel()
	pages, err := generate("../..")
	require.NoError(t, err)
	for name, text := range pages {
		checkedIn, err := os.ReadFile(filepath.Join("../../docs/reference", name))
		require.NoError(t, err)
		assert.Equal(t, string(checkedIn), text, name)
	}
	files, err := filepath.Glob("../../docs/reference/*")
	require.NoError(t, err)
	assert.Len(t, files, len(pages))
}

var (
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
	dropped = regexp.MustCompile(`[^a-z0-9_ -]`)
	linked  = regexp.MustCompile(`\]\(([^)]*)\)`)
)

// anchors are the names that links to the headings of a page have.
func anchors(t *testing.T, page string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	all := map[string]bool{"": true}
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(string(text), ""), -1) {
		all[strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return all
}

// Each link in docs leads to a file and a heading that are there.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	var pages []string
	for _, pattern := range []string{"../../docs/*.md", "../../docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		pages = append(pages, found...)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range linked.FindAllStringSubmatch(fenced.ReplaceAllString(string(text), ""), -1) {
			if strings.HasPrefix(m[1], "https:") {
				continue
			}
			path, anchor, _ := strings.Cut(m[1], "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			_, err := os.Stat(target)
			assert.NoError(t, err, "%s links to %s", page, m[1])
			if err == nil && filepath.Ext(target) == ".md" {
				assert.True(t, anchors(t, target)[anchor], "%s links to %s", page, m[1])
			}
		}
	}
}
