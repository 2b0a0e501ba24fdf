package server_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// apiWords are what stands in programs and not in sentences for people: routes, headers,
// media types, members of bodies, and names of Go.
var apiWords = regexp.MustCompile(`\b(GET|POST|PUT|PATCH|DELETE) /|/v1\b` +
	`|\b(Content|Idempotency|Retry|Accept|If|X)-[A-Z]\w+|\bAuthorization\b` +
	`|\b(application|multipart|text|audio|video|image)/\w` +
	`|\bdetails\.\w|\w=(true|false|%)|\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w*|\btranscript\.[A-Z]`)

var sentence = regexp.MustCompile(`^[A-Z%"].* .*[.:]$`)

// The message of an error is a sentence for people, who meet it on pages that know
// nothing of the API: what a program needs stands in code, details and the reference.
func TestMessagesAreForPeople(t *testing.T) {
	t.Parallel()
	found := 0
	for _, root := range []string{".", "../transcript/site", "../examples/website", "../examples/internal/service"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "servertest") || strings.Contains(path, "enginetest") {
				return err
			}
			for _, message := range messagesIn(t, path) {
				found++
				if strings.HasSuffix(message, " POST /v1/transcript makes one.") { // fixed words: see TestSpecification
					continue
				}
				assert.NotRegexp(t, apiWords, message, path)
			}
			return err
		}))
	}
	assert.Greater(t, found, 150, "the messages are looked for elsewhere")
}

// enginesAndWork are where every sentence in the code is a message.
var enginesAndWork = regexp.MustCompile(`^(engine/(dataapi|ffmpeg|internal/refusal|openai|pocketsphinx|videosite|whisper|ytdlp)|internal/(pipeline|shortlink)|pace|account)/`)

// messagesIn are the messages of errors in a file of Go.
func messagesIn(t *testing.T, path string) (all []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	whole := enginesAndWork.MatchString(filepath.ToSlash(path))
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			call, _ := n.Fun.(*ast.SelectorExpr)
			if call == nil || !slices.Contains([]string{"Errorf", "UpgradeRequired"}, call.Sel.Name) {
				return true
			}
			if of, _ := call.X.(*ast.Ident); call.Sel.Name == "Errorf" && (of == nil || of.Name != "transcript") {
				return true
			}
			for _, arg := range n.Args {
				if text, ok := literal(arg); ok {
					all = append(all, text)
				}
			}
		case *ast.BasicLit:
			if text, ok := literal(n); whole && ok && sentence.MatchString(text) {
				all = append(all, text)
			}
		}
		return true
	})
	return all
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}
