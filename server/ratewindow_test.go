package server_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// longHour is an hour or somewhat more: a window that does not end within the next
// minute.
func longHour() time.Duration {
	length := time.Hour
	for time.Now().Add(time.Minute).Truncate(length) != time.Now().Truncate(length) {
		length += time.Hour
	}
	return length
}

// requests is a plan with everything, but for the requests in an hour.
func requests(n int) account.Plan {
	p := account.WithoutLimits("test")
	p.RateLimit = account.RateLimit{Requests: n, Window: longHour()}
	p.ActionURL = "https://example.com/plans"
	return p
}

// window is what an answer says of the window that its request counted in.
type window struct{ limit, remaining, reset int }

func windowOf(t testing.TB, a *answer) (w window) {
	t.Helper()
	for name, n := range map[string]*int{"Limit": &w.limit, "Remaining": &w.remaining, "Reset": &w.reset} {
		lines := a.Header.Values("X-RateLimit-" + name)
		if !assert.Len(t, lines, 1, "%s: %d %s", name, a.StatusCode, a.body) {
			return w
		}
		var err error
		*n, err = strconv.Atoi(lines[0])
		assert.NoError(t, err)
	}
	for _, name := range []string{"RateLimit-Policy", "RateLimit"} {
		assert.Len(t, a.Header.Values(name), 1, name)
	}
	return w
}

// policies is what the structured headers of an answer say: for each policy q, w, r and t.
func policies(t testing.TB, h http.Header) map[string]map[string]int {
	t.Helper()
	said := map[string]map[string]int{}
	for header, names := range map[string]string{"RateLimit-Policy": "q w", "RateLimit": "r t"} {
		for item := range strings.SplitSeq(h.Get(header), ", ") {
			parts := strings.Split(item, ";")
			name, err := strconv.Unquote(parts[0])
			require.NoError(t, err, item)
			if said[name] == nil {
				said[name] = map[string]int{}
			}
			var seen []string
			for _, parameter := range parts[1:] {
				key, value, _ := strings.Cut(parameter, "=")
				seen = append(seen, key)
				said[name][key], err = strconv.Atoi(value)
				require.NoError(t, err, item)
			}
			require.Equal(t, names, strings.Join(seen, " "), item)
		}
	}
	return said
}

// TestEveryAnswerTellsBothWindows, on each database, whichever of them its request counts in.
func TestEveryAnswerTellsBothWindows(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		plan := requests(3)
		s := servertest.New(t, servertest.OnPlan(plan),
			servertest.ConfigureStore(func(c *store.Options) { c.Database = o.Database }))
		left := map[string]int{"requests": 3, "polling": 15}
		ask := func(method, path, policy string, status int) {
			t.Helper()
			r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, nil)
			require.NoError(t, err)
			r.Header.Set("Authorization", "Bearer "+s.Key)
			resp, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			require.Equal(t, status, resp.StatusCode, path)
			left[policy] = max(left[policy]-1, 0)
			length := int(plan.RateLimit.Window.Seconds())
			reset := windowOf(t, &answer{Response: resp}).reset
			said := policies(t, resp.Header)
			assert.Len(t, said, 2)
			for name, quota := range map[string]int{"requests": 3, "polling": 15} {
				assert.Equal(t, quota, said[name]["q"], name)
				assert.Equal(t, length, said[name]["w"], name)
				assert.Equal(t, left[name], said[name]["r"], "%s after %s", name, path)
				assert.InDelta(t, time.Until(time.Unix(int64(reset), 0)).Seconds(), said[name]["t"], 60, name)
			}
		}
		main := func(status int) { t.Helper(); ask(http.MethodPost, unknownJob+"/cancel", "requests", status) }
		poll := func(status int) { t.Helper(); ask(http.MethodGet, unknownJob, "polling", status) }
		main(404)
		poll(404)
		main(404)
		poll(404)
		main(404)
		main(429)
		main(429) // the process knows by itself that the window is full
		for range 13 {
			poll(404)
		}
		poll(429)
	})
}

