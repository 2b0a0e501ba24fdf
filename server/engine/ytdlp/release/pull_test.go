package release_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/models"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp/release"
)

func TestPull(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	plan, err := b.Plan(t.Context(), models.Sources{})
	require.NoError(t, err)
	require.Len(t, plan.Downloads, 1)
	assert.Equal(t, known, plan.Version)
	assert.Equal(t, b.server.URL+"/download/"+known+"/"+b.file, plan.Downloads[0].From)
	assert.EqualValues(t, len(program(known)), plan.Left)
	assert.NoDirExists(t, b.Dir(), "made by a plan")

	var told int64
	version, err := b.Pull(t.Context(), plan, func(_ models.Entry, done, _ int64) { told = done })
	require.NoError(t, err)
	assert.Equal(t, known, version)
	assert.EqualValues(t, len(program(known)), told)
	b.has(t, known)

	version, err = b.pull(t, false, models.Sources{})
	require.NoError(t, err)
	assert.Equal(t, known, version)
	assert.Len(t, b.requests(), 1, "the release was there")

	version, err = b.pull(t, true, models.Sources{})
	require.NoError(t, err)
	assert.Equal(t, newer, version)
	b.has(t, newer)
	for _, newest := range []bool{true, false} {
		plan, err := b.Plan(t.Context(), models.Sources{})
		require.NoError(t, err)
		assert.Equal(t, newer, plan.There, "the compiled-in release is older than this one")
		version, err = b.pull(t, newest, models.Sources{})
		require.NoError(t, err)
		assert.Equal(t, newer, version)
	}
	assert.Len(t, b.requests(), 2)
	b.has(t, newer)
}

// A server that cannot sign for the publisher brings nothing into the folder, and no executable
// is even asked for.
func TestForgedSums(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		forge func(t *testing.T, b *bench, sums, signature string)
		says  string
		is    error
	}{
		"another hash": {func(_ *testing.T, b *bench, sums, _ string) {
			b.set(sums, []byte(hash([]byte("evil"))+"  "+b.file+"\n"))
		}, "invalid signature", release.ErrSignature},
		"another key": {func(t *testing.T, b *bench, sums, signature string) {
			b.set(signature, newPublisher(t).sign(t, b.files[sums], newer))
		}, "unknown entity", release.ErrSignature},
		"no signature": {func(_ *testing.T, b *bench, _, signature string) {
			b.set(signature, nil)
		}, "unknown entity", release.ErrSignature},
		"a login page": {func(_ *testing.T, b *bench, sums, signature string) {
			b.set(sums, []byte("<html>Sign in</html>"))
			b.set(signature, []byte("<html>Sign in</html>"))
		}, "", release.ErrSignature},
		"endless sums": {func(_ *testing.T, b *bench, sums, _ string) {
			b.set(sums, make([]byte, 1<<20))
		}, "larger than 65536 bytes", nil},
		"no executable": {func(t *testing.T, b *bench, sums, signature string) {
			b.set(sums, []byte(strings.Repeat("0", 64)+"  other\n"))
			b.set(signature, b.publisher.sign(t, b.files[sums], newer))
		}, "0 times", nil},
		"two executables": {func(t *testing.T, b *bench, sums, signature string) {
			b.set(sums, append(b.files[sums], strings.Repeat("0", 64)+" *"+b.file+"\n"...))
			b.set(signature, b.publisher.sign(t, b.files[sums], newer))
		}, "2 times", nil},
		"half a hash": {func(t *testing.T, b *bench, sums, signature string) {
			b.set(sums, []byte("00ff  "+b.file+"\n"))
			b.set(signature, b.publisher.sign(t, b.files[sums], newer))
		}, "malformed", nil},
		"old and genuine": {func(t *testing.T, b *bench, _, _ string) {
			b.publish(t, older, older)
		}, "signed on 2026-07-04", release.ErrOld},
		"no sums": {func(_ *testing.T, b *bench, sums, _ string) {
			delete(b.files, sums)
		}, "404 Not Found: the file is not there: use a mirror", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			c.forge(t, b, "/latest/download/SHA2-256SUMS", "/latest/download/SHA2-256SUMS.sig")
			_, err := b.pull(t, true, models.Sources{})
			require.ErrorContains(t, err, c.says)
			if c.is != nil {
				require.ErrorIs(t, err, c.is)
			}
			assert.Empty(t, b.requests())
			b.empty(t)
		})
	}
}

