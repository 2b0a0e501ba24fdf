// Package linkcodes reads the tables of codes in docs/operate/link-codes.md, so that tests can
// compare the document with the messages of the engines.
package linkcodes

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Row is a row of a table: a code, and the words that the document quotes.
type Row struct {
	Code transcript.Code
	Says []string
}

var (
	line   = regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\|([^|]*)\\|")
	quoted = regexp.MustCompile(`“([^”]+)”`)
)

// Read reads the tables of the document at path. The test fails if the document has none.
func Read(t testing.TB, path string) (rows []Row) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range line.FindAllStringSubmatch(string(text), -1) {
		row := Row{Code: transcript.Code(m[1])}
		for _, words := range quoted.FindAllStringSubmatch(m[2], -1) {
			row.Says = append(row.Says, words[1])
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no table of codes", path)
	}
	return rows
}

// Has reports whether a row with that code quotes the beginning of a message.
func Has(rows []Row, code transcript.Code, message string) bool {
	return slices.ContainsFunc(rows, func(r Row) bool {
		return r.Code == code && slices.ContainsFunc(r.Says, func(words string) bool { return strings.HasPrefix(message, words) })
	})
}
