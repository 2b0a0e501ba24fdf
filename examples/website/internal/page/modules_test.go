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

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
)

var (
	call    = regexp.MustCompile(`(?m)(?:^|[^.\w])(?:t|text)\(`)
	comment = regexp.MustCompile(`(?m)^\s*//.*$`)
	literal = regexp.MustCompile("^[\"'`]([a-z]\\w*\\.[\\w.]*)")
	parts   = regexp.MustCompile(`\b(?:from|import)\s*\(?\s*"\./([\w-]+\.js)"`)
	loaded  = regexp.MustCompile(`<script type="module" src="/assets/\w+/([^"]+)"`)
	island  = regexp.MustCompile(`<script type="application/json" id="strings">(.*)</script>`)
)

// A module names the beginning of each key that it uses: from these names the page knows which
// texts to hold.
func TestModulesNameTheirTexts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("assets/*.js")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		if file == "assets/strings.js" {
			continue // it declares t and text
		}
		for _, argument := range callsIn(t, file) {
			assert.Regexp(t, literal, argument, file)
		}
	}
}

// callsIn returns what the calls for texts in a module begin with.
func callsIn(t *testing.T, file string) (arguments []string) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	code := comment.ReplaceAllString(string(content), "")
	for _, at := range call.FindAllStringIndex(code, -1) {
		arguments = append(arguments, code[at[1]:min(at[1]+60, len(code))])
	}
	return arguments
}

// Each page holds the texts of its modules, of those that they import and of those that they load
// later. It holds no other texts, and none that only templates show.
func TestPagesHoldTheTextsOfTheirModules(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.put(t, everything())
	all := readTexts(t, "en")
	for _, path := range []string{
		"/", "/library", "/transcripts/video_site/dQw4w9WgXcQ?language=en-GB", "/batches", "/follows", "/webhooks", "/usage", "/keys", "/discover", "/anywhere", "/record", "/feed", "/nothing",
	} {
		page := s.get(t, path).body
		held := map[string]any{}
		require.NoError(t, json.Unmarshal([]byte(island.FindStringSubmatch(page)[1]), &held), path)
		var modules []string
		for _, load := range loaded.FindAllStringSubmatch(page, -1) {
			modules = append(modules, load[1])
		}
		wanted := textsOf(t, all, modules)
		for key, module := range wanted {
			assert.Contains(t, held, key, "%s: %s uses it", path, module)
		}
		for key := range held {
			assert.Contains(t, wanted, key, path)
		}
	}
}

// textsOf returns the keys that modules use, with all modules that they import.
func textsOf(t *testing.T, all texts, modules []string) map[string]string {
	t.Helper()
	wanted, read := map[string]string{}, map[string]bool{}
	for len(modules) > 0 {
		name := modules[0]
		modules = modules[1:]
		if read[name] {
			continue
		}
		read[name] = true
		content, err := os.ReadFile("assets/" + name)
		require.NoError(t, err)
		for _, part := range parts.FindAllStringSubmatch(string(content), -1) {
			modules = append(modules, part[1])
		}
		for _, argument := range callsIn(t, "assets/"+name) {
			found := literal.FindStringSubmatch(argument)
			if found == nil || found[1] == "says." || found[1] == "cure." || found[1] == "field." || found[1] == "fault." {
				continue // refusal.js has these from a file
			}
			for key := range all {
				if key == found[1] || strings.HasSuffix(found[1], ".") && strings.HasPrefix(key, found[1]) {
					wanted[key] = name
				}
			}
		}
	}
	return wanted
}
