package server_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
)

// A newer version may change the tables so that a process of this version cannot go on. The process
// then says so to its load balancer and to its operator.
func TestTablesOfANewerVersion(t *testing.T) {
	t.Parallel()
	s := start(t)
	require.Equal(t, http.StatusOK, s.get(t, "/readyz").StatusCode)
	raw := storetest.SQL(t, s.options)
	for _, statement := range []string{
		"INSERT INTO goose_db_version (version_id, is_applied) VALUES (1000, true)",
		"UPDATE compatibility SET oldest = 1000, release = 'v9.9.9'",
	} {
		_, err := raw.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	ready := s.get(t, "/readyz")
	assert.Equal(t, http.StatusServiceUnavailable, ready.StatusCode)
	assert.Contains(t, ready.object(t)["checks"].(map[string]any)["store"], "install the version that the log names")
	assert.Contains(t, s.log.String(), "the tables are of version v9.9.9")
}
