package models_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine/models"
)

// quiet is the log of a server that is told lies and cut off.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

func TestPull(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	assert.Equal(t, models.StateAbsent, b.state(t, "small").State)
	_, err := b.Best(t.Context(), models.WhisperCLI)
	require.ErrorIs(t, err, models.ErrNotInstalled)
	assert.NoDirExists(t, b.Dir(), "made by looking")

	plan, err := b.Plan(t.Context(), "small", models.Sources{})
	require.NoError(t, err)
	require.Len(t, plan.Downloads, 1)
	assert.Equal(t, b.server.URL+"/ggml-small.bin", plan.Downloads[0].From)
	assert.EqualValues(t, len(b.data), plan.Left)
	assert.Greater(t, plan.Free, plan.Left)
	assert.Empty(t, plan.Reason, "there is a program")
	assert.NoDirExists(t, b.Dir(), "made by a plan")

	var told int64
	require.NoError(t, b.Pull(t.Context(), plan, func(e models.Entry, done, total int64) {
		assert.Equal(t, "small", e.Name)
		assert.EqualValues(t, len(b.data), total)
		assert.Greater(t, done, told)
		told = done
	}))
	assert.EqualValues(t, len(b.data), told)
	b.installed(t)

	best, err := b.Best(t.Context(), models.WhisperCLI)
	require.NoError(t, err)
	assert.Equal(t, "/usr/bin/whisper-cli", best.Program)
	assert.False(t, best.Pulled)
	assert.Equal(t, b.state(t, "small"), best.Model)

	plan, err = b.Plan(t.Context(), "small", models.Sources{})
	require.NoError(t, err)
	assert.Empty(t, plan.Downloads)
	require.NoError(t, b.Remove(t.Context(), "small"))
	assert.Equal(t, models.StateAbsent, b.state(t, "small").State)
	require.ErrorIs(t, b.Remove(t.Context(), "small"), models.ErrNotInstalled)
	require.ErrorIs(t, b.Remove(t.Context(), "../small"), models.ErrUnknown)
	require.ErrorIs(t, b.pull(t.Context(), "large"), models.ErrUnknown)
}

// cutting ends each connection after so many bytes of the body.
type cutting struct {
	http.ResponseWriter
	left int
}

func (c *cutting) Write(b []byte) (int, error) {
	if len(b) > c.left {
		_, _ = c.ResponseWriter.Write(b[:c.left])
		_ = http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	c.left -= len(b)
	return c.ResponseWriter.Write(b)
}

// Cut at every tenth of the file, once or always, a pull goes on where it was: no byte
// comes twice.
func TestPullGoesOnAfterACut(t *testing.T) {
	t.Parallel()
	for tenth := 1; tenth < 10; tenth++ {
		for _, always := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d of 10, always: %t", tenth, always), func(t *testing.T) {
				t.Parallel()
				var b *bench
				var times atomic.Int32
				b = newBench(t, func(w http.ResponseWriter, r *http.Request) {
					if times.Add(1) == 1 || always {
						w = &cutting{w, len(b.data) * tenth / 10}
					}
					b.good(w, r)
				})
				require.NoError(t, b.pull(t.Context(), "small"))
				b.installed(t)
				for i, h := range b.requests() {
					if i == 0 {
						assert.Empty(t, h.Get("Range"))
						continue
					}
					assert.Equal(t, fmt.Sprintf("bytes=%d-", i*len(b.data)*tenth/10), h.Get("Range"))
					assert.Equal(t, `"v1"`, h.Get("If-Range"))
				}
			})
		}
	}
}

