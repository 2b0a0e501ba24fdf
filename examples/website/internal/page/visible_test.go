package page_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// texts is a catalog: the forms of each text by its key.
type texts map[string][]string

func readTexts(t *testing.T, language string) texts {
	t.Helper()
	file, err := os.ReadFile("strings/" + language + ".json")
	require.NoError(t, err)
	var found map[string]any
	require.NoError(t, json.Unmarshal(file, &found))
	all := texts{}
	for key, value := range found {
		switch value := value.(type) {
		case string:
			all[key] = []string{value}
		case map[string]any:
			for _, form := range value {
				all[key] = append(all[key], form.(string)) //nolint:forcetypeassert // a catalog has no other values
			}
			slices.Sort(all[key])
		}
	}
	return all
}

// shownIn are the attributes that people read or hear.
var shownIn = []string{"aria-label", "title", "placeholder", "alt", "data-notice"}

// visible returns the texts of a page that people read or hear, in its order: no scripts, no
// code, and nothing that is quoted in another language than the page's.
func visible(t *testing.T, page string) (all []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			if text := strings.Join(strings.Fields(n.Data), " "); text != "" {
				all = append(all, text)
			}
		}
		if n.Type == html.ElementNode {
			if slices.Contains([]string{"script", "style", "code", "pre", "kbd", "textarea", "noscript"}, n.Data) || n.Data != "html" && attribute(n, "lang") != "" {
				return
			}
			for _, name := range shownIn {
				if text := attribute(n, name); text != "" {
					all = append(all, text)
				}
			}
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			walk(child)
		}
	}
	walk(root)
	return all
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// placeholder is the place of a value in a text.
var placeholder = regexp.MustCompile(`\{\w+\}`)

// jargon are the words of the API: routes, headers, media types, members, codes, statuses and
// the names of platforms. None of them is for people.
var jargon = regexp.MustCompile(`\b(?:GET|HEAD|POST|PUT|PATCH|DELETE)\b|/v1\b|\b(?:Content|Idempotency|Retry|If|X|Upload)-[A-Z]\w+|` +
	`\b(?:application|multipart|text|audio|video)/\w|octet-stream|multipart|\bdetails\.|\b[a-z]+_[a-z]+|\b[a-z]+[A-Z]\w*|\b[A-Z]+_[A-Z_]+\b|\b4[0-2][0-9]\b|\b50[1-4]\b|JSON`)