// The pull notices an old release with newly signed sums when the release runs. The
// folder keeps its files.
func TestOldReleaseIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.publish(t, older, newer)
	_, err := b.pull(t, true, models.Sources{})
	require.ErrorIs(t, err, release.ErrOld)
	b.empty(t)

	b.publish(t, newer, newer)
	_, err = b.pull(t, true, models.Sources{})
	require.NoError(t, err)
	b.publish(t, "2026.10.21", newer)
	_, err = b.pull(t, true, models.Sources{})
	require.ErrorIs(t, err, release.ErrOld)
	require.ErrorContains(t, err, "2026.10.21 is older than "+newer)
	b.has(t, newer)
}

// The file is not the published one, or is no program: what the folder has stays.
func TestWrongExecutable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(t *testing.T, b *bench)
		says  string
	}{
		"another file": {func(_ *testing.T, b *bench) {
			b.set("/latest/download/"+b.file, append(program(newer), "evil"...))
		}, "the hash is wrong"},
		"no program": {func(t *testing.T, b *bench) {
			b.set("/latest/download/"+b.file, []byte("\x7fELF of another processor"))
			sums := []byte(hash(b.files["/latest/download/"+b.file]) + "  " + b.file + "\n")
			b.set("/latest/download/SHA2-256SUMS", sums)
			b.set("/latest/download/SHA2-256SUMS.sig", b.publisher.sign(t, sums, newer))
		}, "does not start here: "},
		"no size": {func(_ *testing.T, b *bench) {
			b.wrong = func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodHead && strings.HasSuffix(r.URL.Path, b.file) {
					w.Header().Set("Transfer-Encoding", "chunked")
					return
				}
				b.good(w, r)
			}
		}, "this is no executable of yt-dlp"},
		"a huge size": {func(_ *testing.T, b *bench) {
			b.wrong = func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodHead && strings.HasSuffix(r.URL.Path, b.file) {
					w.Header().Set("Content-Length", "99999999999")
					return
				}
				b.good(w, r)
			}
		}, "this is no executable of yt-dlp"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			_, err := b.pull(t, false, models.Sources{})
			require.NoError(t, err)
			c.spoil(t, b)
			_, err = b.pull(t, true, models.Sources{})
			require.ErrorContains(t, err, c.says)
			b.wrong = nil
			b.has(t, known)
		})
	}
	b := newBench(t)
	b.options.Known.SHA256 = map[string]string{b.file: hash(program(newer))}
	b.set("/download/"+known+"/"+b.file, program(newer))
	b.open(t)
	_, err := b.pull(t, false, models.Sources{})
	require.ErrorContains(t, err, "says that it is release "+newer)
	b.empty(t)
}

// A connection that ends in the middle costs only the bytes that are missing.
func TestCutOff(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var times atomic.Int32
	b.wrong = func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, b.file) && times.Add(1) == 1 {
			w.Header().Set("Content-Length", fmt.Sprint(len(program(newer))))
			_, _ = w.Write(program(newer)[:100_000]) // the test sees the rest come
			panic(http.ErrAbortHandler)
		}
		b.good(w, r)
	}
	version, err := b.pull(t, true, models.Sources{})
	require.NoError(t, err)
	assert.Equal(t, newer, version)
	b.has(t, newer)
	require.Len(t, b.requests(), 2)
	assert.Regexp(t, `bytes=\d{3,}-$`, b.requests()[1])
}

// Nothing leads from https to http: neither the sums nor the executable.
func TestRedirectToHTTP(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"SHA2-256SUMS", "SHA2-256SUMS.sig", "yt-dlp_linux"} {
		b := newBench(t)
		plain := httptest.NewServer(http.HandlerFunc(b.good))
		t.Cleanup(plain.Close)
		b.wrong = func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(filepath.Base(r.URL.Path), name) {
				http.Redirect(w, r, plain.URL+r.URL.Path, http.StatusFound)
				return
			}
			b.good(w, r)
		}
		_, err := b.pull(t, true, models.Sources{})
		require.ErrorContains(t, err, "redirects to http://127.0.0.1:")
		b.empty(t)
	}
}

func TestServersThatFail(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var times atomic.Int32
	b.wrong = func(w http.ResponseWriter, r *http.Request) {
		if times.Add(1) <= 2 {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		b.good(w, r)
	}
	version, err := b.pull(t, true, models.Sources{})
	require.NoError(t, err, "passing faults")
	assert.Equal(t, newer, version)

	b = newBench(t)
	b.wrong = func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) }
	_, err = b.pull(t, false, models.Sources{})
	require.ErrorContains(t, err, "it answers 401 Unauthorized: pull again later, or use a mirror")
	b.server.Close()
	for _, newest := range []bool{false, true} {
		_, err = b.pull(t, newest, models.Sources{})
		require.ErrorIs(t, err, models.ErrUnreachable)
	}
	b.empty(t)
}