// A pull that was given up is taken up by the next, if what lies there is still part of
// the file.
func TestPullTakesUpAnInterruptedOne(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		meanwhile func(t *testing.T, b *bench, partial string)
		serve     func(b *bench, w http.ResponseWriter, r *http.Request)
		asked     string // of the second pull
	}{
		"as it was": {asked: `bytes=50000- if "v1"`},
		"another version": {
			serve: func(b *bench, w http.ResponseWriter, r *http.Request) {
				r.Header.Set("If-Range", `"v0"`) // as if the server had "v1" no more
				b.good(w, r)
			},
			asked: `bytes=50000- if "v1"`,
		},
		"damaged where it lay": {
			meanwhile: func(t *testing.T, _ *bench, partial string) {
				overwrite(t, partial, 7)
			},
			asked: `bytes=50000- if "v1";  if `,
		},
		"longer than the file": {
			meanwhile: func(t *testing.T, b *bench, partial string) {
				require.NoError(t, os.WriteFile(partial, append(b.data, 1), 0o600))
			},
			asked: ` if `,
		},
		"complete, and not yet in its place": {
			meanwhile: func(t *testing.T, b *bench, partial string) {
				require.NoError(t, os.WriteFile(partial, b.data, 0o600))
			},
		},
		"without its tag": {
			meanwhile: func(t *testing.T, _ *bench, partial string) {
				require.NoError(t, os.Remove(strings.TrimSuffix(partial, ".part")+".etag"))
			},
			asked: `bytes=50000- if `,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b *bench
			var second atomic.Bool
			arrived := make(chan struct{})
			b = newBench(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case !second.Load():
					w.Header().Set("ETag", `"v1"`)
					w.Header().Set("Content-Length", strconv.Itoa(len(b.data)))
					_, _ = w.Write(b.data[:50_000])
					_ = http.NewResponseController(w).Flush()
					close(arrived)
					<-r.Context().Done()
				case tt.serve != nil:
					tt.serve(b, w, r)
				default:
					b.good(w, r)
				}
			})
			plan, err := b.Plan(t.Context(), "small", models.Sources{})
			require.NoError(t, err)
			ctx, cancel := context.WithCancelCause(t.Context())
			gone := errors.New("gone to bed")
			err = b.Pull(ctx, plan, func(_ models.Entry, done, _ int64) {
				if done == 50_000 {
					<-arrived
					cancel(gone)
				}
			})
			require.ErrorIs(t, err, gone)
			item := b.state(t, "small")
			require.Equal(t, models.StatePartial, item.State)
			require.EqualValues(t, 50_000, item.Have)
			if tt.meanwhile != nil {
				tt.meanwhile(t, b, filepath.Join(b.Dir(), b.small().SHA256+".part"))
			}
			second.Store(true)
			b.open(t, b.options)
			plan, err = b.Plan(t.Context(), "small", models.Sources{})
			require.NoError(t, err)
			require.NoError(t, b.Pull(t.Context(), plan, nil))
			b.installed(t)
			assert.Equal(t, tt.asked, describe(b.requests()[1:]))
		})
	}
}

// overwrite changes one byte of a file.
func overwrite(t *testing.T, path string, at int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	b := make([]byte, 1)
	_, err = f.ReadAt(b, at)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte{^b[0]}, at)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// What servers do that are broken, busy or hostile ends well or with a clear error, soon.
