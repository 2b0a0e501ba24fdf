package server_test

import (
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
)

// sender is a body that arrives piece by piece, until its connection's deadline.
type sender struct {
	conn  *deadlines
	piece int           // bytes
	pause time.Duration // before each piece
	left  int           // bytes
}

func (s *sender) Read(p []byte) (int, error) {
	pause := s.pause
	if !s.conn.read.IsZero() {
		pause = min(pause, time.Until(s.conn.read))
	}
	<-time.After(pause)
	switch {
	case pause < s.pause:
		return 0, os.ErrDeadlineExceeded
	case s.left <= 0:
		return 0, io.EOF
	}
	n := min(len(p), s.piece, s.left)
	s.left -= n
	return n, nil
}

// A body may take as long as it likes, as long as it moves and does not crawl.
func TestPatience(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		piece, size int
		pause       time.Duration
		until       time.Duration // 0: it arrives
	}{
		"a byte a second":              {1, 1 << 20, time.Second, 30 * time.Second},
		"a byte a minute":              {1, 1 << 20, time.Minute, 30 * time.Second},
		"nothing at all":               {1, 1, time.Hour, 30 * time.Second},
		"a bad line":                   {8 << 10, 64 << 20, time.Second, 0},
		"a bad line with pauses":       {256 << 10, 8 << 20, 50 * time.Second, 30 * time.Second}, // before its first piece
		"one that is slightly too bad": {4000, 64 << 20, time.Second, 1200 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
			body := server.PatientBody(io.NopCloser(&sender{d, c.piece, c.pause, c.size}), d)
			began := time.Now()
			n, err := io.Copy(io.Discard, body)
			if c.until == 0 {
				require.NoError(t, err, name)
				assert.EqualValues(t, c.size, n, name)
				assert.Zero(t, d.read, "%s: what follows may take longer", name)
				return
			}
			assert.EqualError(t, err, "request_timeout", name)
			assert.InDelta(t, c.until.Seconds(), time.Since(began).Seconds(), c.until.Seconds()/10, name)
		})
	}
	// Who has sent much may pause, for a minute.
	synctest.Test(t, func(t *testing.T) {
		d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		body := server.PatientBody(io.NopCloser(strings.NewReader(strings.Repeat("media", 10<<20))), d)
		assert.Equal(t, 30*time.Second, time.Until(d.read), "also before anyone reads")
		for range 5 {
			_, err := io.ReadFull(body, make([]byte, 8<<20))
			require.NoError(t, err)
			_, err = body.Read(make([]byte, 1))
			require.NoError(t, err)
			assert.Equal(t, time.Minute, time.Until(d.read))
			<-time.After(50 * time.Second)
		}
	})
}