// A mirror may be plain, as hashes and the signature protect the files. Its password is in no
// message.
func TestMirror(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	flat := map[string]string{"/m/" + b.file: "/latest/download/" + b.file, "/m/SHA2-256SUMS": "/latest/download/SHA2-256SUMS", "/m/SHA2-256SUMS.sig": "/latest/download/SHA2-256SUMS.sig"}
	mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "secret" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		r.URL.Path = flat[r.URL.Path]
		b.good(w, r)
	}))
	t.Cleanup(mirror.Close)
	at := strings.Replace(mirror.URL, "http://", "http://user:secret@", 1) + "/m"
	version, err := b.pull(t, true, models.Sources{Mirror: at})
	require.NoError(t, err)
	assert.Equal(t, newer, version)
	b.has(t, newer)
	assert.Empty(t, b.asked, "the publisher's server")

	mirror.Close()
	_, err = b.pull(t, true, models.Sources{Mirror: at})
	require.ErrorIs(t, err, models.ErrUnreachable)
	assert.NotContains(t, err.Error(), "secret")
	_, err = b.pull(t, true, models.Sources{Mirror: "ftp://m.example"})
	require.ErrorContains(t, err, "want the mirror as https://HOST/FOLDER")
}

func TestLocalFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.server.Close()
	dir := t.TempDir()
	keep := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		return path
	}
	_, err := b.pull(t, false, models.Sources{Files: []string{keep("other", program(newer))}})
	require.ErrorIs(t, err, models.ErrHash)
	b.empty(t)
	version, err := b.pull(t, false, models.Sources{Files: []string{keep("known", program(known))}})
	require.NoError(t, err)
	assert.Equal(t, known, version)
	b.has(t, known)

	sums, signature := keep("SHA2-256SUMS", b.files["/latest/download/SHA2-256SUMS"]), keep("SHA2-256SUMS.sig", b.files["/latest/download/SHA2-256SUMS.sig"])
	_, err = b.pull(t, true, models.Sources{Files: []string{keep("newest", program(newer)), sums}})
	require.ErrorContains(t, err, "SHA2-256SUMS.sig is missing")
	version, err = b.pull(t, true, models.Sources{Files: []string{sums, keep("newest", program(newer)), signature}})
	require.NoError(t, err)
	assert.Equal(t, newer, version)
	b.has(t, newer)
}

func TestOnePullAtATime(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.NoError(t, os.Mkdir(b.Dir(), 0o755))
	other := flock.New(filepath.Join(b.Dir(), ".pull"))
	held, err := other.TryLock()
	require.NoError(t, err)
	require.True(t, held)
	_, err = b.pull(t, false, models.Sources{})
	require.ErrorIs(t, err, models.ErrBusy)
	require.NoError(t, other.Unlock())
	_, err = b.pull(t, false, models.Sources{})
	require.NoError(t, err)
}

// An executable that may not start gets its mode back from a pull of the same release.
func TestPullCuresTheMode(t *testing.T) {
	t.Parallel()
	for _, newest := range []bool{false, true} {
		b := newBench(t)
		version, err := b.pull(t, newest, models.Sources{})
		require.NoError(t, err)
		require.NoError(t, os.Chmod(b.Program(), 0o600))
		again, err := b.pull(t, newest, models.Sources{})
		require.NoError(t, err)
		assert.Equal(t, version, again)
		b.has(t, version)
		assert.Len(t, b.requests(), 1, "the content was there")
	}
}

// refusing is a runner that starts no program.
type refusing struct{ engine.Runner }

func (refusing) Run(context.Context, engine.Command) (engine.Exit, error) {
	return engine.Exit{}, os.ErrPermission
}

// A folder keeps its executable if a machine does not start it.
func TestPullKeepsWhatDoesNotStart(t *testing.T) {
	t.Parallel()
	for _, newest := range []bool{false, true} {
		b := newBench(t)
		version, err := b.pull(t, newest, models.Sources{})
		require.NoError(t, err)
		b.options.Programs = refusing{}
		b.open(t)
		_, err = b.pull(t, newest, models.Sources{})
		require.ErrorContains(t, err, "noexec")
		b.has(t, version)
	}
}
