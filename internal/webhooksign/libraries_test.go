package webhooksign_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"flag"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/webhooksign"
)

var npm = flag.Bool("npm", false, "also check signatures with the npm package that the Makefile installs")

// rotating is a request that an old and a new key have signed, as while the keys change.
type rotating struct {
	keys   []webhooksign.Key
	header http.Header
	body   string
}

func newRotating() rotating {
	r := rotating{[]webhooksign.Key{webhooksign.NewKey(), webhooksign.NewKey()}, http.Header{}, `{"type":"test","data":{"name":"Zoë"}}`}
	webhooksign.Sign(r.header, r.keys, "01a20108-8c11-7c3e-9a55-2f6d1f0c9b11", time.Now(), []byte(r.body))
	return r
}

// The library for Go takes the old secret and the new one, and no other.
func TestSignaturesByTheGoLibrary(t *testing.T) {
	t.Parallel()
	r := newRotating()
	for _, k := range append(r.keys, webhooksign.NewKey()) {
		w, err := standardwebhooks.NewWebhook(k.Secret())
		require.NoError(t, err)
		err = w.Verify([]byte(r.body), r.header)
		if k.Public() == r.keys[0].Public() || k.Public() == r.keys[1].Public() {
			require.NoError(t, err)
		} else {
			require.Error(t, err)
		}
		require.Error(t, w.Verify([]byte(r.body+" "), r.header))
	}
}

// One line of openssl makes the same signature.
func TestSignaturesByOpenSSL(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("openssl is not installed")
	}
	r := newRotating()
	signatures := strings.Fields(r.header.Get("Webhook-Signature"))
	require.Len(t, signatures, 4)
	for n, k := range r.keys {
		secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(k.Secret(), "whsec_"))
		require.NoError(t, err)
		line := exec.CommandContext(t.Context(), "openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:"+hex.EncodeToString(secret), "-binary")
		line.Stdin = strings.NewReader(r.header.Get("Webhook-Id") + "." + r.header.Get("Webhook-Timestamp") + "." + r.body)
		sum, err := line.Output()
		require.NoError(t, err)
		assert.Equal(t, signatures[2*n], "v1,"+base64.StdEncoding.EncodeToString(sum))
	}
}

// The library for JavaScript takes the old secret and the new one, and no other.
func TestSignaturesByTheNPMLibrary(t *testing.T) {
	t.Parallel()
	if !*npm {
		t.Skip("make test-page runs it, with -npm")
	}
	folder, err := filepath.Abs("../../bin/standardwebhooks")
	require.NoError(t, err)
	r := newRotating()
	headers := map[string]string{}
	for name := range r.header {
		headers[strings.ToLower(name)] = r.header.Get(name)
	}
	for n, k := range append(r.keys, webhooksign.NewKey()) {
		asked, err := json.Marshal(map[string]any{"secret": k.Secret(), "body": r.body, "headers": headers})
		require.NoError(t, err)
		run := exec.CommandContext(t.Context(), "node", "-e", `
			const {Webhook} = require("standardwebhooks");
			const {secret, body, headers} = JSON.parse(require("fs").readFileSync(0));
			console.log(new Webhook(secret).verify(body, headers).type);`)
		run.Dir, run.Stdin = folder, strings.NewReader(string(asked))
		said, err := run.Output()
		if n == len(r.keys) {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, "test\n", string(said))
	}
}

// A Key shows nothing of itself, and comes back from its bytes.
func TestKey(t *testing.T) {
	t.Parallel()
	r := newRotating()
	k, err := webhooksign.ParseKey(r.keys[0].Bytes())
	require.NoError(t, err)
	assert.Equal(t, r.keys[0].Secret(), k.Secret())
	assert.Equal(t, r.keys[0].Public(), k.Public())
	_, err = webhooksign.ParseKey(r.keys[0].Bytes()[1:])
	require.Error(t, err)
	for _, receiver := range []string{k.Secret(), k.Public(), r.keys[1].Secret(), r.keys[1].Public()} {
		id, err := webhooksign.Verify([]string{receiver}, r.header, []byte(r.body), time.Now())
		require.NoError(t, err)
		assert.Equal(t, "01a20108-8c11-7c3e-9a55-2f6d1f0c9b11", id)
	}
}
