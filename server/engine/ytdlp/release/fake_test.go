package release_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine/models"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp/release"
)

// The releases of the tests: the compiled-in one, and its neighbors.
const (
	older = "2026.07.04"
	known = "2026.08.19"
	newer = "2026.10.26"
)

// file returns the executable's published name on this system.
func file(t *testing.T) string {
	t.Helper()
	name := map[string]string{"amd64": "yt-dlp_linux", "arm64": "yt-dlp_linux_aarch64"}[runtime.GOARCH]
	if runtime.GOOS != "linux" || name == "" {
		t.Skip("no executable is published for this system")
	}
	return name
}

// program is an executable that says its version. No part of it repeats.
func program(version string) []byte {
	text := []byte("#!/bin/sh\necho " + version + "\nexit\n")
	for i := range 3000 {
		text = fmt.Appendf(text, "# %x\n", sha256.Sum256([]byte{byte(i), byte(i >> 8)}))
	}
	return text
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hexOf(sum[:])
}

func hexOf(b []byte) string { return hex.EncodeToString(b) }

// publisher signs with a key of its own.
type publisher struct{ *openpgp.Entity }

func newPublisher(t *testing.T) publisher {
	t.Helper()
	e, err := openpgp.NewEntity("publisher", "", "publisher@example.com", &packet.Config{
		Algorithm: packet.PubKeyAlgoEdDSA, Time: func() time.Time { return day(t, "2023.02.26") },
	})
	require.NoError(t, err)
	return publisher{e}
}

// public returns the armored public key.
func (p publisher) public(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := armor.Encode(&out, openpgp.PublicKeyType, nil)
	require.NoError(t, err)
	require.NoError(t, p.Serialize(w))
	require.NoError(t, w.Close())
	return out.Bytes()
}

// sign signs a text on the day of a release.
func (p publisher) sign(t *testing.T, text []byte, version string) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, openpgp.DetachSign(&out, p.Entity, bytes.NewReader(text), &packet.Config{
		Time: func() time.Time { return day(t, version).Add(20 * time.Hour) },
	}))
	return out.Bytes()
}

func day(t *testing.T, version string) time.Time {
	t.Helper()
	at, err := time.Parse("2006.01.02", version)
	require.NoError(t, err)
	return at
}

// bench is a server with releases, and a folder that pulls from it.
type bench struct {
	*release.Folder
	publisher publisher
	server    *httptest.Server
	options   release.Options
	file      string // the executable's name

	mu    sync.Mutex
	files map[string][]byte // by their paths
	wrong http.HandlerFunc  // nil: the server is good
	asked []string          // requests, without their addresses
}

// newBench publishes the compiled-in release, and a newer one as the newest.
func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{publisher: newPublisher(t), file: file(t), files: map[string][]byte{}}
	b.server = httptest.NewUnstartedServer(b)
	b.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	b.server.StartTLS()
	t.Cleanup(b.server.Close)
	b.options = release.Options{
		Dir: filepath.Join(t.TempDir(), "yt-dlp"), HTTP: b.server.Client(), Publisher: b.publisher.public(t), Releases: b.server.URL,
		Known: release.Release{Version: known, SHA256: map[string]string{b.file: hash(program(known))}},
	}
	b.open(t)
	b.files["/download/"+known+"/"+b.file] = program(known)
	b.publish(t, newer, newer)
	return b
}

// open opens the folder again, as another process does.
func (b *bench) open(t *testing.T) {
	t.Helper()
	folder, err := release.Open(b.options)
	require.NoError(t, err)
	folder.Hurry()
	b.Folder = folder
}

// publish makes a release the newest. Its sums are signed on the day of another.
func (b *bench) publish(t *testing.T, version, signed string) {
	t.Helper()
	sums := []byte(strings.Repeat("0", 64) + "  yt-dlp\n" + hash(program(version)) + "  " + b.file + "\n" + strings.Repeat("1", 64) + "  " + b.file + ".zip\n")
	b.set("/latest/download/"+b.file, program(version))
	b.set("/latest/download/SHA2-256SUMS", sums)
	b.set("/latest/download/SHA2-256SUMS.sig", b.publisher.sign(t, sums, signed))
}

func (b *bench) set(path string, content []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.files[path] = content
}

// ServeHTTP serves the files with ranges.
func (b *bench) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	b.asked = append(b.asked, r.Method+" "+r.URL.Path+" "+r.Header.Get("Range"))
	wrong := b.wrong
	b.mu.Unlock()
	if wrong != nil {
		wrong(w, r)
		return
	}
	b.good(w, r)
}

func (b *bench) good(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	content, there := b.files[r.URL.Path]
	b.mu.Unlock()
	if !there {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("ETag", `"`+hash(content)+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// requests returns those of the executable's content.
func (b *bench) requests() (all []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, asked := range b.asked {
		if strings.HasPrefix(asked, "GET ") && strings.Contains(asked, b.file+" ") {
			all = append(all, asked)
		}
	}
	return all
}

// pull plans and pulls.
func (b *bench) pull(t *testing.T, newest bool, from models.Sources) (string, error) {
	t.Helper()
	planned := b.Plan
	if newest {
		planned = b.PlanNewest
	}
	plan, err := planned(t.Context(), from)
	if err != nil {
		return "", err
	}
	return b.Pull(t.Context(), plan, nil)
}

// has checks that the folder has a release, and nothing else.
func (b *bench) has(t *testing.T, version string) {
	t.Helper()
	content, err := os.ReadFile(b.Program())
	require.NoError(t, err)
	require.True(t, bytes.Equal(program(version), content), "another executable")
	mode, err := os.Stat(b.Program())
	require.NoError(t, err)
	assert.Equal(t, "-rwxr-xr-x", mode.Mode().String())
	folders, err := filepath.Glob(filepath.Join(b.Dir(), "yt-dlp*"))
	require.NoError(t, err)
	assert.Len(t, folders, 2, "a release, and the name of the executable")
}

// empty checks that the folder has no executable.
func (b *bench) empty(t *testing.T) {
	t.Helper()
	_, err := os.Lstat(b.Program())
	require.ErrorIs(t, err, os.ErrNotExist)
}
