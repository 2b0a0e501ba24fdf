package docs_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/docs"
)

var (
	links = regexp.MustCompile(`href="([^"#]*)(?:#([^"]*))?"`)
	names = regexp.MustCompile(`id="([^"]*)"`)
)

// Each link of each page leads to a page and a heading that are there. From the first page, links
// lead to all pages.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	has := map[string]map[string]bool{}
	html := map[string]string{}
	for _, path := range docs.Paths() {
		page, ok := docs.Find("/media/docs", path)
		assert.True(t, ok, path)
		address := strings.TrimSuffix("/media/docs/"+path, "/")
		html[address], has[address] = string(page.HTML), map[string]bool{"": true}
		for _, m := range names.FindAllStringSubmatch(string(page.HTML), -1) {
			assert.False(t, has[address][m[1]], "%s has %s twice", path, m[1])
			has[address][m[1]] = true
		}
		assert.Equal(t, 1, strings.Count(string(page.HTML), "<h1"), path)
		assert.NotContains(t, string(page.HTML), "raw HTML omitted", path)
	}
	met := map[string]bool{"/media/docs": true}
	for address, page := range html {
		for _, m := range links.FindAllStringSubmatch(page, -1) {
			if strings.HasPrefix(m[1], "https:") {
				continue
			}
			to := m[1]
			if to == "" {
				to = address
			}
			assert.True(t, has[to][m[2]], "%s links to %s", address, m[0])
			met[to] = true
		}
	}
	assert.Len(t, met, len(html), "the pages to which links lead")
	_, ok := docs.Find("/docs", "operations/nothing")
	assert.False(t, ok)
}

// An operation, its guides and its errors link to each other, and the page of an operation has all
// types that it uses.
func TestPagesBelongTogether(t *testing.T) {
	t.Parallel()
	for path, has := range map[string][]string{
		"":                            {`href="/docs/guides/errors"`, `href="/docs/operations/getUsage"`},
		"operations/getTranscriptJob": {`href="/docs/guides/jobs"`, `href="/docs/reference/errors#not_found"`, `id="job"`, `href="#job"`, `id="segment"`, `href="/docs/reference/jobs"`},
		"guides/jobs":                 {`href="/docs/operations/getTranscriptJob"`},
		"reference/errors":            {`id="not_found"`, `href="/docs/operations/downloadTranscript"`, `href="/docs/guides/errors"`},
		"reference/transcripts":       {`href="/docs/operations/createTranscript"`, `id="platform"`},
	} {
		page, _ := docs.Find("/docs", path)
		for _, want := range has {
			assert.Contains(t, string(page.HTML), want, path)
		}
	}
}
