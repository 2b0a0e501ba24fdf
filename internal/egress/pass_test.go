package egress_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
)

func TestEnv(t *testing.T) {
	t.Parallel()
	g, _ := newGuard(t, egress.Config{})
	p := open(t, g, "job-1", 0)
	proxy := proxyOf(t, p).String()
	assert.ElementsMatch(t, []string{
		"http_proxy=" + proxy, "https_proxy=" + proxy, "ftp_proxy=" + proxy, "all_proxy=" + proxy,
		"HTTP_PROXY=" + proxy, "HTTPS_PROXY=" + proxy, "FTP_PROXY=" + proxy, "ALL_PROXY=" + proxy,
		"no_proxy=", "NO_PROXY=",
	}, p.Env())
	assert.Regexp(t, `^http://job-1:\w{26}@127\.0\.0\.1:\d+$`, proxy)
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	g, _ := newGuard(t, egress.Config{})
	for _, job := range []string{"", "a b", "a:b", "a\nb", "é", strings.Repeat("x", 65)} {
		_, err := g.Open(t.Context(), job, 0)
		require.ErrorContains(t, err, "egress: job", job)
	}
	_, err := g.Open(t.Context(), "job", -1)
	require.ErrorContains(t, err, "-1 bytes")
	open(t, g, strings.Repeat("x", 64), 0)
}

// sending serves any number of bytes, as fast as they are taken.
func sending(w http.ResponseWriter, r *http.Request) {
	chunk := make([]byte, 32<<10)
	for r.Context().Err() == nil {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

func TestByteLimit(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	for _, s := range []*site{newSite(t, sending), newTLSSite(t, sending)} {
		g, _ := newGuard(t, egress.Config{Allow: []string{s.at.String()}})
		p, other := open(t, g, "job", limit), open(t, g, "job", limit)
		res, err := behind(t, p, s).Get(s.URL)
		require.NoError(t, err)
		n, err := io.Copy(io.Discard, res.Body)
		require.Error(t, err, "a cut answer is not a whole one")
		require.NoError(t, res.Body.Close())
		assert.LessOrEqual(t, n, int64(limit))
		assert.Greater(t, n, int64(limit/2))
		<-p.Context().Done()
		require.ErrorIs(t, context.Cause(p.Context()), egress.ErrLimit)

		// The password has gone with it; that of the other run holds.
		before := s.requests.Load()
		_, _, err = get(t, behind(t, p, s), s.URL)
		if s.TLS != nil {
			require.ErrorContains(t, err, "Proxy Authentication Required")
		}
		assert.Equal(t, before, s.requests.Load())
		require.NoError(t, other.Context().Err())
	}
}

// TestByteLimitOfAll: the limit is for the whole run, not for a connection.
func TestByteLimitOfAll(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		_, _ = w.Write(make([]byte, 100<<10))
	})
	g, _ := newGuard(t, egress.Config{Allow: []string{s.at.String()}})
	p := open(t, g, "job", 1<<20)
	client := behind(t, p, s)
	whole := 0
	for range 20 {
		status, body, err := get(t, client, s.URL)
		if err != nil || status != http.StatusOK {
			break
		}
		assert.Len(t, body, 100<<10)
		whole++
	}
	assert.Equal(t, 10, whole)
	require.ErrorIs(t, context.Cause(p.Context()), egress.ErrLimit)
}

func TestClosedPass(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		s := newSite(t, sending)
		if secure {
			s = newTLSSite(t, sending)
		}
		g, log := newGuard(t, egress.Config{Allow: []string{s.at.String()}})
		reason := errors.New("the run is over its time")
		ctx, cancel := context.WithCancelCause(t.Context())
		byContext, err := g.Open(ctx, "job", 0)
		require.NoError(t, err)
		byClose, err := g.Open(t.Context(), "job", 0)
		require.NoError(t, err)
		for _, c := range []struct {
			pass  *egress.Pass
			end   func()
			cause error
		}{
			{byContext, func() { cancel(reason) }, reason},
			{byClose, func() { assert.NoError(t, byClose.Close()) }, egress.ErrClosed},
		} {
			client := behind(t, c.pass, s)
			res, err := client.Get(s.URL)
			require.NoError(t, err)
			_, err = io.CopyN(io.Discard, res.Body, 1<<20)
			require.NoError(t, err)
			c.end()
			_, err = io.Copy(io.Discard, res.Body)
			require.Error(t, err, "cut")
			require.NoError(t, res.Body.Close())
			require.NoError(t, c.pass.Close())
			require.Equal(t, c.cause, context.Cause(c.pass.Context()))

			requests := s.requests.Load()
			_, _, err = get(t, behind(t, c.pass, s), s.URL)
			if secure {
				require.ErrorContains(t, err, "Proxy Authentication Required")
			}
			assert.Equal(t, requests, s.requests.Load(), "the password holds no longer")
			require.Len(t, log.take(), 1)
		}
	}
}

