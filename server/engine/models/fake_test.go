package models_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/models"
)

// works is a system on which each program works.
type works struct{}

func (works) Look(program string) (string, error) { return "/usr/bin/" + program, nil }

func (works) Run(context.Context, engine.Command) (engine.Exit, error) { return engine.Exit{}, nil }

// content are bytes that no part repeats.
func content(size int) []byte {
	b := make([]byte, size)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(b) // it never fails
	return b
}

// entry is an entry for a file of some content.
func entry(name string, kind models.Kind, file string, content []byte) models.Entry {
	sum := sha256.Sum256(content)
	e := models.Entry{
		Name: name, Kind: kind, URL: "https://files.invalid/" + file, License: "MIT",
		Bytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:]),
	}
	if kind == models.KindEngine {
		e.OS, e.Arch = runtime.GOOS, runtime.GOARCH
	}
	return e
}

// bench is a server of files, and a folder that pulls from it.
type bench struct {
	*models.Folder
	server  *httptest.Server
	options models.Options
	data    []byte // of the model "small"

	mu    sync.Mutex
	asked []http.Header
}

// newBench serves the model "small" by serve, nil: as a good server does. Programs
// that it looks for work.
func newBench(t *testing.T, serve http.HandlerFunc) *bench {
	t.Helper()
	b := &bench{data: content(100_000)}
	if serve == nil {
		serve = b.good
	}
	b.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		b.asked = append(b.asked, r.Header.Clone())
		b.mu.Unlock()
		serve(w, r)
	}))
	b.server.Config.ErrorLog = quiet()
	b.server.StartTLS()
	t.Cleanup(b.server.Close)
	b.options = models.Options{
		Dir: filepath.Join(t.TempDir(), "models"), HTTP: b.server.Client(), Programs: works{},
		Table: []models.Entry{b.small()},
	}
	b.open(t, b.options)
	return b
}

// small is the model, as this server publishes it.
func (b *bench) small() models.Entry {
	e := entry("small", models.KindModel, "ggml-small.bin", b.data)
	e.URL = b.server.URL + "/ggml-small.bin"
	return e
}

// open opens the folder anew, as another process would.
func (b *bench) open(t *testing.T, o models.Options) {
	t.Helper()
	folder, err := models.Open(o)
	require.NoError(t, err)
	folder.Hurry(time.Minute)
	b.options, b.Folder = o, folder
}

// good serves the file with ranges, and a tag for its version.
func (b *bench) good(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", `"v1"`)
	http.ServeContent(w, r, "ggml-small.bin", time.Time{}, bytes.NewReader(b.data))
}

// requests are the headers of those that came.
func (b *bench) requests() []http.Header {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.asked
}

// pull plans and pulls from where the files are published.
func (b *bench) pull(ctx context.Context, name string) error {
	return b.pullFrom(ctx, name, models.Sources{})
}

func (b *bench) pullFrom(ctx context.Context, name string, from models.Sources) error {
	plan, err := b.Plan(ctx, name, from)
	if err != nil {
		return err
	}
	return b.Pull(ctx, plan, nil)
}

// state is that of an entry.
func (b *bench) state(t *testing.T, name string) models.Item {
	t.Helper()
	all, err := b.List(t.Context())
	require.NoError(t, err)
	for _, item := range all {
		if item.Name == name {
			return item
		}
	}
	t.Fatalf("no %s in %v", name, all)
	return models.Item{}
}

// installed checks that a model is there as it should be, and nothing else of it.
func (b *bench) installed(t *testing.T) {
	t.Helper()
	item := b.state(t, "small")
	require.Equal(t, models.StateInstalled, item.State)
	got, err := os.ReadFile(item.Path)
	require.NoError(t, err)
	require.True(t, bytes.Equal(b.data, got), "other bytes")
	assert.Empty(t, b.partials(t))
}

// partials are the names of all that a pull has begun.
func (b *bench) partials(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(b.Dir(), "*.*"))
	require.NoError(t, err)
	var names []string
	for _, path := range found {
		if name := filepath.Base(path); name != ".lock" {
			names = append(names, name)
		}
	}
	return names
}

// noFalseNames fails where a file has its final name and other bytes.
func (b *bench) noFalseNames(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(b.Dir(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "ggml-small.bin" {
			return nil //nolint:nilerr // the folder may not be there
		}
		got, err := os.ReadFile(path)
		assert.True(t, bytes.Equal(b.data, got), "other bytes in %s", path)
		return err
	})
	assert.NoError(t, err)
}

// packed is one entry of an archive.
type packed struct {
	tar.Header
	content string
}

func program(name, script string) packed {
	return packed{tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o755}, script}
}

func link(name, to string) packed {
	return packed{tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: to}, ""}
}

// archive packs entries as they are told, whatever is wrong with them.
func archive(t testing.TB, all ...packed) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	for _, p := range all {
		p.Size = int64(len(p.content))
		require.NoError(t, w.WriteHeader(&p.Header))
		_, err := w.Write([]byte(p.content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, zipped.Close())
	return out.Bytes()
}

// engineWith is a bench without a program, whose table has an engine.
func engineWith(t *testing.T, all ...packed) (b *bench, archiveFile string) {
	t.Helper()
	b = newBench(t, nil)
	data := archive(t, all...)
	archiveFile = filepath.Join(t.TempDir(), "engine.tar.gz")
	require.NoError(t, os.WriteFile(archiveFile, data, 0o600))
	b.options.Programs = nil
	b.options.Table = append([]models.Entry{entry("whisper-cli", models.KindEngine, "engine.tar.gz", data)}, b.options.Table...)
	b.open(t, b.options)
	return b, archiveFile
}

const good = "#!/bin/sh\necho whisper.cpp version: 9.9.9\n"

// newPlain serves without TLS, as a mirror may.
func newPlain(t *testing.T, h http.Handler) (url string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func describe(headers []http.Header) string {
	var all []string
	for _, h := range headers {
		all = append(all, fmt.Sprintf("%s if %s", h.Get("Range"), h.Get("If-Range")))
	}
	return strings.Join(all, "; ")
}
