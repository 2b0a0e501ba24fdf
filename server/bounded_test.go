package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// reader is a connection whose peer reads so many bytes a second, until the connection's deadline.
type reader struct {
	deadlines
	speed int
	got   int
}

func newReader(speed int) *reader {
	return &reader{deadlines: deadlines{ResponseRecorder: httptest.NewRecorder()}, speed: speed}
}

func (r *reader) Write(b []byte) (int, error) {
	takes := time.Hour
	if r.speed > 0 {
		takes = time.Duration(len(b)) * time.Second / time.Duration(r.speed)
	}
	if left := time.Until(r.write); !r.write.IsZero() && left < takes {
		<-time.After(left)
		return 0, os.ErrDeadlineExceeded
	}
	<-time.After(takes)
	r.got += len(b)
	return len(b), nil
}

// A reader may take as long as its line needs. It may not stand still or read slower than the least rate.
func TestPatienceWithReaders(t *testing.T) {
	t.Parallel()
	s := start(t)
	const large, small = 512 << 20, 4 << 10
	for name, c := range map[string]struct {
		size  int
		speed int           // bytes in a second; 0: nothing is read
		until time.Duration // 0: the answer arrives
	}{
		"a recording over a slow line": {large, 8 << 10, 0},
		"one that is slightly too bad": {large, 4000, 600 * time.Second},
		"a few bytes a second":         {large, 64, 30 * time.Second},
		"nothing":                      {small, 0, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, began := newReader(c.speed), time.Now()
				var failed error
				s.Bounded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					chunk := make([]byte, 1<<20)
					for left := c.size; left > 0 && failed == nil; left -= len(chunk) {
						_, failed = w.Write(chunk[:min(left, len(chunk))])
					}
				})).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
				if c.until == 0 {
					require.NoError(t, failed)
					assert.Equal(t, c.size, w.got)
					return
				}
				require.ErrorIs(t, failed, os.ErrDeadlineExceeded)
				assert.InDelta(t, c.until.Seconds(), time.Since(began).Seconds(), c.until.Seconds()/50)
			})
		})
	}
}

// A reader that has read quickly may stand still for a minute, and no longer. While the handler is slow,
// the reader loses no time.
func TestPatienceIsNotSaved(t *testing.T) {
	t.Parallel()
	s := start(t)
	synctest.Test(t, func(t *testing.T) {
		w := newReader(100 << 20)
		s.Bounded(http.HandlerFunc(func(to http.ResponseWriter, _ *http.Request) {
			_, err := to.Write(make([]byte, 100<<20))
			assert.NoError(t, err)
			<-time.After(time.Hour)
			_, err = to.Write([]byte("more"))
			assert.NoError(t, err)
			assert.Equal(t, time.Minute, time.Until(w.write).Round(time.Second))
			w.speed = 0
			began := time.Now()
			_, err = to.Write([]byte("nothing of this"))
			assert.Error(t, err)
			assert.Equal(t, time.Minute, time.Since(began).Round(time.Second))
		})).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	})
}

// A handler beside the API waits for slow clients for as long as the API does.
func TestPatienceBesideTheAPI(t *testing.T) {
	t.Parallel()
	s := start(t)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		askBeside(t, s.Server, &sender{piece: 1, pause: time.Minute, left: 1000}, func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			assert.EqualError(t, err, "request_timeout")
		})
		assert.Equal(t, 30*time.Second, time.Since(began), "a byte a minute")

		began = time.Now()
		d := askBeside(t, s.Server, &sender{piece: 8 << 10, pause: time.Second, left: 8 << 20}, func(w http.ResponseWriter, r *http.Request) {
			n, err := io.Copy(io.Discard, r.Body)
			assert.NoError(t, err)
			assert.EqualValues(t, 8<<20, n)
			_, err = io.WriteString(w, "some")
			assert.NoError(t, err)
			<-time.After(time.Minute)
		})
		assert.Greater(t, time.Since(began), 1000*time.Second, "an upload that moves")
		assert.Zero(t, d.read)
		assert.Equal(t, 30*time.Second, time.Until(d.write).Round(time.Second), "for what net/http has not sent yet")

		d = askBeside(t, s.Server, strings.NewReader("name=ada"), func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
		})
		assert.Equal(t, "close", d.Header().Get("Connection"), "nobody reads the rest")
		assert.Equal(t, 500*time.Millisecond, time.Until(d.read))

		d = askBeside(t, s.Server, nil, func(w http.ResponseWriter, _ *http.Request) {
			assert.NoError(t, http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Hour)))
			_, err := io.WriteString(w, "a stream")
			assert.NoError(t, err)
		})
		assert.Equal(t, time.Hour, time.Until(d.write), "the handler's own")
		assert.Zero(t, d.read, "there is no body")
		d = askBeside(t, s.Server, nil, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for range 3 {
				_, err := io.WriteString(w, ": ping\n\n")
				assert.NoError(t, err)
				assert.Equal(t, 10*time.Second, time.Until(w.(interface{ Unwrap() http.ResponseWriter }).Unwrap().(*deadlines).write))
				<-time.After(time.Minute)
			}
		})
		assert.False(t, d.write.IsZero())
		d = askBeside(t, s.Server, nil, func(http.ResponseWriter, *http.Request) {})
		assert.Zero(t, d.write, "none of the answer before")
	})
}

// askBeside sends a body to a handler beside the API, on a connection that has had an answer before.
func askBeside(t *testing.T, s *servertest.Server, body io.Reader, h http.HandlerFunc) *deadlines {
	t.Helper()
	d := &deadlines{ResponseRecorder: httptest.NewRecorder(), write: time.Now()}
	if s, ok := body.(*sender); ok {
		s.conn = d
	}
	s.Bounded(h).ServeHTTP(d, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", body))
	return d
}
