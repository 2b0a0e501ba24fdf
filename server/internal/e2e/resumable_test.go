package e2e_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestResumableUploadThroughCutsAndKills sends a file over a line that is cut again and again, to
// a service that is killed meanwhile.
func TestResumableUploadThroughCutsAndKills(t *testing.T) {
	full(t)
	t.Parallel()
	each(t, func(t *testing.T, s place) {
		t.Helper()
		u := unsteadyUpload{size: 24 << 20, cut: 3_000_000, kills: 2, speed: 40 << 20}
		u.send(t, s)
		// A kill loses at most a part of one MiB and what is in the buffers of the line.
		assert.LessOrEqual(t, u.carried, u.size+int64(u.kills)*(3<<20))
	})
}

// TestSoakResumableUpload is TestResumableUploadThroughCutsAndKills for 4 GiB.
func TestSoakResumableUpload(t *testing.T) {
	soak(t)
	each(t, func(t *testing.T, s place) {
		t.Helper()
		u := unsteadyUpload{size: 4 << 30, cut: 30_000_000, kills: 20, speed: 30 << 20}
		u.send(t, s)
		assert.LessOrEqual(t, float64(u.carried), 1.01*float64(u.size))
		assert.LessOrEqual(t, u.growth, 16<<10, "kB")
	})
}

// TestResumableUploadThroughAProxyThatEndsRequests sends a file that takes longer than a proxy
// gives to a request.
func TestResumableUploadThroughAProxyThatEndsRequests(t *testing.T) {
	t.Parallel()
	s := newPlace(t, storetest.SQLite(t).Database)
	u := unsteadyUpload{size: 16 << 20, speed: 16 << 20, patience: 300 * time.Millisecond}
	u.send(t, s)
	assert.GreaterOrEqual(t, u.line.conns.Load(), int64(3))
}

// each runs a test with the blobs in a folder and in a bucket.
func each(t *testing.T, test func(t *testing.T, s place)) {
	t.Helper()
	for name, blobs := range map[string]func(t *testing.T) string{
		"folder": func(t *testing.T) string { t.Helper(); return filepath.Join(t.TempDir(), "blobs") },
		"s3":     func(t *testing.T) string { t.Helper(); return storetest.S3(t) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newPlace(t, storetest.SQLite(t).Database)
			s.blobs = blobs(t)
			test(t, s)
		})
	}
}

// unsteadyUpload is a file that is sent over a bad line to a service that dies.
type unsteadyUpload struct {
	size     int64         // bytes of the file
	cut      int64         // bytes after which the line is cut; 0: never
	kills    int           // of the service, while the file arrives
	speed    int64         // of the line, in bytes per second
	patience time.Duration // after which the line is cut; 0: none

	line    *unsteadyLine
	carried int64 // bytes to the service
	growth  int   // of the peak memory of a process, in kB
}

// send sends the file, and holds the stored file to what was sent.
func (u *unsteadyUpload) send(t *testing.T, s place) {
	t.Helper()
	key, addr := s.makeKey(t), freeAddr(t)
	serving := s.spawn(t, addr)
	warmUp(t, serving, key)
	idle := serving.peakMemory(t)
	u.line = newUnsteadyLine(t, addr, u)
	c, err := client.New("http://"+u.line.addr(), client.WithAPIKey(key), client.WithRetry(client.RetryPolicy{Attempts: 30, MinWait: 10 * time.Millisecond, MaxWait: time.Second}))
	require.NoError(t, err)

	began := time.Now()
	type answer struct {
		job *transcript.Job
		err error
	}
	answered := make(chan answer, 1)
	go func() {
		var now time.Duration
		file := transcript.Media("noise.wav", u.size, func() (io.ReadCloser, error) { return newNoise(u.size), nil })
		_, job, err := c.Transcripts.Submit(t.Context(), transcript.Request{Source: file, Wait: &now})
		answered <- answer{job, err}
	}()
	for n := range u.kills {
		for u.line.carried.Load() < u.size*int64(n+1)/int64(u.kills+1) {
			<-time.After(time.Millisecond)
		}
		u.growth = max(u.growth, serving.peakMemory(t)-idle)
		serving.kill()
		serving = s.spawn(t, addr)
	}
	sent := <-answered
	require.NoError(t, sent.err)
	job := sent.job
	took := time.Since(began)
	u.growth, u.carried = max(u.growth, serving.peakMemory(t)-idle), u.line.carried.Load()
	t.Logf("%d MiB in %v: %.4f times the bytes, %d connections, %d kills, %d kB more memory than before",
		u.size>>20, took.Round(time.Second), float64(u.carried)/float64(u.size), u.line.conns.Load(), u.kills, u.growth)

	sum := sha256.New()
	_, err = io.Copy(sum, newNoise(u.size))
	require.NoError(t, err)
	_, err = newClient(t, serving.url, key).Jobs.Wait(t.Context(), job.JobID)
	require.ErrorIs(t, err, transcript.UploadInvalid, "noise is no media; another file than was announced would be INTERNAL")
	opened := s.open(t)
	st := db.Of(opened)
	row, err := st.Jobs.ByID(t.Context(), job.JobID)
	require.NoError(t, err)
	e, err := st.Works.ByID(t.Context(), row.WorkID)
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprintf("%x", sum.Sum(nil)[:16]), e.ExternalID)
	kept := keptAudio(t, opened)
	left, err := st.Blobs.Keys(t.Context(), "uploads/")
	require.NoError(t, err)
	assert.Empty(t, slices.DeleteFunc(left, kept), "parts were left behind")
}

