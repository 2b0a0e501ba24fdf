package page_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each text is asked for somewhere, and each that is asked for is there. Keys that are put
// together are known by what they begin with.
func TestEveryTextIsUsed(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("strings/en.json")
	require.NoError(t, err)
	var texts map[string]any
	require.NoError(t, json.Unmarshal(file, &texts))
	assert.Equal(t, len(texts), strings.Count(string(file), "\n  \""), "a key stands there twice")

	literal, start := regexp.MustCompile(`"([a-z]\w*\.[\w.]+)"`), regexp.MustCompile(`"([a-z]\w*\.)"`)
	asked, beginnings := map[string]string{}, []string{}
	for pattern, calls := range map[string]*regexp.Regexp{
		"templates/*.html":       regexp.MustCompile(`\bt (\(print )?"([\w.]+)"`),
		"templates/parts/*.html": regexp.MustCompile(`\bt (\(print )?"([\w.]+)"`),
		"assets/*.js":            regexp.MustCompile("\\bt\\(()[\"'`]([\\w.]+)"),
		"../*/*.go":              regexp.MustCompile(`\.(?:Text|Refuse)\((transcript\.\w+, )?"([\w.]+)"`),
	} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			content, err := os.ReadFile(name)
			require.NoError(t, err)
			if strings.HasSuffix(name, ".go") { // keys stand in tables, too
				for _, quoted := range literal.FindAllStringSubmatch(string(content), -1) {
					if _, isKey := texts[quoted[1]]; isKey {
						asked[quoted[1]] = name
					}
				}
				for _, quoted := range start.FindAllStringSubmatch(string(content), -1) {
					beginnings = append(beginnings, quoted[1])
				}
			}
			for _, call := range calls.FindAllStringSubmatch(string(content), -1) {
				if strings.HasSuffix(call[2], ".") {
					beginnings = append(beginnings, call[2])
				} else {
					asked[call[2]] = name
				}
			}
		}
	}
	for key, where := range asked {
		assert.Contains(t, texts, key, where)
	}
	for key := range texts {
		_, used := asked[key]
		for _, b := range beginnings {
			used = used || strings.HasPrefix(key, b)
		}
		assert.True(t, used, "nothing asks for %s", key)
	}
}

// What people read stands in the catalog alone, whose language can then be another.
func TestTemplatesHoldNoText(t *testing.T) {
	t.Parallel()
	quiet := regexp.MustCompile(`(?s)\{\{.*?\}\}|<[^>]*>`)
	files, err := filepath.Glob("templates/*.html")
	require.NoError(t, err)
	parts, err := filepath.Glob("templates/parts/*.html")
	require.NoError(t, err)
	for _, name := range append(files, parts...) {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		rest := quiet.ReplaceAllString(string(content), " ")
		assert.NotRegexp(t, `\pL{2,}`, rest, name)
	}
}