func TestPullFromBadServers(t *testing.T) {
	t.Parallel()
	cutOnce := func(then func(b *bench, w http.ResponseWriter, r *http.Request)) func(*bench, int, http.ResponseWriter, *http.Request) {
		return func(b *bench, time int, w http.ResponseWriter, r *http.Request) {
			if time == 1 {
				b.good(&cutting{w, len(b.data) / 2}, r)
			}
			then(b, w, r)
		}
	}
	for name, tt := range map[string]struct {
		serve    func(b *bench, time int, w http.ResponseWriter, r *http.Request)
		says     string // the error; empty: it ends well
		is       error
		requests int // at most
	}{
		"another content": {
			serve: func(b *bench, _ int, w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write(append([]byte{^b.data[0]}, b.data[1:]...))
			},
			says: "the hash is wrong: ggml-small.bin is ", is: models.ErrHash, requests: 1,
		},
		"no ranges": {
			serve:    cutOnce(func(b *bench, w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(b.data) }),
			requests: 2,
		},
		"416 for the rest": {
			serve: cutOnce(func(b *bench, w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Range") != "" {
					w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
					return
				}
				b.good(w, r)
			}),
			requests: 3,
		},
		"416 for everything": {
			serve: func(_ *bench, _ int, w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			},
			says: "does not have the rest", requests: 6,
		},
		"another part": {
			serve: cutOnce(func(b *bench, w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Range") != "" {
					r.Header.Set("Range", "bytes=10-")
				}
				b.good(w, r)
			}),
			requests: 3,
		},
		"a part without its place": {
			serve: cutOnce(func(b *bench, w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Range") != "" {
					w.WriteHeader(http.StatusPartialContent)
				}
				_, _ = w.Write(b.data)
			}),
			requests: 3,
		},
		"a part of another file": {
			serve: cutOnce(func(b *bench, w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", len(b.data)/2, len(b.data), len(b.data)+1))
				w.WriteHeader(http.StatusPartialContent)
			}),
			says: "a different file: of 100001 bytes, and not of 100000", requests: 2,
		},
		"a shorter file": {
			serve: func(b *bench, _ int, w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(b.data[:10]) },
			says:  "a different file: of 10 bytes, and not of 100000", requests: 1,
		},
		"less than it said": {
			serve: func(b *bench, _ int, w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", strconv.Itoa(len(b.data)))
				_, _ = w.Write(b.data[:10])
			},
			says: "unexpected EOF", requests: 7,
		},
		"less, and it did not say how much": {
			serve: func(b *bench, _ int, w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write(b.data[:50_000])
				_ = http.NewResponseController(w).Flush()
			},
			says: "it ended early", requests: 7,
		},
		"no end": {
			serve: func(b *bench, _ int, w http.ResponseWriter, _ *http.Request) {
				for {
					if _, err := w.Write(b.data); err != nil {
						return
					}
				}
			},
			says: "it sends more than the 100000 bytes", requests: 1,
		},
		"encoded": {
			serve: func(b *bench, _ int, w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "identity", r.Header.Get("Accept-Encoding"))
				w.Header().Set("Content-Encoding", "gzip")
				_, _ = w.Write(b.data[:999])
			},
			says: `it says that it has encoded it: "gzip"`, requests: 1,
		},
		"a page to log in at": {
			serve: func(_ *bench, _ int, w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "<html>Welcome to our network</html>")
			},
			says: "it answers with a web page and not with the file", requests: 1,
		},
		"403": {serve: answer(http.StatusForbidden), says: "403 Forbidden", requests: 1},
		"404": {serve: answer(http.StatusNotFound), says: "404 Not Found: look for a newer version", requests: 1},
		"204": {serve: answer(http.StatusNoContent), says: "204 No Content", requests: 1},
		"500": {serve: answer(http.StatusInternalServerError), says: "500 Internal Server Error", requests: 6},
		"429 for a moment": {
			serve: func(b *bench, time int, w http.ResponseWriter, r *http.Request) {
				if time < 4 {
					w.Header().Set("Retry-After", "0.001")
					w.WriteHeader(http.StatusTooManyRequests)
					return
				}
				b.good(w, r)
			},
			requests: 4,
		},
		"429 for an hour": {
			serve: func(_ *bench, _ int, w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "3600")
				w.WriteHeader(http.StatusTooManyRequests)
			},
			says: "429 Too Many Requests: pull again in 1h0m0s", requests: 1,
		},
		"three redirects": {
			serve: func(b *bench, time int, w http.ResponseWriter, r *http.Request) {
				if time <= 3 {
					http.Redirect(w, r, "/elsewhere", http.StatusFound)
					return
				}
				b.good(w, r)
			},
			requests: 4,
		},
		"redirects without end": {
			serve: func(_ *bench, _ int, w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "/elsewhere", http.StatusFound)
			},
			says: "redirects more than 5 times", requests: 6,
		},
		"a redirect to http": {
			serve: func(_ *bench, _ int, w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://"+r.Host+"/secret", http.StatusFound)
			},
			says: "which is not https", requests: 1,
		},
		"a redirect to a file": {
			serve: func(_ *bench, _ int, w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
			},
			says: "which is not https", requests: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b *bench
			var times atomic.Int32
			b = newBench(t, func(w http.ResponseWriter, r *http.Request) { tt.serve(b, int(times.Add(1)), w, r) })
			err := b.pull(t.Context(), "small")
			assert.LessOrEqual(t, len(b.requests()), tt.requests)
			b.noFalseNames(t)
			if tt.says == "" {
				require.NoError(t, err)
				b.installed(t)
				return
			}
			require.ErrorContains(t, err, tt.says)
			assert.NotContains(t, err.Error(), "secret")
			if tt.is != nil {
				require.ErrorIs(t, err, tt.is)
				assert.Empty(t, b.partials(t), "a wrong file is kept")
			}
			assert.NotEqual(t, models.StateInstalled, b.state(t, "small").State)
		})
	}
}