// TestPoliciesOfOddPlans: a number that no structured field can hold becomes the largest.
func TestPoliciesOfOddPlans(t *testing.T) {
	t.Parallel()
	most := account.Plan{Paid: true, RateLimit: account.RateLimit{Requests: 1<<63 - 1, Window: time.Hour}}
	s := start(t, func(c *server.Config) {
		c.Authenticator = sessions{
			"eve": {account.Principal{Account: "eve", Scopes: account.Scopes(), Plan: most}, nil},
			"bob": {account.Principal{Account: "bob", Scopes: account.Scopes(), Plan: requests(account.Unlimited)}, nil},
		}
	})
	ask := func(session string) http.Header {
		return s.get(t, unknownJob, as(""), header("Cookie", "session="+session)).Header
	}
	said := policies(t, ask("eve"))
	for _, policy := range []string{"requests", "polling"} {
		assert.Equal(t, 999_999_999_999_999, said[policy]["q"])
		assert.Equal(t, 999_999_999_999_999, said[policy]["r"])
	}
	unlimited := ask("bob")
	for _, name := range []string{"RateLimit-Policy", "RateLimit", "X-RateLimit-Limit"} {
		assert.Empty(t, unlimited.Values(name))
	}
}

// Whatever an answer is, its request counts, and it says so.
func TestEveryAnswerTellsItsWindow(t *testing.T) {
	t.Parallel()
	plan := requests(100)
	plan.EventStreams = 1
	s := start(t, offerPlans(plan, account.Plan{Name: "free"}))
	weak := s.NewKey(t, servertest.Account, account.Batches)
	id := s.job(t, "a talk")
	s.ended(t, id)
	etag := s.get(t, jobPath(id)).Header.Get("ETag")
	events := s.get(t, jobPath(id)+"/events")
	ids := eventLine.FindAllString(events.body, -1)
	last := strings.TrimPrefix(ids[len(ids)-1], "id: ")
	running, release := s.heldJob(t, "another")
	defer release()

	left := map[int]int{100: windowOf(t, s.post(t, "{}")).remaining, 500: windowOf(t, s.get(t, jobPath(id))).remaining}
	counts := func(status, limit int, a *answer) {
		t.Helper()
		assert.Equal(t, status, a.StatusCode, a.body)
		w := windowOf(t, a)
		left[limit]--
		assert.Equal(t, limit, w.limit, a.body)
		assert.Equal(t, left[limit], w.remaining, "%d %s", status, a.body)
		length := int(plan.RateLimit.Window.Seconds())
		assert.Equal(t, (int(time.Now().Unix())/length+1)*length, w.reset)
	}
	const main, polling = 100, 500
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "hello"})
	link := `{"url": "` + video + `", "waitMs": 10000, "language": `
	counts(200, main, s.post(t, link+`"en"}`))
	counts(200, main, s.post(t, link+`"en"}`))
	counts(202, main, s.postForm(t, []part{field("waitMs", "0"), file("more")}))
	counts(400, main, s.post(t, `{"what": 1}`))
	counts(403, main, s.post(t, link+`"en"}`, as(weak)))
	counts(403, polling, s.get(t, jobPath(id), as(weak)))
	counts(404, main, s.do(t, "POST", unknownJob+"/cancel", nil))
	counts(409, main, s.do(t, "POST", jobPath(id)+"/cancel", nil))
	counts(415, main, s.do(t, "POST", "/v1/transcript", strings.NewReader("x"), header("Content-Type", "text/plain")))
	counts(422, main, s.post(t, `{"url": "https://elsewhere.example/"}`))
	counts(200, main, s.get(t, "/v1/transcript/info?url="+video))
	counts(202, main, s.do(t, "POST", jobPath(running)+"/cancel", nil, header("Idempotency-Key", "k")))
	replayed := s.do(t, "POST", jobPath(running)+"/cancel", nil, header("Idempotency-Key", "k"))
	assert.Equal(t, "true", replayed.Header.Get("Idempotency-Replayed"))
	counts(202, main, replayed)

	counts(200, polling, s.get(t, jobPath(id)))
	counts(200, polling, s.do(t, "HEAD", jobPath(id), nil))
	counts(304, polling, s.get(t, jobPath(id), header("If-None-Match", etag)))
	counts(404, polling, s.get(t, unknownJob))
	path := s.begin(t, "a ") // not a poll
	left[main]--
	for _, a := range []*answer{s.do(t, "HEAD", path, nil), s.appendTo(t, path, 2, "file", false), s.do(t, "DELETE", path, nil), s.do(t, "OPTIONS", "/v1/transcript", nil)} {
		counts(204, polling, a)
	}
	counts(404, polling, s.get(t, batchPath("019321a0-7c11-7c3e-9a55-2f6d1f0c9b11")))
	counts(200, main, s.get(t, "/v1/batch"))
	counts(200, polling, s.get(t, jobPath(id)+"/events"))
	counts(204, polling, s.get(t, jobPath(id)+"/events", header("Last-Event-ID", last)))

	_, err := s.Accounts.Set(t.Context(), servertest.Account, account.Settings{Suspended: new(true)})
	require.NoError(t, err)
	counts(402, main, s.post(t, link+`"en"}`))
	counts(402, polling, s.get(t, jobPath(id)))

	for _, path := range []string{"/healthz", "/readyz", "/docs/openapi.json", "/v1/nothing"} {
		for name := range s.get(t, path).Header {
			assert.NotContains(t, name, "Ratelimit", path)
		}
	}
	unknown := s.get(t, jobPath(id), as("nonsense"))
	assert.Equal(t, http.StatusUnauthorized, unknown.StatusCode)
	assert.Empty(t, unknown.Header.Values("X-RateLimit-Limit"))
}

