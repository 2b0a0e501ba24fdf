package server_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// altered is a key with one character of its secret changed, which its checksum
// notices.
func altered(key string) string {
	last := key[len(key)-1]
	return key[:len(key)-1] + string(last^1)
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	s := start(t)
	other := start(t)
	for name, c := range map[string]struct {
		path    string // unknownJob where empty
		changes []change
		slug    string // empty: let in
	}{
		"a bearer":              {"", nil, ""},
		"a bearer, lower case":  {"", []change{as(""), header("Authorization", "bearer "+s.Key)}, ""},
		"X-API-Key":             {"", []change{as(""), header("X-API-Key", s.Key)}, ""},
		"a bearer and a cookie": {"", []change{header("Cookie", "session=1")}, ""},

		"none":                     {"", []change{as("")}, "unauthorized"},
		"a cookie alone":           {"", []change{as(""), header("Cookie", "session=1")}, "invalid_credential"},
		"a bearer that is no key":  {"", []change{as("eyJhbGciOiJIUzI1NiJ9.e30.x")}, "invalid_credential"},
		"an empty bearer":          {"", []change{as(""), header("Authorization", "Bearer")}, "invalid_credential"},
		"another scheme":           {"", []change{as(""), header("Authorization", "Basic "+s.Key)}, "invalid_credential"},
		"a key without a scheme":   {"", []change{as(""), header("Authorization", s.Key)}, "invalid_credential"},
		"a key with a typing slip": {"", []change{as(altered(s.Key))}, "invalid_credential"},
		"a key cut short":          {"", []change{as(s.Key[:len(s.Key)-1])}, "invalid_credential"},
		"another service's key":    {"", []change{as(other.Key)}, "invalid_credential"},
		"both headers":             {"", []change{header("X-API-Key", s.Key)}, "invalid_credential"},
		"two bearers":              {"", []change{header("Authorization", "Bearer "+s.Key)}, "invalid_credential"},
		"two X-API-Keys":           {"", []change{as(""), header("X-API-Key", s.Key), header("X-API-Key", s.Key)}, "invalid_credential"},

		"a key in the query":             {unknownJob + "?api_key=" + s.Key, []change{as("")}, "invalid_credential"},
		"a key in the query as well":     {unknownJob + "?x=" + s.Key, nil, "invalid_credential"},
		"a foreign key in the query":     {unknownJob + "?x=" + other.Key, nil, "invalid_credential"},
		"a key as a name in the query":   {unknownJob + "?" + s.Key, nil, "invalid_credential"},
		"a key within a value":           {unknownJob + "?next=/a/" + s.Key + "/b", nil, "invalid_credential"},
		"an escaped key":                 {unknownJob + "?x=" + strings.Replace(s.Key, "tr_", "t%72_", 1), nil, "invalid_credential"},
		"a key in a query of a bad form": {unknownJob + "?x=%zz;y=" + s.Key, nil, "invalid_credential"},
		"no key in the query":            {unknownJob + "?x=" + altered(s.Key), nil, ""},
	} {
		path := c.path
		if path == "" {
			path = unknownJob
		}
		a := s.get(t, path, c.changes...)
		if c.slug == "" {
			assert.Equal(t, http.StatusNotFound, a.StatusCode, "%s: %s", name, a.body)
			continue
		}
		require.Equal(t, http.StatusUnauthorized, a.StatusCode, name)
		assert.Equal(t, c.slug, a.slug(t), name)
		assert.Equal(t, "Bearer", a.Header.Get("WWW-Authenticate"), name)
	}
	log := s.log.String()
	assert.NotContains(t, log, s.Key)
	assert.NotContains(t, log, other.Key)
	assert.Contains(t, log, "key="+other.Key[:11], "the owner is told")
}

func TestCredentialsThatHaveLapsed(t *testing.T) {
	t.Parallel()
	s := start(t)
	ctx := t.Context()
	expiring, revoked := s.expiringKey(t), s.NewKey(t, servertest.Account)
	require.Equal(t, http.StatusNotFound, s.get(t, unknownJob, as(revoked)).StatusCode)
	require.NoError(t, s.Accounts.Revoke(ctx, revoked[:11]))
	a := s.get(t, unknownJob, as(revoked))
	require.Equal(t, http.StatusUnauthorized, a.StatusCode, "what is changed through Config.Accounts, the next request obeys")
	assert.Equal(t, "invalid_credential", a.slug(t))

	s.expire(t, expiring)
	assert.Equal(t, http.StatusUnauthorized, s.get(t, unknownJob, as(expiring)).StatusCode)
	assert.Equal(t, http.StatusNotFound, s.get(t, unknownJob).StatusCode, "the other keys stay")
}

// expiringKey makes a key that expires in an hour.
func (s *service) expiringKey(t *testing.T) string {
	t.Helper()
	later := time.Now().Add(time.Hour)
	_, key, err := s.Accounts.CreateKey(t.Context(), account.KeyParams{
		Account: servertest.Account, Name: "test", Scopes: account.Scopes(), ExpiresAt: &later,
	})
	require.NoError(t, err)
	return key
}

// expire lets the time of a key end.
func (s *service) expire(t *testing.T, key string) {
	t.Helper()
	_, err := storetest.SQL(t, s.options).ExecContext(t.Context(), fmt.Sprintf("UPDATE keys SET expires_at = created_at WHERE prefix = '%s'", key[:11]))
	require.NoError(t, err)
}

// No key is to be found in what the service keeps or says.
func TestKeysAreKeptNowhere(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.upload(t, "a file", header("Idempotency-Key", "one"))
	s.get(t, unknownJob+"?key="+s.Key)
	s.get(t, unknownJob, as(altered(s.Key)))
	s.get(t, "/"+s.Key)
	secret := s.Key[12:]
	assert.NotContains(t, s.log.String(), secret)
	assert.Contains(t, s.log.String(), "key="+s.Key[:11], "requests are logged with the key's prefix")
	for _, path := range append(files(t, s.dir), files(t, s.scratch)...) {
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // audio that has gone since its name was read
		}
		require.NoError(t, err)
		assert.NotContains(t, string(content), secret, path)
	}
	keys, err := s.Accounts.Keys(t.Context())
	require.NoError(t, err)
	assert.NotContains(t, fmt.Sprintf("%+v", keys), secret)
}