// TestClosedWhileConnecting: nobody waits for a name server that does not answer.
func TestClosedWhileConnecting(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"http", "https"} {
		asking, ended := make(chan struct{}, 8), make(chan error, 8)
		g, _ := newGuard(t, egress.Config{})
		g.UseResolver(&net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			asking <- struct{}{}
			<-ctx.Done()
			ended <- ctx.Err()
			return nil, ctx.Err()
		}})
		p := open(t, g, "job", 0)
		client := behind(t, p, nil)
		done := make(chan error, 1)
		go func() {
			res, err := client.Get(scheme + "://silent.test/")
			if err == nil {
				err = res.Body.Close()
			}
			done <- err
		}()
		<-asking
		require.NoError(t, p.Close())
		require.Equal(t, context.Canceled, <-ended, "not by its own time-out")
		require.Error(t, <-done)
	}
}

func TestPassesSideBySide(t *testing.T) {
	t.Parallel()
	plain, secure := newSite(t, nil), newTLSSite(t, nil)
	g, _ := newGuard(t, egress.Config{Allow: []string{plain.at.String(), secure.at.String()}})
	var all sync.WaitGroup
	for i := range 16 {
		p := open(t, g, fmt.Sprint("job-", i%4), 0)
		clients := []*http.Client{behind(t, p, plain), behind(t, p, secure)}
		all.Go(func() {
			for j := range 10 {
				s := []*site{plain, secure}[j%2]
				status, body, err := get(t, clients[j%2], s.URL)
				assert.NoError(t, err)
				assert.Equal(t, 200, status)
				assert.Equal(t, "hello", body)
				status, _, err = get(t, clients[0], fmt.Sprintf("http://127.0.0.1:%d/", 1000+i))
				assert.NoError(t, err)
				assert.Equal(t, 403, status)
			}
			refused := p.Refused()
			assert.Len(t, refused, 10)
			for _, address := range refused {
				assert.Equal(t, fmt.Sprintf("127.0.0.1:%d", 1000+i), address)
			}
			assert.NoError(t, p.Close())
		})
	}
	all.Wait()
	assert.EqualValues(t, 80, plain.requests.Load())
	assert.EqualValues(t, 80, secure.requests.Load())
}

func TestRefusedIsBounded(t *testing.T) {
	t.Parallel()
	g, log := newGuard(t, egress.Config{})
	p := open(t, g, "job", 0)
	client := behind(t, p, nil)
	for range 120 {
		_, _, err := get(t, client, "http://127.0.0.1/")
		require.NoError(t, err)
	}
	assert.Len(t, p.Refused(), 100)
	assert.Len(t, log.take(), 120)
}