func answer(code int) func(*bench, int, http.ResponseWriter, *http.Request) {
	return func(_ *bench, _ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// Where nothing comes any more it is asked again, and not for ever.
func TestPullFromAStalledServer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		stalls int32
		after  time.Duration // long where it is to end well: a busy machine is slow too
	}{
		"once":   {1, 3 * time.Second},
		"always": {1000, 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b *bench
			var times atomic.Int32
			b = newBench(t, func(w http.ResponseWriter, r *http.Request) {
				if time := times.Add(1); time <= tt.stalls {
					if time == 1 { // after half of the file; later before the first byte
						w.Header().Set("Content-Length", strconv.Itoa(len(b.data)))
						_, _ = w.Write(b.data[:len(b.data)/2])
						_ = http.NewResponseController(w).Flush()
					}
					<-r.Context().Done()
					return
				}
				b.good(w, r)
			})
			b.Hurry(tt.after)
			err := b.pull(t.Context(), "small")
			if name == "always" {
				require.ErrorContains(t, err, "no byte arrived for 100ms")
				assert.Less(t, len(b.requests()), 12)
				return
			}
			require.NoError(t, err)
			b.installed(t)
		})
	}
}

func TestPullWithoutANetwork(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.server.Close()
	require.ErrorIs(t, b.pull(t.Context(), "small"), models.ErrUnreachable)
	assert.Equal(t, models.StateAbsent, b.state(t, "small").State, "nothing has come")
}

// A server that cannot prove who it is gets no second try.
func TestPullFromAnImpostor(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.options.HTTP = nil // which does not know the server's certificate
	b.open(t, b.options)
	require.ErrorContains(t, b.pull(t.Context(), "small"), "the server's certificate is not trusted")
	assert.Empty(t, b.requests())
}

// A mirror may be http, and then stays on its host or leads to https. Its password is
// not shown.
func TestPullFromAMirror(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	moved := "/moved/ggml-small.bin"
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		assert.Equal(t, "u:secret", user+":"+password)
		switch r.URL.Path {
		case "/to/ggml-small.bin":
			http.Redirect(w, r, moved, http.StatusFound)
		case "/moved/ggml-small.bin":
			b.good(w, r)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(plain.Close)
	mirror := strings.Replace(plain.URL, "//", "//u:secret@", 1) + "/to/"
	plan, err := b.Plan(t.Context(), "small", models.Sources{Mirror: mirror})
	require.NoError(t, err)
	assert.NotContains(t, fmt.Sprint(plan.Downloads[0].From), "secret")
	require.NoError(t, b.Pull(t.Context(), plan, nil))
	b.installed(t)
	require.NoError(t, b.Remove(t.Context(), "small"))

	err = b.pullFrom(t.Context(), "small", models.Sources{Mirror: strings.TrimSuffix(mirror, "to/") + "nothing"})
	require.ErrorContains(t, err, "404")
	assert.NotContains(t, err.Error(), "secret")
	moved = "http://127.0.0.1:1/ggml-small.bin"
	require.ErrorContains(t, b.pullFrom(t.Context(), "small", models.Sources{Mirror: mirror}), "not https")
	moved = b.server.URL + "/ggml-small.bin"
	require.NoError(t, b.pullFrom(t.Context(), "small", models.Sources{Mirror: mirror}))
	b.installed(t)
	for _, bad := range []string{"ftp://u:secret@host", "mirror", "https://", "https://u:secret@host/?q=1", "http://u:secret@[x"} {
		_, err := models.ParseMirror(bad)
		require.ErrorContains(t, err, "want the mirror as https://HOST/FOLDER")
		assert.NotContains(t, err.Error(), "secret")
	}
}

// A file that was brought along is held to the same hash.
func TestPullAFile(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	file := filepath.Join(t.TempDir(), "any-name")
	require.NoError(t, os.WriteFile(file, append([]byte{^b.data[0]}, b.data[1:]...), 0o600))
	from := models.Sources{Files: []string{file}}
	require.ErrorIs(t, b.pullFrom(t.Context(), "small", from), models.ErrHash)
	b.noFalseNames(t)
	require.NoError(t, os.WriteFile(file, b.data[1:], 0o600))
	require.ErrorContains(t, b.pullFrom(t.Context(), "small", from), "any-name has a different size than the files to pull: ggml-small.bin of 100000 bytes")
	require.ErrorIs(t, b.pullFrom(t.Context(), "small", models.Sources{Files: []string{file + "-not"}}), os.ErrNotExist)
	require.NoError(t, os.WriteFile(file, b.data, 0o600))
	plan, err := b.Plan(t.Context(), "small", from)
	require.NoError(t, err)
	assert.Equal(t, file, plan.Downloads[0].From)
	require.NoError(t, b.Pull(t.Context(), plan, nil))
	b.installed(t)
	assert.FileExists(t, file, "it is the operator's")
	assert.Empty(t, b.requests())
}
