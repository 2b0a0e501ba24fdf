package e2e_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/nstest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// judgeHost is the name of a video site that can be reached only through proxies.
const judgeHost = "video.example"

// ownHosts reports whether the test runs where judgeHost is the name of a public address. If not,
// it runs the test there in another process, and the caller returns.
func ownHosts(t *testing.T) bool {
	t.Helper()
	if !nstest.Run(t, nstest.Files) {
		return false
	}
	nstest.Replace(t, "/etc/hosts", "127.0.0.1 localhost\n93.184.216.34 "+judgeHost+"\n")
	return true
}

// judge is a video site that judges a request by the proxy through which the request comes.
type judge struct {
	mu     sync.Mutex
	visits map[string][]time.Time // by exit
	blocks map[string]int         // the exits that the site blocks, and the seconds that it asks for
}

// proxy serves a proxy with CONNECT that leads to the site, whatever address it is asked for.
func (j *judge) proxy(t *testing.T, exit string) (address string) {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { j.answer(w, r, exit) }))
	t.Cleanup(site.Close)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to, err := new(net.Dialer).DialContext(r.Context(), "tcp", strings.TrimPrefix(site.URL, "http://"))
		if !assert.NoError(t, err) || !assert.Equal(t, http.MethodConnect, r.Method) || !assert.Equal(t, "93.184.216.34:80", r.Host) {
			return
		}
		defer to.Close() //nolint:errcheck // the service sees what is missing
		w.WriteHeader(http.StatusOK)
		from, _, err := http.NewResponseController(w).Hijack()
		if !assert.NoError(t, err) {
			return
		}
		defer from.Close() //nolint:errcheck // the same
		go func() {
			_, _ = io.Copy(to, from) // the service has closed the connection
			_ = to.Close()
		}()
		_, _ = io.Copy(from, to) // the site has
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

func (j *judge) answer(w http.ResponseWriter, r *http.Request, exit string) {
	j.mu.Lock()
	j.visits[exit] = append(j.visits[exit], time.Now())
	asks, blocked := j.blocks[exit]
	j.mu.Unlock()
	if blocked {
		w.Header().Set("Retry-After", strconv.Itoa(asks))
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	_, _ = fmt.Fprintf(w, "WEBVTT\n\n00:01.000 --> 00:02.000\nhello %s\n", r.URL.Query().Get("v"))
}

func (j *judge) visited(exit string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.visits[exit])
}

func (j *judge) block(blocks map[string]int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.blocks = maps.Clone(blocks)
}

// judged is the caption source that visits the site.
type judged struct{ http *http.Client }

func (judged) Origin(p transcript.Platform) (transcript.Origin, bool) { return engine.CaptionOrigin(p) }

func (s judged) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	found := engine.Captions{Tracks: []transcript.Track{{ID: "en", Lang: "en", Kind: transcript.TrackManual}}}
	return found, found.Choose(pick, func(int) (file caption.File, err error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL, nil)
		if err != nil {
			return file, err
		}
		res, err := s.http.Do(req)
		if err != nil {
			return file, transcript.Errorf(transcript.UpstreamFailed, "The site cannot be reached.").Because(err)
		}
		defer res.Body.Close() //nolint:errcheck // it is only read
		if res.StatusCode == http.StatusTooManyRequests {
			e := transcript.Errorf(transcript.IPBlocked, "The site blocks this address.")
			e.RetryAfter, err = strconv.Atoi(res.Header.Get("Retry-After"))
			return file, e.Because(err)
		}
		return caption.ReadAny(res.Body)
	})
}

// byExits starts a service whose exits lead to a site.
func byExits(t *testing.T, rate pace.Rate, exits map[string]string) *service {
	t.Helper()
	var listed []server.Exit
	for name, address := range exits {
		listed = append(listed, server.Exit{Name: name, Address: address})
	}
	return startService(t, func(c *server.Config) {
		var err error
		c.Sites, err = site.Default().Override(strings.NewReader(`{"video_site": {"hosts": ["` + judgeHost + `"], "base": "http://` + judgeHost + `"}}`))
		require.NoError(t, err)
		c.Egress.Exits, c.Pace = listed, pace.Config{Rate: rate}
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			return engine.Engine{Captions: []engine.CaptionSource{judged{h.HTTP}}}, nil
		}
	})
}

// links asks for the texts of n links.
func (s *service) links(t *testing.T, n int) (id string) {
	t.Helper()
	p := client.BatchParams{}
	for i := range n {
		p.URLs = append(p.URLs, fmt.Sprintf("http://%s/watch?v=video-%05d", judgeHost, i))
	}
	made, err := s.Batches.Create(t.Context(), p)
	require.NoError(t, err)
	return made.ID
}