// TestCurl: a program that we have not written.
func TestCurl(t *testing.T) {
	t.Parallel()
	s := newTLSSite(t, nil)
	plain := newSite(t, nil)
	target := newSite(t, nil)
	entry := newSite(t, redirectTo(func(*http.Request) string { return target.URL + "/" }))
	g, _ := newGuard(t, egress.Config{Allow: []string{s.at.String(), plain.at.String(), entry.at.String()}})
	g.Pretend(target.port())
	p := open(t, g, "job", 0)
	curl := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "curl", append([]string{"-sS", "-k", "-L", "-m", "20", "-w", "%{http_code}"}, args...)...)
		cmd.Env = append(p.Env(), "HOME="+t.TempDir())
		out, _ := cmd.CombinedOutput() // how it ended is in what it says
		return string(out)
	}
	assert.Equal(t, "hello200", curl(s.URL))
	assert.Equal(t, "hello200", curl(plain.URL))
	assert.Contains(t, curl(entry.URL), "refused: loopback address 127.0.0.1\n403")
	assert.Contains(t, curl(target.URL), "403")
	assert.Contains(t, curl(fmt.Sprintf("http://2130706433:%d/", target.at.Port())), "403")
	assert.Contains(t, curl("https://"+target.at.String()), "403")
	assert.Contains(t, curl(fmt.Sprintf("ftp://127.0.0.1:%d/", target.at.Port())), "403")
	assert.Contains(t, curl(fmt.Sprintf("telnet://127.0.0.1:%d/", target.at.Port())), "403")
	assert.Zero(t, target.requests.Load())
	want := make([]string, 6)
	for i := range want {
		want[i] = target.at.String()
	}
	want[2] = fmt.Sprint("127.0.0.1:", target.at.Port()) // curl reads the number before it asks
	assert.Equal(t, want, p.Refused())
}

// BenchmarkReceive measures what a program receives by way of the proxy, beside
// the same without it.
func BenchmarkReceive(b *testing.B) {
	const size = 64 << 20
	chunk := make([]byte, 32<<10)
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range size / len(chunk) {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	b.Cleanup(s.Close)
	g, err := egress.New(egress.Config{Allow: []string{s.Listener.Addr().String()}})
	require.NoError(b, err)
	b.Cleanup(func() { assert.NoError(b, g.Close()) })
	for name, proxied := range map[string]bool{"direct": false, "proxy": true} {
		b.Run(name, func(b *testing.B) {
			transport := s.Client().Transport.(*http.Transport).Clone()
			b.Cleanup(transport.CloseIdleConnections)
			if proxied {
				p, err := g.Open(b.Context(), "job", 1<<40)
				require.NoError(b, err)
				b.Cleanup(func() { assert.NoError(b, p.Close()) })
				proxy, err := url.Parse(strings.TrimPrefix(p.Env()[2], "http_proxy="))
				require.NoError(b, err)
				transport.Proxy = http.ProxyURL(proxy)
			}
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				res, err := (&http.Client{Transport: transport}).Get(s.URL)
				require.NoError(b, err)
				_, err = io.Copy(io.Discard, res.Body)
				require.NoError(b, err)
				require.NoError(b, res.Body.Close())
			}
		})
	}
}

// A pass remembers the names that cannot be looked up, each once, and no host that merely does
// not answer.
func TestUnknownNames(t *testing.T) {
	t.Parallel()
	target := newSite(t, nil)
	gone := newSite(t, nil)
	g, _ := newGuard(t, egress.Config{Allow: []string{target.at.String(), gone.at.String()}})
	gone.Close()
	g.UseResolver(newNames(nil).resolver())
	p := open(t, g, "job", 0)
	client := behind(t, p, nil)
	for _, link := range []string{target.URL, gone.URL, "http://one.test/", "http://two.test/x", "http://ONE.test/y", "http://one.test/"} {
		status, body, err := get(t, client, link)
		require.NoError(t, err)
		if link != target.URL {
			assert.Equal(t, http.StatusBadGateway, status)
			assert.NotContains(t, body, "test", "the program learns no more than before")
		}
	}
	assert.Equal(t, []string{"one.test", "two.test"}, p.Unknown())
	assert.Empty(t, p.Refused())
}

// The name of an outgoing proxy is the operator's, and not one that the program asked for.
func TestUnknownNameOfAProxy(t *testing.T) {
	t.Parallel()
	g, _ := newGuard(t, egress.Config{Proxies: []*url.URL{{Scheme: "http", Host: "proxy.invalid:3128"}}})
	g.UseResolver(newNames(map[string][]string{"site.test": {"93.184.216.34"}}).resolver())
	p := open(t, g, "job", 0)
	status, _, err := get(t, behind(t, p, nil), "http://site.test/")
	require.NoError(t, err)
	assert.Equal(t, http.StatusBadGateway, status)
	assert.Empty(t, p.Unknown())
}
