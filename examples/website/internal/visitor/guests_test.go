package visitor_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // databases that the test starts by itself
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// jobOf is the id of the job that an answer tells of.
func jobOf(t *testing.T, a answer) string {
	t.Helper()
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	var accepted struct{ JobID string }
	require.NoError(t, json.Unmarshal([]byte(a.body), &accepted))
	require.NotEmpty(t, accepted.JobID)
	return accepted.JobID
}

// ended waits for the end of a job.
func (b *browser) ended(job string) {
	b.t.Helper()
	require.EventuallyWithT(b.t, func(c *assert.CollectT) {
		assert.Regexp(c, `"status":"(success|failed|cancelled)"`, b.get("/web/v1/transcript/job/"+job).body)
	}, time.Minute, 20*time.Millisecond)
}

func TestAGuestExtractsLinks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o store.Options) {
		s := newSite(t, o)
		b := s.browser(t)
		assert.Equal(t, http.StatusOK, b.get("/").StatusCode)
		assert.Nil(t, b.cookie("guest"), "who only looks gets no cookie")
		a := b.extract(video(0))
		job := jobOf(t, a)
		assert.Regexp(t, `^guest=[^;]+; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax$`, a.Header.Get("Set-Cookie"))
		assert.Contains(t, b.get("/").body, "2 of 3 new transcripts")
		b.ended(job)
		assert.Equal(t, http.StatusOK, b.get("/web/v1/library/transcripts/video_site/"+video(0)).StatusCode)
		assert.Contains(t, b.get("/transcripts/video_site/"+video(0)).body, "hello world")
		assert.Equal(t, http.StatusOK, b.get("/web/v1/library/transcripts/video_site/"+video(0)+"/download?format=txt").StatusCode)

		// Nobody else sees it, nor ends it.
		for name, other := range map[string]*browser{"a stranger": s.browser(t), "a guest": s.browser(t), "a user": s.signedUp(t, "ada")} {
			if name == "a guest" {
				jobOf(t, other.extract(video(1)))
			}
			for _, path := range []string{"/web/v1/transcript/job/" + job, "/web/v1/transcript/job/" + job + "/events", "/web/v1/library/transcripts/video_site/" + video(0)} {
				status := http.StatusNotFound
				if name == "a stranger" {
					status = http.StatusUnauthorized
				}
				assert.Equal(t, status, other.get(path).StatusCode, "%s: %s", name, path)
			}
		}
		// What the page does by itself counts just as well, and the same cookie is good at
		// another process.
		again := b.at(s.second(t, o))
		assert.Equal(t, http.StatusSeeOther, again.form("/transcripts", "links", "https://www.youtube.com/watch?v="+video(2)).StatusCode)
		jobOf(t, b.extract(video(3)))
		a = b.extract(video(4))
		assert.Equal(t, http.StatusPaymentRequired, a.StatusCode)
		assert.Contains(t, a.body, `"TRANSCRIPT_QUOTA_EXCEEDED"`)
		assert.Contains(t, a.body, `"actionUrl":"/sign-in"`)
		assert.Equal(t, http.StatusPaymentRequired, again.form("/transcripts", "links", "https://www.youtube.com/watch?v="+video(4)).StatusCode)
		// What is there already costs nothing, what is refused neither.
		jobOf(t, s.browser(t).extract(video(5)))
		thrifty := s.browser(t)
		for range 5 {
			assert.Equal(t, http.StatusOK, thrifty.extract(video(0)).StatusCode)
			assert.Equal(t, http.StatusUnprocessableEntity, thrifty.do(http.MethodPost, "/web/v1/transcript", "application/json", `{"url":"no link"}`).StatusCode)
		}
		jobOf(t, thrifty.extract(video(6)))
	})
}

