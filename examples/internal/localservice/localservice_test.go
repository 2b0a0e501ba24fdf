package localservice_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/localservice"
)

// The address is told only while the process holds the file; the key stays.
func TestFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "service.json")
	_, err := localservice.Read(path)
	require.ErrorIs(t, err, localservice.ErrNone)
	first, err := localservice.Hold(path, 0)
	require.NoError(t, err)
	assert.Empty(t, first.Key())
	_, err = localservice.Read(path)
	require.ErrorIs(t, err, localservice.ErrNone, "it does not listen yet")
	_, err = localservice.Hold(path, 0)
	require.ErrorIs(t, err, localservice.ErrHeld)

	want := localservice.Service{URL: "http://127.0.0.1:1", Key: "secret"}
	require.NoError(t, first.Write(want))
	got, err := localservice.Read(path)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	st, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), st.Mode().Perm())

	require.NoError(t, first.Release())
	_, err = localservice.Read(path)
	require.ErrorIs(t, err, localservice.ErrNone)
	second, err := localservice.Hold(path, time.Minute)
	require.NoError(t, err)
	assert.Equal(t, "secret", second.Key())
	require.NoError(t, second.Release())
}

// A killed process leaves its address but no lock. No program may go to this address.
func TestFileOfAKilledProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "service.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"url":"http://127.0.0.1:1","key":"secret"}`), 0o600))
	_, err := localservice.Read(path)
	require.ErrorIs(t, err, localservice.ErrNone)
	next, err := localservice.Hold(path, 0)
	require.NoError(t, err)
	assert.Equal(t, "secret", next.Key())
	left, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.NotContains(t, string(left), "127.0.0.1", "its port may be another program's")
	require.NoError(t, next.Release())
}

// The service that has started last is found.
func TestFind(t *testing.T) { // not parallel: it sets the environment
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	_, err := localservice.Find()
	require.ErrorIs(t, err, localservice.ErrNone)
	for _, database := range []string{"sqlite:/one.db", "sqlite:/two.db"} {
		path, err := localservice.Served(database)
		require.NoError(t, err)
		file, err := localservice.Hold(path, 0)
		require.NoError(t, err)
		require.NoError(t, file.Write(localservice.Service{URL: database, Key: "key"}))
		later := time.Now().Add(time.Hour)
		if database == "sqlite:/one.db" {
			later = time.Now()
		}
		require.NoError(t, os.Chtimes(path, later, later))
		found, err := localservice.Find()
		require.NoError(t, err)
		assert.Equal(t, database, found.URL)
		defer func() { require.NoError(t, file.Release()) }()
	}
}