// warmUp sends a small file: what a process allocates once is no growth.
func warmUp(t *testing.T, c *child, key string) {
	t.Helper()
	var now time.Duration
	file := transcript.Media("noise.wav", 17<<20, func() (io.ReadCloser, error) { return newNoise(17 << 20), nil })
	to := newClient(t, c.url, key)
	_, job, err := to.Transcripts.Submit(t.Context(), transcript.Request{Source: file, Wait: &now})
	require.NoError(t, err)
	_, err = to.Jobs.Wait(t.Context(), job.JobID)
	require.ErrorIs(t, err, transcript.UploadInvalid)
}

// noise is a file of pseudo-random bytes.
type noise struct{ *io.SectionReader }

var noiseBlock = sync.OnceValue(func() []byte {
	block := make([]byte, 1<<20+17)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(block) // never fails
	return block
})

func newNoise(size int64) noise { return noise{io.NewSectionReader(noiseAt{}, 0, size)} }

func (noise) Close() error { return nil }

// noiseAt repeats the block.
type noiseAt struct{}

func (noiseAt) ReadAt(p []byte, off int64) (int, error) {
	block := noiseBlock()
	r := bytes.NewReader(block)
	_, _ = r.Seek(off%int64(len(block)), io.SeekStart) // within the block
	n := 0
	for n < len(p) {
		some, err := r.Read(p[n:])
		if n += some; errors.Is(err, io.EOF) {
			r.Reset(block)
		}
	}
	return n, nil
}

// unsteadyLine is a line to a service.
type unsteadyLine struct {
	net.Listener
	to      string
	upload  *unsteadyUpload
	carried atomic.Int64 // bytes to the service
	conns   atomic.Int64
}

func newUnsteadyLine(t *testing.T, to string, u *unsteadyUpload) *unsteadyLine {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	line := &unsteadyLine{Listener: l, to: to, upload: u}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			go line.join(near)
		}
	}()
	return line
}

func (l *unsteadyLine) addr() string { return l.Addr().String() }

// join carries bytes until the line is cut.
func (l *unsteadyLine) join(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", l.to)
	if err != nil {
		return
	}
	defer far.Close()
	if err := far.(*net.TCPConn).SetWriteBuffer(64 << 10); err != nil { // a line holds few bytes
		return
	}
	l.conns.Add(1)
	if u := l.upload; u.patience > 0 {
		defer time.AfterFunc(u.patience, func() { near.Close(); far.Close() }).Stop()
	}
	go func() {
		_, _ = io.Copy(near, far)
		near.Close()
	}()
	l.carry(far, near)
}

// carry carries the bytes of the client, at the speed of the line.
func (l *unsteadyLine) carry(far io.Writer, near io.Reader) {
	buffer, began, carried := make([]byte, 64<<10), time.Now(), int64(0)
	for l.upload.cut == 0 || carried < l.upload.cut {
		n, err := near.Read(buffer)
		if err != nil {
			return
		}
		if n, err = far.Write(buffer[:n]); err != nil {
			return
		}
		carried += int64(n)
		l.carried.Add(int64(n))
		<-time.After(time.Until(began.Add(time.Duration(float64(carried) / float64(l.upload.speed) * float64(time.Second)))))
	}
}