// A guest may ask for what the list names, and for nothing else that the API has.
func TestWhatGuestsMayAsk(t *testing.T) {
	t.Parallel()
	s := onSQLite(t, func(o *visitor.Options) { o.GuestLinks = 100 })
	b := s.browser(t)
	jobOf(t, b.extract(video(0)))
	may := map[string]bool{
		"POST /v1/transcript": true, "GET /v1/transcript/job/{id}": true, "GET /v1/transcript/job/{id}/events": true, "POST /v1/transcript/job/{id}/cancel": true,
		"GET /v1/library/transcripts/{platform}/{externalId}": true, "GET /v1/library/transcripts/{platform}/{externalId}/download": true,
		"GET /v1/shared/{token}": true,
	}
	res, err := http.Get(s.URL + "/docs/openapi.json") //nolint:noctx // a file of the service
	require.NoError(t, err)
	defer res.Body.Close()
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	require.NoError(t, json.NewDecoder(res.Body).Decode(&document))
	asked := 0
	for path, methods := range document.Paths {
		for method := range methods {
			operation := strings.ToUpper(method) + " " + path
			if !strings.HasPrefix(path, "/v1/") || method == "parameters" {
				continue
			}
			asked++
			at := regexp.MustCompile(`\{platform\}`).ReplaceAllString(path, "video_site")
			at = regexp.MustCompile(`\{\w+\}`).ReplaceAllString(at, "00000000-0000-7000-8000-000000000000")
			a := b.do(strings.ToUpper(method), "/web"+at, "application/json", "{}")
			assert.Equal(t, may[operation], a.StatusCode != http.StatusUnauthorized, "%s: %d %s", operation, a.StatusCode, a.body)
			if a = s.browser(t).do(strings.ToUpper(method), "/web"+at, "application/json", "{}"); !may[operation] {
				assert.Equal(t, http.StatusUnauthorized, a.StatusCode, "%s by a stranger: %s", operation, a.body)
			}
		}
	}
	assert.Greater(t, asked, 20)
	for _, path := range []string{"//v1/usage", "/v1/../v1/usage", "/v1//usage", "/v1/transcript/job/x/../../../usage", "/v1/library/transcripts/../search", "/v1/nothing"} {
		for _, prefix := range []string{"/web", "/web/v1/.."} {
			a := b.do(http.MethodGet, prefix+path, "", "", func(r *http.Request) { r.URL.Opaque = prefix + path })
			assert.NotEqual(t, http.StatusOK, a.StatusCode, prefix+path)
		}
	}
	for _, body := range [][2]string{{"multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n\r\nabc\r\n--x--\r\n"}, {"application/octet-stream", ""}, {"audio/mpeg", "abc"}, {"", `{"url":"x"}`}, {"text/plain", "{}"}} {
		assert.Equal(t, http.StatusUnauthorized, b.do(http.MethodPost, "/web/v1/transcript", body[0], body[1]).StatusCode, body[0])
	}
	closed := onSQLite(t, func(o *visitor.Options) { o.GuestLinks = 0 })
	assert.Equal(t, http.StatusUnauthorized, closed.browser(t).extract(video(0)).StatusCode)
	assert.Equal(t, http.StatusNotFound, closed.browser(t).get("/web/v1/shared/x").StatusCode, "a share link needs no guest")
}

// However many ask at once, at however many processes: nobody gets more than there is,
// and nothing is lost of it.
func TestAllowancesAreTakenOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o store.Options) {
		s := newSite(t, o)
		processes := []*site{s, s.second(t, o)}
		first := s.browser(t)
		jobOf(t, first.extract(video(0)))
		accepted := func(n int, ask func(n int) answer) (count int) {
			var mu sync.Mutex
			var all sync.WaitGroup
			for k := range n {
				all.Go(func() {
					a := ask(k)
					mu.Lock()
					defer mu.Unlock()
					if a.StatusCode == http.StatusAccepted {
						count++
						return
					}
					assert.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
				})
			}
			all.Wait()
			return count
		}
		assert.Equal(t, 2, accepted(8, func(n int) answer { return first.at(processes[n%2]).extract(video(n + 1)) }), "of the cookie")
		assert.Equal(t, 9, accepted(14, func(n int) answer { return processes[n%2].browser(t).extract(video(n + 20)) }), "of the address")
		assert.Equal(t, 12, storetest.Count(t, o, "jobs"))
		assert.Equal(t, 10, storetest.Count(t, o, "website_guests"), "who got nothing has left nothing")
	})
}

