// Package e2e_test holds the whole service to its promises: real media, the
// real programs, real HTTP, and processes that die.
package e2e_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/server/engine/pocketsphinx"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// service is the whole service in this process, with the real engines.
type service struct {
	*client.Client
	url, key       string
	blobs, scratch string
	store          *store.Store
}

func startService(t testing.TB, change ...func(*server.Config)) *service {
	t.Helper()
	o := storetest.SQLite(t)
	st := storetest.Open(t, o)
	s := &service{blobs: o.Blobs, scratch: t.TempDir(), store: st}
	cfg := server.Config{Store: st, Dir: s.scratch, Engine: func(h engine.Host) (engine.Engine, error) {
		return engine.Engine{Media: ffmpeg.New(h), Recognizer: pocketsphinx.New(h)}, nil
	}}
	for _, f := range change {
		f(&cfg)
	}
	srv, err := server.New(t.Context(), cfg)
	require.NoError(t, err)
	require.NoError(t, srv.Start(t.Context()))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	http := srv.HTTPServer("")
	go func() { _ = http.Serve(srv.Listener(listener)) }() // returns when it is shut down
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		assert.NoError(t, srv.Stop(ctx))
	})
	s.url = "http://" + listener.Addr().String()
	s.key = makeKey(t, st)
	s.Client, err = client.New(s.url, client.WithAPIKey(s.key))
	require.NoError(t, err)
	return s
}

func makeKey(t testing.TB, st *store.Store) string {
	t.Helper()
	return makeKeyOf(t, st, "acme")
}

// makeKeyOf makes an account and a key of it.
func makeKeyOf(t testing.TB, st *store.Store, name string) string {
	t.Helper()
	accounts, err := account.New(st, account.DefaultPlans())
	require.NoError(t, err)
	_, err = accounts.Set(t.Context(), name, account.Settings{})
	require.NoError(t, err)
	_, key, err := accounts.CreateKey(t.Context(), account.KeyParams{Account: name, Name: "test", Scopes: account.Scopes()})
	require.NoError(t, err)
	return key
}

// keptAudio returns a function that tells whether a blob is audio of a job that has ended: such audio
// stays for an hour.
func keptAudio(t testing.TB, st *store.Store) func(key string) bool {
	t.Helper()
	ended, err := db.Of(st).WithAudio(t.Context(), 0)
	require.NoError(t, err)
	return func(key string) bool {
		return slices.ContainsFunc(ended, func(e db.Work) bool {
			upload, inParts := blobs.PartsPrefix(e.MediaKey)
			if !inParts {
				upload = e.MediaKey
			}
			return strings.HasPrefix(key, db.AudioPrefix+e.ID) || upload != "" && strings.HasPrefix(key, upload)
		})
	}
}

// leftovers are the files that uploads have left behind, without the audio that stays for an hour.
func (s *service) leftovers(t testing.TB) (files []string) {
	t.Helper()
	kept := keptAudio(t, s.store)
	for _, root := range []string{s.blobs, s.scratch} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // gone since its name was read
			}
			if key, err := filepath.Rel(s.blobs, path); err == nil && kept(key) {
				return nil
			}
			if err == nil && !d.IsDir() && d.Name() != ".lock" {
				files = append(files, path)
			}
			return err
		})
		require.NoError(t, err)
	}
	return files
}
