package transcriptkit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/dataapi"
	"github.com/transcriptkit/transcriptkit/server/engine/openai"
	"github.com/transcriptkit/transcriptkit/server/engine/videosite"
	"github.com/transcriptkit/transcriptkit/server/engine/whisper"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// must is for values that a test cannot do without.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// holders are the public values that hold a secret.
func holders(t *testing.T, secret string) map[string]any {
	t.Helper()
	proxy := &url.URL{Scheme: "http", User: url.UserPassword("user", secret), Host: "proxy.test:3128"}
	s := servertest.New(t, servertest.Configure(func(c *server.Config) { c.Egress.Proxies = []*url.URL{proxy} }))
	c := must(client.New(s.URL, client.WithAPIKey(secret), client.WithHeader("Cookie", secret)))
	config := server.Config{Store: s.Store, Egress: server.Egress{Proxies: []*url.URL{proxy}}}
	stores := store.Options{Database: "postgres://user:" + secret + "@db.test/x?sslpassword=" + secret, Blobs: "s3://" + secret + "@bucket?token=" + secret}
	network := engine.Host{HTTP: http.DefaultClient}
	header := http.Header{"Cookie": {secret}}
	return map[string]any{
		"client.Client":             c,
		"client.Client, a copy":     *c,
		"client.UsageService":       *c.Usage,
		"client.WithAPIKey":         client.WithAPIKey(secret),
		"client.WithHeader":         client.WithHeader("Cookie", secret),
		"client.WithIdempotencyKey": client.WithIdempotencyKey(secret),
		"server.Config":             config,
		"server.Egress":             config.Egress,
		"server.Server":             s.Server,
		"servertest.Server":         s,
		"store.Options":             stores,
		"store.Options, no URL":     store.Options{Database: "host=db.test password=" + secret},
		"dataapi.Options":           dataapi.Options{Key: secret},
		"dataapi.Discovery":         must(dataapi.New(dataapi.Options{Key: secret})),
		"openai.Options":            openai.Options{Key: secret},
		"openai.Recognizer":         must(openai.New(openai.Options{BaseURL: "http://asr.test", Key: secret})),
		"videosite.Options":         videosite.Options{Header: header},
		"videosite.Route":           must(videosite.New(network, videosite.Options{Header: header})),
		"webhook.Created":           webhook.Created{Secret: webhook.NewSecret(secret)},
		"webhook.Rotated":           webhook.Rotated{Secret: webhook.NewSecret(secret)},
		"webhook.Secret, inside":    struct{ s webhook.Secret }{webhook.NewSecret(secret)},
		"whisper.ServerOptions":     whisper.ServerOptions{URL: "http://user:" + secret + "@asr.test/x?token=" + secret},
		"whisper.Server":            must(whisper.NewServer(whisper.ServerOptions{URL: "http://user:" + secret + "@asr.test"})),
	}
}

// TestSecretsAreNotPrinted prints all public values that hold a secret, in all ways and
// within other values.
func TestSecretsAreNotPrinted(t *testing.T) {
	t.Parallel()
	const secret = "tr_canary42"
	for name, v := range holders(t, secret) {
		ways := []any{v, []any{v}, map[string]any{"v": v}, struct{ V any }{v}}
		if !strings.HasSuffix(name, ".Server") { // fmt reads all of it then, also what changes while it serves
			ways = append(ways, &v)
		}
		for _, v := range ways {
			var said bytes.Buffer
			for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
				fmt.Fprintf(&said, verb+"\n", v)
			}
			if text, err := json.Marshal(v); err == nil {
				said.Write(text)
			}
			slog.New(slog.NewTextHandler(&said, nil)).Info("text", "v", v)
			slog.New(slog.NewJSONHandler(&said, nil)).Info("json", "v", v)
			text := strings.ToLower(said.String())
			shown := strings.Contains(text, secret) || strings.Contains(text, fmt.Sprintf("%x", secret))
			assert.False(t, shown, "%s shows its secret", name)
		}
	}
}

// TestKeysAreNotKept: whoever has accepted a key prints without it.
func TestKeysAreNotKept(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	_, err := must(client.New(s.URL, client.WithAPIKey(s.Key))).Usage.Get(t.Context())
	require.NoError(t, err)
	for _, v := range []any{s, s.Server, s.Accounts, *s.Store} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			assert.NotContains(t, fmt.Sprintf(verb, v), s.Key[12:])
		}
	}
}

// secretNames are the names of members that may hold a secret. notSecret are those of
// them that hold none.
var (
	secretNames = regexp.MustCompile(`^(API)?Key$|Secret|Password|Credential|Cookie|^Prox(y|ies)$|DSN|^Database$|^Blobs$|^Header$|^Token$`)
	notSecret   = []string{"client.PageParams", "client.Response", "store.Backup", "store.Pending", "transcript.Usage", "ytdlp.Access"} // the last names files of cookies
)

// TestHoldersOfSecretsAreKnown looks for public types with a member that may hold a
// secret: TestSecretsAreNotPrinted must have each.
func TestHoldersOfSecretsAreKnown(t *testing.T) {
	t.Parallel()
	known := holders(t, "secret")
	found := 0
	for _, root := range []string{"batch", "client", "library", "server", "transcript"} {
		require.NoError(t, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "internal" || d.Name() == "testdata"):
				return filepath.SkipDir
			case path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go"):
				return nil
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, name := range holdersIn(parsed) {
				found++
				if !slices.Contains(notSecret, name) {
					_, tried := known[name]
					assert.True(t, tried, "%s in %s", name, file)
				}
			}
			return nil
		}))
	}
	assert.Greater(t, found, 7)
}

// holdersIn are the exported types of a file with a member of such a name.
func holdersIn(file *ast.File) (names []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		spec, is := n.(*ast.TypeSpec)
		if !is || !spec.Name.IsExported() {
			return true
		}
		members, is := spec.Type.(*ast.StructType)
		if !is {
			return true
		}
		for _, member := range members.Fields.List {
			for _, name := range member.Names {
				if secretNames.MatchString(name.Name) {
					names = append(names, file.Name.Name+"."+spec.Name.Name)
					return false
				}
			}
		}
		return true
	})
	return names
}