// What is used up in a day is there again the next.
func TestAllowancesAreForADay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o store.Options) {
		var now atomic.Pointer[time.Time]
		now.Store(new(noon.Add(12*time.Hour - 90*time.Second)))
		s := newSite(t, o, func(o *visitor.Options) { o.GuestLinks, o.Now = 1, func() time.Time { return *now.Load() } })
		b := s.browser(t)
		jobOf(t, b.extract(video(0)))
		a := b.extract(video(1))
		assert.Equal(t, http.StatusPaymentRequired, a.StatusCode)
		assert.Equal(t, "90", a.Header.Get("Retry-After"))
		assert.Contains(t, b.get("/").body, "0 of 1 new transcript")
		now.Store(new(noon.Add(12 * time.Hour)))
		assert.Contains(t, b.get("/").body, "1 of 1 new transcript")
		jobOf(t, b.extract(video(1)))
		assert.Equal(t, http.StatusPaymentRequired, b.extract(video(2)).StatusCode)
	})
}

// Guests of one network share its allowance, wherever in it they are; who trusts a proxy
// believes whom it names, and nobody else.
func TestAllowancesOfAddresses(t *testing.T) {
	t.Parallel()
	s := onSQLite(t, func(o *visitor.Options) {
		o.GuestLinks, o.TrustedProxies = 1, loopbacks
	})
	from := func(n int, forwarded string) int {
		return s.browser(t).extract(video(n), func(r *http.Request) { r.Header.Set("X-Forwarded-For", forwarded) }).StatusCode
	}
	for n, host := range []string{":1", ":2", "1:2:3:4", "ffff::"} {
		assert.Equal(t, http.StatusAccepted, from(n, "2001:db8:0:1:"+host), host)
	}
	assert.Equal(t, http.StatusPaymentRequired, from(4, "2001:db8:0:1:9:9:9:9"))
	assert.Equal(t, http.StatusAccepted, from(5, "2001:db8:0:2::1"))
	for n := range 4 {
		assert.Equal(t, http.StatusAccepted, from(10+n, "192.0.2.7"))
	}
	assert.Equal(t, http.StatusPaymentRequired, from(14, "::ffff:192.0.2.7"))
	assert.Equal(t, http.StatusPaymentRequired, from(15, "198.51.100.1, 192.0.2.7"), "what a client writes itself counts for nothing")
	assert.Equal(t, http.StatusAccepted, from(16, "192.0.2.8"))

	open := onSQLite(t, func(o *visitor.Options) { o.GuestLinks = 1 })
	for n := range 4 {
		jobOf(t, open.browser(t).extract(video(n), func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2."+string(rune('1'+n))) }))
	}
	assert.Equal(t, http.StatusPaymentRequired, open.browser(t).extract(video(5), func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2.9") }).StatusCode)
}

func TestCookiesThatAreNoGuests(t *testing.T) {
	t.Parallel()
	s, another := onSQLite(t), onSQLite(t)
	b, of := s.browser(t), another.browser(t)
	job := jobOf(t, b.extract(video(0)))
	jobOf(t, of.extract(video(0)))
	good := b.cookie("guest").Value
	ada := s.signedUp(t, "ada")
	swapped := []byte(good)
	swapped[10], swapped[11] = swapped[11], swapped[10]
	for name, bad := range map[string]string{
		"cut": good[:len(good)-4], "longer": good + "AAAA", "swapped": string(swapped), "of another secret": of.cookie("guest").Value,
		"a session": ada.cookie("session").Value, "long": strings.Repeat("A", 8000), "none": "", "no base64": "%%%", "plain": "guest:x",
	} {
		thief := s.browser(t)
		thief.send = func(r *http.Request) { r.Header.Set("Cookie", "guest="+bad) }
		assert.Equal(t, http.StatusUnauthorized, thief.get("/web/v1/transcript/job/"+job).StatusCode, name)
		thief.send = func(r *http.Request) { r.Header.Set("Cookie", "session="+bad) }
		if name != "a session" {
			assert.Equal(t, http.StatusUnauthorized, thief.get("/web/v1/transcript/job/"+job).StatusCode, name)
		}
		thief.send = func(r *http.Request) { r.Header.Set("Cookie", "session="+good) }
		assert.False(t, thief.known(), "a guest's cookie is no session")
	}
	assert.Equal(t, http.StatusOK, b.get("/web/v1/transcript/job/"+job).StatusCode)
	// With both cookies it is the user, who has none of the guest's jobs.
	ada.setCookie("guest", good)
	assert.Equal(t, http.StatusNotFound, ada.get("/web/v1/transcript/job/"+job).StatusCode)
	ada.form("/sign-out")
	assert.Equal(t, http.StatusOK, ada.get("/web/v1/transcript/job/"+job).StatusCode)
}

// What guests have made goes with them, also where the one who sweeps dies half-way or
// two do so at once.
func TestWhatGuestsHaveMadeGoes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o store.Options) {
		s := newSite(t, o)
		ada := s.signedUp(t, "ada")
		guests := []*browser{s.browser(t), s.browser(t)}
		for n, b := range []*browser{guests[0], guests[1], ada} {
			b.ended(jobOf(t, b.extract(video(n))))
		}
		s.Engine.FailCaptions(transcript.Errorf(transcript.Unavailable, "The video is private."))
		guests[0].ended(jobOf(t, guests[0].extract(video(9))))
		rows := func(of string) int { return storetest.Count(t, o, "library_rows WHERE account LIKE '"+of+"'") }
		require.Positive(t, rows("guest:%"))
		require.Equal(t, 1, rows("ada"))

		api, err := web.InProcess(s.Handler())
		require.NoError(t, err)
		sweep := func(at time.Time, by *visitor.Visitors) error { return by.Sweep(t.Context(), api, at) }
		require.NoError(t, sweep(time.Now().Add(29*24*time.Hour), s.visitors))
		assert.Equal(t, 2, storetest.Count(t, o, "website_guests"))
		require.Positive(t, rows("guest:%"))
		assert.Zero(t, storetest.Count(t, o, "website_counts"))
		assert.Equal(t, 1, storetest.Count(t, o, "website_sessions"))

		// The API is away in the middle: the guest stays, for the next time.
		broken, err := web.InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				http.Error(w, "away", http.StatusServiceUnavailable)
				return
			}
			s.Handler().ServeHTTP(w, r)
		}))
		require.NoError(t, err)
		later := time.Now().Add(31 * 24 * time.Hour)
		require.Error(t, s.visitors.Sweep(t.Context(), broken, later))
		assert.Equal(t, 2, storetest.Count(t, o, "website_guests"))

		// It will not let go of the first guest's row, ever: the other guest goes all the same.
		refused := ""
		stubborn, err := web.InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if refused == "" && r.Method == http.MethodDelete {
				refused = r.URL.Path
			}
			if r.Method == http.MethodDelete && r.URL.Path == refused {
				http.Error(w, "no", http.StatusNotFound)
				return
			}
			s.Handler().ServeHTTP(w, r)
		}))
		require.NoError(t, err)
		require.Error(t, s.visitors.Sweep(t.Context(), stubborn, later))
		assert.Equal(t, 1, storetest.Count(t, o, "website_guests"))

		var both sync.WaitGroup
		for _, by := range []*visitor.Visitors{s.visitors, s.second(t, o).visitors} {
			both.Go(func() { assert.NoError(t, sweep(later, by)) })
		}
		both.Wait()
		assert.Zero(t, rows("guest:%"))
		assert.Zero(t, storetest.Count(t, o, "website_guests"))
		assert.Zero(t, storetest.Count(t, o, "website_sessions"))
		assert.Equal(t, 1, rows("ada"))
		require.NoError(t, sweep(later, s.visitors))
	})
}

// An operator's own plan for guests takes the place of the one there is.
func TestPlanOfGuests(t *testing.T) {
	t.Parallel()
	s := onSQLite(t, func(o *visitor.Options) {
		o.GuestPlan = account.Plan{Name: "guest", TranscriptsPerPeriod: 1, EventStreams: 1}
	})
	b := s.browser(t)
	b.ended(jobOf(t, b.extract(video(0))))
	assert.Equal(t, http.StatusPaymentRequired, b.extract(video(1)).StatusCode)
	var turn string
	require.NoError(t, storetest.SQL(t, s.options).QueryRowContext(t.Context(), "SELECT turn FROM jobs").Scan(&turn))
	assert.Equal(t, "plan:guest", turn, "guests share one, whatever the plan says")
	standard := onSQLite(t)
	standard.Engine.SetTracks()
	standard.Engine.SetMedia(servertest.Media{Duration: 11 * time.Minute})
	standard.Engine.SetMetadata(transcript.Metadata{Title: "Long", Duration: 660})
	b = standard.browser(t)
	job := jobOf(t, b.extract(video(0)))
	b.ended(job)
	assert.Contains(t, b.get("/web/v1/transcript/job/"+job).body, "VIDEO_TOO_LONG")
}