func (s *service) post(t testing.TB, body string, changes ...change) *answer {
	t.Helper()
	return s.postJSON(t, body, changes...)
}

// When the requests are used up each route says so, in its own window.
func TestWindowsThatAreUsedUp(t *testing.T) {
	t.Parallel()
	s := start(t, offerPlans(requests(3)))
	other := s.NewKey(t, "globex")
	twin := s.NewKey(t, servertest.Account)
	refused := func(a *answer) {
		t.Helper()
		assert.Equal(t, http.StatusTooManyRequests, a.StatusCode, a.body)
		w := windowOf(t, a)
		assert.Zero(t, w.remaining)
		wait, err := strconv.Atoi(a.Header.Get("Retry-After"))
		require.NoError(t, err)
		assert.InDelta(t, time.Until(time.Unix(int64(w.reset), 0)).Seconds(), wait, 30)
		assert.Positive(t, wait)
		if a.body != "" {
			assert.Equal(t, "rate_limited", a.slug(t))
		}
	}
	for i := range 3 {
		assert.Equal(t, window{3, 2 - i, windowOf(t, s.post(t, "{}", as([]string{s.Key, twin}[i%2]))).reset},
			windowOf(t, s.post(t, "{}", as(other))), "all keys of an account count together, accounts apart")
	}
	for range 3 {
		refused(s.post(t, "{}"))
		refused(s.get(t, "/v1/transcript/info?url="+video, as(twin)))
	}
	for i := range 15 {
		assert.Equal(t, window{15, 14 - i, windowOf(t, s.get(t, unknownJob, as(other))).reset}, windowOf(t, s.get(t, unknownJob)))
	}
	refused(s.get(t, unknownJob))
	refused(s.do(t, "HEAD", unknownJob, nil))
	refused(s.get(t, unknownJob+"/events"))
	_, err := s.Accounts.Set(t.Context(), servertest.Account, account.Settings{Suspended: new(true)})
	require.NoError(t, err)
	refused(s.get(t, unknownJob)) // goes before 402
	assert.Equal(t, http.StatusUnauthorized, s.get(t, unknownJob, as("nonsense")).StatusCode)
}

