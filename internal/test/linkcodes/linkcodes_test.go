package linkcodes_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/linkcodes"
)

const document = "../../../docs/operate/link-codes.md"

// The document quotes only words that stand in the source of the engines and of what asks them.
func TestQuotedMessagesAreSaid(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for _, root := range []string{"../../../server/engine", "../../../server/internal/ask"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			source.Write(text)
			return err
		}))
	}
	said := strings.ReplaceAll(source.String(), "\" +\n\t\t\"", "") // a text that goes on in the next line
	for _, row := range linkcodes.Read(t, document) {
		for _, words := range row.Says {
			if !strings.Contains(said, `"`+words) { // without the source in the failure
				t.Errorf("docs/operate/link-codes.md quotes %s: %q, which no engine says", row.Code, words)
			}
		}
	}
}

// The document explains every message with which the readers of links refuse. Their source has
// the messages as texts of calls and of refusals.
func TestMessagesAreExplained(t *testing.T) {
	t.Parallel()
	rows := linkcodes.Read(t, document)
	found := 0
	for _, folder := range []string{"ytdlp", "videosite", "internal/player", "internal/refusal"} {
		files, err := filepath.Glob(filepath.Join("../../../server/engine", folder, "*.go"))
		require.NoError(t, err)
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			require.NoError(t, err)
			for _, message := range messagesOf(file) {
				found++
				assert.True(t, slices.ContainsFunc(rows, func(r linkcodes.Row) bool { return linkcodes.Has(rows, r.Code, message) }),
					"docs/operate/link-codes.md does not explain %q of %s", message, path)
			}
		}
	}
	assert.Greater(t, found, 40)
}

// speakers are the functions that make an error of a text.
var speakers = []string{"upstream", "unavailable", "broken", "curable"}

// messagesOf returns the beginnings of the messages in a file, up to what is put in.
func messagesOf(file *ast.File) (all []string) {
	add := func(e ast.Expr) {
		for {
			sum, ok := e.(*ast.BinaryExpr)
			if !ok {
				break
			}
			e = sum.X
		}
		if text, ok := e.(*ast.BasicLit); ok && text.Kind == token.STRING {
			message, _ := strconv.Unquote(text.Value) // the parser has read it
			if before, _, _ := strings.Cut(message, "%"); len(before) > 10 {
				all = append(all, strings.TrimSpace(before))
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && slices.Contains(speakers, f.Name) {
				for _, arg := range n.Args {
					add(arg)
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Message" {
				add(n.Value)
			}
		}
		return true
	})
	return all
}

func TestHas(t *testing.T) {
	t.Parallel()
	rows := []linkcodes.Row{{Code: "A", Says: []string{"It fails.", "It is gone:"}}}
	assert.True(t, linkcodes.Has(rows, "A", "It is gone: do that."))
	assert.False(t, linkcodes.Has(rows, "B", "It fails."))
	assert.False(t, linkcodes.Has(rows, "A", "It works."))
}
