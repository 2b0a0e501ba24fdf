package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// The dry run tells by the plans of the file what goes, and leaves everything where it is.
func TestAccountsExpired(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	plans := writePlans(t, `{"defaultPlan": "brief", "plans": {"brief": {"keepLibrarySec": 86400}}}`)
	must(t, "accounts", "set", "acme", "--db", db, "--plans", plans)
	raw := storetest.SQL(t, store.Options{Database: db})
	_, err := raw.ExecContext(t.Context(), `INSERT INTO library_rows (id, account, kind, platform, external_id, lang, error_code, starred, created_at, updated_at)
		VALUES ('one', 'acme', 'failed', 'video_site', 'v1', 'en', 'NO_TRANSCRIPT', false, ?1, ?1)`, time.Now().UTC().Add(-48*time.Hour).Format("2006-01-02 15:04:05.999+00:00"))
	require.NoError(t, err)

	a := must(t, "accounts", "expired", "--db", db, "--plans", plans)
	lines := strings.Split(strings.TrimSpace(a.stdout), "\n")
	require.Len(t, lines, 2, a.stdout)
	assert.Equal(t, []string{"acme", "brief", "1", "0", "0", "0", "0", "0"}, strings.Fields(lines[1]))
	assert.Equal(t, "A service with these plans removes 1 entries and 0 B of 1 accounts within an hour. Nothing was changed.\n", a.stderr)
	assert.Equal(t, 1, storetest.Count(t, store.Options{Database: db}, "library_rows"))

	other := writePlans(t, `{"defaultPlan": "brief", "plans": {"brief": {"keepLibrarySec": 604800}}}`)
	a = must(t, "accounts", "expired", "--db", db, "--plans", other)
	assert.NotContains(t, a.stdout, "acme")
}