// What a plan has no window for has no headers, and what is not paid has to be told.
func TestPlansWithoutAWindow(t *testing.T) {
	t.Parallel()
	unlimited, none := requests(account.Unlimited), requests(0)
	none.Name = "none"
	s := start(t, offerPlans(unlimited, none, account.Plan{Name: "free"}))
	free, barred := s.NewKey(t, "free"), s.NewKey(t, "none")
	a := s.get(t, unknownJob)
	assert.Equal(t, http.StatusNotFound, a.StatusCode)
	assert.Empty(t, a.Header.Values("X-RateLimit-Limit"))

	_, err := s.Accounts.Set(t.Context(), "free", account.Settings{Plan: "free"})
	require.NoError(t, err)
	for range 60 {
		a := s.post(t, "{}", as(free))
		if a.StatusCode == http.StatusTooManyRequests {
			break // a minute has ended meanwhile
		}
		assert.Equal(t, http.StatusPaymentRequired, a.StatusCode)
		assert.Equal(t, 60, windowOf(t, a).limit)
	}
	require.Eventually(t, func() bool { return s.post(t, "{}", as(free)).StatusCode == http.StatusTooManyRequests }, time.Minute, time.Microsecond)

	_, err = s.Accounts.Set(t.Context(), "none", account.Settings{Plan: "none"})
	require.NoError(t, err)
	assert.Equal(t, http.StatusTooManyRequests, s.post(t, "{}", as(barred)).StatusCode)
}

// An embedder's own sessions count by their account, whatever plan they bring, and a
// request counts once, however often it passes.
func TestOwnSessionsAreCounted(t *testing.T) {
	t.Parallel()
	plan := requests(2)
	odd := account.Plan{Paid: true, RateLimit: account.RateLimit{Requests: 1, Window: time.Nanosecond}}
	most := account.Plan{Paid: true, RateLimit: account.RateLimit{Requests: 1<<63 - 1, Window: 1<<63 - 1}}
	s := start(t, func(c *server.Config) {
		c.Authenticator = sessions{
			"ann":  {account.Principal{Account: "ann", Scopes: account.Scopes(), Plan: plan}, nil},
			"ann2": {account.Principal{Account: "ann", KeyID: "her program", Scopes: account.Scopes(), Plan: plan}, nil},
			"bea":  {account.Principal{Account: "bea", Plan: account.Plan{}}, nil},
			"cleo": {account.Principal{Account: "cleo", Plan: odd}, nil},
			"dora": {account.Principal{Account: "dora", Plan: account.Plan{Paid: true}}, nil},
			"fay":  {account.Principal{Account: "fay", Plan: account.Plan{Paid: true, RateLimit: account.RateLimit{Requests: -1 << 63}}}, nil},
			"eve":  {account.Principal{Account: "eve", Scopes: account.Scopes(), Plan: most}, nil},
		}
	})
	own := s.Authenticate(s.Authenticate(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})))
	status := func(session string) int {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/own", nil)
		r.Header.Set("Cookie", "session="+session)
		own.ServeHTTP(w, r)
		remaining, err := strconv.Atoi(w.Header().Get("X-RateLimit-Remaining"))
		assert.NoError(t, err)
		assert.Less(t, remaining, 100)
		return w.Code
	}
	assert.Equal(t, []int{200, 200, 429}, []int{status("ann2"), status("ann2"), status("ann2")})
	assert.Equal(t, []int{200, 200, 429}, []int{status("ann"), status("ann"), status("ann")}, "a key at its limit locks nobody out")
	assert.Equal(t, http.StatusTooManyRequests, s.get(t, "/v1/transcript/info?url="+video, as(""), header("Cookie", "session=ann")).StatusCode)
	assert.Equal(t, http.StatusOK, status("bea"))
	assert.Contains(t, []int{200, 429}, status("cleo"))
	assert.Equal(t, http.StatusTooManyRequests, status("dora"), "a limit that was forgotten is none to use up")
	assert.Equal(t, http.StatusTooManyRequests, status("fay"), "a limit that cannot be meant permits nothing")
	assert.Equal(t, http.StatusNotFound, s.get(t, unknownJob, as(""), header("Cookie", "session=eve")).StatusCode)
}