// TestTenExits asks for 200 links by ten exits, of which one always blocks: no job fails, no exit is
// visited more often than the pace permits, and the exit that blocks is left alone.
func TestTenExits(t *testing.T) {
	full(t)
	if !ownHosts(t) {
		return
	}
	j, exits := &judge{visits: map[string][]time.Time{}, blocks: map[string]int{"exit-3": 3600}}, map[string]string{}
	for i := range 10 {
		name := fmt.Sprint("exit-", i)
		exits[name] = j.proxy(t, name)
	}
	rate := pace.Rate{PerMinute: 600, Burst: 2}
	s := byExits(t, rate, exits)
	began := time.Now()
	id := s.links(t, 200)
	done, err := s.Batches.Wait(t.Context(), id)
	require.NoError(t, err)
	t.Logf("200 links took %v; by the pace %v", time.Since(began), time.Duration(float64(200-9*rate.Burst)/(9*rate.PerMinute)*float64(time.Minute)))
	assert.Equal(t, 200, done.Counts.Success)
	assert.Zero(t, done.Failed)
	answered := 0
	for name := range exits {
		visits := j.visits[name]
		withinPace(t, visits, rate)
		if name != "exit-3" {
			answered += len(visits)
			assert.NotEmpty(t, visits, name)
		}
	}
	assert.Equal(t, 200, answered, "each link once")
	assert.NotZero(t, j.visited("exit-3"))
	assert.LessOrEqual(t, j.visited("exit-3"), rate.Burst, "those that were under way together")
}

// withinPace asserts that no window has more visits than the pace permits. The site sees a visit
// later than the service begins it, so the windows are a second longer.
func withinPace(t *testing.T, visits []time.Time, r pace.Rate) {
	t.Helper()
	for i := range visits {
		for k := i; k < len(visits); k++ {
			most := float64(r.Burst) + r.PerMinute*(visits[k].Sub(visits[i])+time.Second).Minutes()
			require.LessOrEqual(t, float64(k-i+1), most)
		}
	}
}

// TestAllExitsBlock blocks all ten exits: the jobs wait and say why, and end soon after the site
// lets one exit in.
func TestAllExitsBlock(t *testing.T) {
	if !ownHosts(t) {
		return
	}
	j, exits, all := &judge{visits: map[string][]time.Time{}}, map[string]string{}, map[string]int{}
	for i := range 10 {
		name := fmt.Sprint("exit-", i)
		exits[name], all[name] = j.proxy(t, name), 1
	}
	j.block(all)
	s := byExits(t, pace.Unlimited(), exits)
	id := s.links(t, 20)
	var why *transcript.LastError
	require.Eventually(t, func() bool {
		now, err := s.Batches.Get(t.Context(), id)
		require.NoError(t, err)
		why = now.LastError
		return why != nil && strings.HasPrefix(why.Message, "All")
	}, time.Minute, 50*time.Millisecond)
	assert.Equal(t, transcript.IPBlocked, why.Code)
	assert.Equal(t, "All 10 exits of this service to the video site are blocked at the moment. The site blocks this address.", why.Message)
	for name := range exits {
		assert.NotZero(t, j.visited(name), name)
	}
	delete(all, "exit-7")
	j.block(all)
	done, err := s.Batches.Wait(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, 20, done.Counts.Success)
	assert.GreaterOrEqual(t, j.visited("exit-7"), 20)
}

// TestDeadExit has a proxy that does not answer: the visits go by the other exit.
func TestDeadExit(t *testing.T) {
	if !ownHosts(t) {
		return
	}
	j := &judge{visits: map[string][]time.Time{}}
	nobody := httptest.NewServer(nil)
	nobody.Close()
	s := byExits(t, pace.Unlimited(), map[string]string{"dead": nobody.URL, "good": j.proxy(t, "good")})
	id := s.links(t, 20)
	done, err := s.Batches.Wait(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, 20, done.Counts.Success)
	assert.Equal(t, 20, j.visited("good"))
}

// TestTenPrefixes is TestTenExits with IPv6 prefixes instead of proxies: each visit comes from an
// address of its own.
func TestTenPrefixes(t *testing.T) {
	full(t)
	if !nstest.Run(t, nstest.Files|nstest.Network) {
		return
	}
	const at = "2606:2800:220:1::80"
	nstest.OwnAll(t)
	nstest.Replace(t, "/etc/hosts", "127.0.0.1 localhost\n"+at+" "+judgeHost+"\n")
	j, exits, names := &judge{visits: map[string][]time.Time{}, blocks: map[string]int{"exit-3": 3600}}, map[string]string{}, map[netip.Prefix]string{}
	for i := range 10 {
		prefix := netip.PrefixFrom(netip.AddrFrom16([16]byte{0x26, 0x06, 0x47, 0, 0, byte(i)}), 64)
		names[prefix] = fmt.Sprint("exit-", i)
		exits[names[prefix]] = prefix.String()
	}
	var mu sync.Mutex
	addresses := map[netip.Addr]bool{}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "[::]:80")
	require.NoError(t, err)
	served := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from := netip.MustParseAddrPort(r.RemoteAddr).Addr()
		mu.Lock()
		assert.False(t, addresses[from], "two visits came from %s", from)
		addresses[from] = true
		mu.Unlock()
		prefix, err := from.Prefix(64)
		assert.NoError(t, err)
		j.answer(w, r, names[prefix])
	}))
	_ = served.Listener.Close() // the port of the site is 80
	served.Listener = listener
	served.Start()
	t.Cleanup(served.Close)

	rate := pace.Rate{PerMinute: 600, Burst: 2}
	s := byExits(t, rate, exits)
	done, err := s.Batches.Wait(t.Context(), s.links(t, 200))
	require.NoError(t, err)
	assert.Equal(t, 200, done.Counts.Success)
	assert.Zero(t, done.Failed)
	j.mu.Lock()
	defer j.mu.Unlock()
	assert.Len(t, j.visits, len(exits), "every prefix was used, and no other address")
	for _, visits := range j.visits {
		withinPace(t, visits, rate)
	}
	assert.LessOrEqual(t, len(j.visits["exit-3"]), rate.Burst, "those that were under way together")
}
