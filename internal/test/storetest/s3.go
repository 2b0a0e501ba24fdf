package storetest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// s3Program is the S3 server in the repository's folder bin.
const s3Program = "versitygw-v1.8.0"

// Bucket is an empty bucket of a single test on a real S3 server.
type Bucket struct {
	Name string
	// URL is for store.Options.Blobs, with s3store.Open as OpenBucket. The credentials
	// are in the environment of this process and its children.
	URL string
	dir string // the server's folder for it
}

// S3 returns the URL of an empty bucket for the test.
func S3(t testing.TB) string {
	t.Helper()
	return NewBucket(t).URL
}

// NewBucket makes a bucket that is removed when the test ends. All tests of a binary share one
// server, which ends with the binary in every case.
func NewBucket(t testing.TB) *Bucket {
	t.Helper()
	server, err := theS3()
	require.NoError(t, err)
	b := &Bucket{Name: "test-" + strings.ToLower(rand.Text())}
	b.URL, b.dir = s3URL(b.Name, server.endpoint), filepath.Join(server.dir, "buckets", b.Name)
	require.NoError(t, os.Mkdir(b.dir, 0o700)) // the server needs no other settings
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(b.dir)) })
	return b
}

func s3URL(bucket, endpoint string) string {
	q := url.Values{"endpoint": {endpoint}, "region": {"us-east-1"}, "use_path_style": {"true"}}
	return "s3://" + bucket + "?" + q.Encode()
}

// Left returns the remaining content of the bucket: the keys of objects, and the files of
// multipart uploads that were neither completed nor aborted.
func (b *Bucket) Left(t testing.TB) (left []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // removed in the meantime
			return nil
		}
		if err == nil && !d.IsDir() {
			left = append(left, strings.TrimPrefix(path, b.dir+"/"))
		}
		return err
	}))
	return left
}

// Vanish hides the bucket until back is called, as if it did not exist.
func (b *Bucket) Vanish(t testing.TB) (back func()) {
	t.Helper()
	away := filepath.Join(filepath.Dir(filepath.Dir(b.dir)), b.Name)
	require.NoError(t, os.Rename(b.dir, away))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(away)) })
	return func() { require.NoError(t, os.Rename(away, b.dir)) }
}

// Plant puts an object of one byte into the bucket, faster than the server does.
func (b *Bucket) Plant(t testing.TB, key string) {
	t.Helper()
	path := filepath.Join(b.dir, key)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
}

// Age sets the time at which an object was written.
func (b *Bucket) Age(t testing.TB, key string, at time.Time) {
	t.Helper()
	require.NoError(t, os.Chtimes(filepath.Join(b.dir, key), at, at))
}

// s3Server is a running S3 server.
type s3Server struct {
	endpoint string
	dir      string
	leash    io.WriteCloser // closes when this process ends, which ends the server
}

var theS3 = sync.OnceValues(startS3)

// startS3 starts a server on a free port of the loopback address. If another program takes the
// port first, startS3 tries the next one.
func startS3() (*s3Server, error) {
	program, err := inRepository(filepath.Join("bin", s3Program))
	if err != nil {
		return nil, err
	}
	// All concurrent tests and their child processes share one environment.
	env := map[string]string{"AWS_ACCESS_KEY_ID": rand.Text(), "AWS_SECRET_ACCESS_KEY": rand.Text(), "AWS_EC2_METADATA_DISABLED": "true"}
	for name, value := range env {
		if err := os.Setenv(name, value); err != nil {
			return nil, fmt.Errorf("storetest: %w", err)
		}
	}
	for range 5 {
		var s *s3Server
		if s, err = runS3(program, env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"]); err == nil {
			return s, nil
		}
	}
	return nil, err
}

// s3Watchdog runs the server until its own standard input ends. If the server ends earlier, the
// log says so.
const s3Watchdog = `dir=$PWD
exec 3<&0
"$@" >>log 2>&1 </dev/null 3<&- & server=$!
{ read -r _ <&3; kill -KILL $server; } 2>/dev/null & leash=$!
wait $server
echo ended >>log
wait $leash
cd /; rm -rf "$dir"`

func runS3(program, key, secret string) (_ *s3Server, err error) {
	address, err := freePort()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "storetest-s3-")
	if err != nil {
		return nil, fmt.Errorf("storetest: %w", err)
	}
	for _, name := range []string{"buckets", "metadata"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	cmd := exec.Command("/bin/sh", "-c", s3Watchdog, "sh", program, "--quiet", "--port", address,
		"posix", "--sidecar", filepath.Join(dir, "metadata"), filepath.Join(dir, "buckets"))
	cmd.Dir = dir
	cmd.Env = []string{"PATH=/usr/bin:/bin", "ROOT_ACCESS_KEY_ID=" + key, "ROOT_SECRET_ACCESS_KEY=" + secret}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // an interrupt at the terminal must not reach it
	leash, err := cmd.StdinPipe()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("storetest: start the S3 server: %w", err), os.RemoveAll(dir))
	}
	s := &s3Server{endpoint: "http://" + address, dir: dir, leash: leash}
	if err := s.wait(); err != nil {
		return nil, errors.Join(err, leash.Close(), cmd.Wait())
	}
	return s, nil
}

// wait returns when the server answers.
func (s *s3Server) wait() error {
	client := &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	deadline := time.Now().Add(startTimeout)
	for {
		res, err := client.Get(s.endpoint + "/")
		if err == nil {
			body, err := io.ReadAll(io.LimitReader(res.Body, 1<<10))
			if err = errors.Join(err, res.Body.Close()); err == nil && strings.Contains(string(body), "AccessDenied") {
				return nil
			}
		}
		log, _ := os.ReadFile(filepath.Join(s.dir, "log")) // only for the message
		if time.Now().After(deadline) || strings.HasSuffix(string(log), "ended\n") {
			return fmt.Errorf("storetest: the S3 server does not answer: %w\n%s", err, log)
		}
		<-time.After(20 * time.Millisecond)
	}
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("storetest: %w", err)
	}
	return l.Addr().String(), l.Close()
}

// inRepository returns the path of a program that "make setup" has installed.
func inRepository(name string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("storetest: %w", err)
	}
	for ; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("storetest: there is no %s above the working directory: run make setup", name)
		}
	}
}