// Two processes count together: of 400 requests at once those are accepted that fit,
// and each has its own number.
func TestWindowIsExactOverProcesses(t *testing.T) {
	t.Parallel()
	o := storetest.Postgres(t)
	plan := requests(100)
	var processes []*servertest.Server
	for range 2 {
		processes = append(processes, servertest.New(t, servertest.OnPlan(plan),
			servertest.ConfigureStore(func(c *store.Options) { c.Database = o.Database })))
	}
	key := processes[0].Key // as good as that of the other
	const all = 400
	answers := make([]*answer, all)
	web := &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	defer web.CloseIdleConnections()
	var sent sync.WaitGroup
	begin := make(chan struct{})
	for i := range answers {
		sent.Go(func() {
			<-begin
			a, err := askPatiently(t.Context(), func() (*answer, error) {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, processes[i%2].URL+unknownJob+"/cancel", nil)
				if err != nil {
					return nil, err
				}
				r.Header.Set("Authorization", "Bearer "+key)
				resp, err := web.Do(r)
				if err != nil {
					return nil, err
				}
				return &answer{Response: resp}, resp.Body.Close()
			})
			if assert.NoError(t, err) {
				answers[i] = a
			}
		})
	}
	close(begin)
	sent.Wait()
	require.False(t, t.Failed())

	var remaining []int
	for _, a := range answers {
		w := windowOf(t, a)
		assert.Equal(t, 100, w.limit)
		assert.Equal(t, windowOf(t, answers[0]).reset, w.reset)
		if a.StatusCode == http.StatusTooManyRequests {
			assert.Zero(t, w.remaining)
			continue
		}
		require.Equal(t, http.StatusNotFound, a.StatusCode)
		remaining = append(remaining, w.remaining)
	}
	slices.Sort(remaining)
	require.Len(t, remaining, 100)
	for i, n := range remaining {
		require.Equal(t, i, n, "each number once")
	}
}

// While processes with another plans file take over, each counts in the window of its
// own plan, and none begins that of the other anew. Another number of requests in the
// same window counts at once.
func TestWindowIsChanged(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		plan := requests(3)
		longer, more := plan, plan
		longer.Name, more.Name = "longer", "more"
		longer.RateLimit.Window *= 2
		more.RateLimit.Requests = 5
		s := servertest.New(t, servertest.OnPlan(plan, longer, more),
			servertest.ConfigureStore(func(c *store.Options) { c.Database = o.Database }))
		on := func(name string) *answer {
			_, err := s.Accounts.Set(t.Context(), servertest.Account, account.Settings{Plan: name})
			require.NoError(t, err)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+unknownJob+"/cancel", nil)
			require.NoError(t, err)
			r.Header.Set("Authorization", "Bearer "+s.Key)
			resp, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			return &answer{Response: resp}
		}
		for i, step := range []struct {
			plan             string
			limit, remaining int
			status           int
		}{
			{"test", 3, 2, 404},
			{"longer", 3, 2, 404},
			{"test", 3, 1, 404},
			{"longer", 3, 1, 404},
			{"more", 5, 2, 404},
			{"test", 3, 0, 429},
			{"longer", 3, 0, 404},
			{"longer", 3, 0, 429},
			{"more", 5, 0, 404},
			{"more", 5, 0, 429},
		} {
			a := on(step.plan)
			assert.Equal(t, step.status, a.StatusCode, i)
			w := windowOf(t, a)
			assert.Equal(t, []int{step.limit, step.remaining}, []int{w.limit, w.remaining}, i)
		}
	})
}

// Where the database that counts is away, so is the service, for the moment.
func TestRequestsThatCannotBeCounted(t *testing.T) {
	t.Parallel()
	line, o := storetest.Behind(t, storetest.Postgres(t))
	ann := account.Principal{Account: "ann", Scopes: account.Scopes(), Plan: requests(10)}
	s := servertest.New(t,
		servertest.ConfigureStore(func(c *store.Options) { *c = o }),
		servertest.Configure(func(c *server.Config) { c.Authenticator = sessions{"ann": {ann, nil}} }))
	own := s.Authenticate(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	send := func() *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/own", nil)
		r.Header.Set("Cookie", "session=ann")
		own.ServeHTTP(w, r)
		return w
	}
	assert.Equal(t, "9", send().Header().Get("X-RateLimit-Remaining"))
	line.Cut()
	began := time.Now()
	away := send()
	assert.Less(t, time.Since(began), soon)
	assert.Equal(t, http.StatusServiceUnavailable, away.Code)
	assert.Contains(t, away.Body.String(), `"code":"SERVICE_UNAVAILABLE"`)
	assert.Equal(t, "2", away.Header().Get("Retry-After"))
	line.Mend()
	require.Eventually(t, func() bool { return send().Header().Get("X-RateLimit-Remaining") == "8" }, time.Minute, 10*time.Millisecond)
}
