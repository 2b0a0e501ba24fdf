package service_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
)

// No link leads to where the database is.
func TestDatabaseAddresses(t *testing.T) {
	t.Parallel()
	for database, want := range map[string][]string{
		"sqlite:transcriptd.db":                     nil,
		"postgres://u:secret@db.example/x":          {"db.example:5432"},
		"postgresql://u@10.0.0.7:6432/x":            {"10.0.0.7:6432"},
		"postgres://u@[::1]:5433/x?sslmode=disable": {"[::1]:5433"},
		"postgres://a.example,b.example:5433/x":     {"a.example:5432", "b.example:5433"},
		"postgres:///x?host=/var/run/postgresql":    nil,
		"postgres:///x?host=c.example&port=7000":    {"c.example:7000"},
	} {
		var flags service.Flags
		require.NoError(t, flags.DB.UnmarshalText([]byte(database)), database)
		config, err := service.Setup{Flags: flags}.Config()
		require.NoError(t, err, database)
		assert.Equal(t, want, config.Egress.Deny, database)
	}
	err := new(service.Database).UnmarshalText([]byte("postgres://u:secret@db.example:port/x"))
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "secret")
}
