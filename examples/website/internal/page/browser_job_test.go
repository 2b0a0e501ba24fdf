package page_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const loadFaults = `^(log: Failed to load resource|loading: net::)`

func isStream(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/events") }

// A job is followed to its text whatever happens to its stream and to the server.
func TestBrowserFollowsThroughFaults(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	stream := func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, text)
		_ = http.NewResponseController(w).Flush()
	}
	for name, c := range map[string]struct {
		hand func(w http.ResponseWriter, r *http.Request, next http.Handler)
		says string // the page, meanwhile
	}{
		"streams are refused": {func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if isStream(r) {
				w.Header().Set("Retry-After", "5")
				http.Error(w, `{"error": "rate_limited"}`, http.StatusTooManyRequests)
				return
			}
			next.ServeHTTP(w, r)
		}, "Recognizing speech"},
		"streams end at once": {func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if isStream(r) {
				stream(w, "retry: 1\n\n")
				return
			}
			next.ServeHTTP(w, r)
		}, "Recognizing speech"},
		"no server": {away, "Connection lost. Trying again in"},
		"a server that is ill": {func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			http.Error(w, "<h1>Bad gateway</h1>", http.StatusBadGateway)
		}, "Connection lost. Trying again in"},
		"a stream of nonsense": {func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if !isStream(r) {
				next.ServeHTTP(w, r)
				return
			}
			stream(w, "event: job.progress\ndata: {\n\n"+
				"event: job.progress\ndata: null\n\n"+
				"event: job.progress\ndata: {\"jobId\": \"another\", \"status\": \"success\", \"stage\": \"done\"}\n\n"+
				"event: job.imagined\ndata: "+strings.Repeat("x", 5<<20)+"\n\n"+
				"event: stream.closing\ndata: {\"reason\": \"mood\", \"retryMs\": -1}\n\n")
		}, "Recognizing speech"},
		"a stage of the future": {func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if !isStream(r) {
				next.ServeHTTP(w, r)
				return
			}
			stream(w, fmt.Sprintf("event: job.progress\ndata: {\"jobId\": %q, \"status\": \"musing\", \"stage\": \"<b>dreams\", \"progress\": {\"fraction\": \"all\"}}\n\n", strings.Split(r.URL.Path, "/")[5]))
			<-r.Context().Done()
		}, "Working"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, visitor.User)
			release := s.Engine.Hold()
			defer release()
			path := s.begin(t, talk(name+".wav"), "")
			require.NoError(t, s.Engine.Await(t.Context(), 1))
			page := s.open(t)
			page.Expect(loadFaults)
			page.Open(path)
			page.WaitText("#stage", "Recognizing speech")
			undo := s.between(c.hand)
			anew := func() { browsertest.Eval[bool](page, `dispatchEvent(new Event("online"))`) }
			anew()
			page.WaitText("#job", c.says)
			undo()
			anew()
			release()
			page.WaitAt("^/transcripts/upload/")
			page.WaitText("main", "hello world")
		})
	}
}

// Recognition is shown as it goes on, also over a restart of the server.
func TestBrowserShowsProgressOverARestart(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	s.Engine.SetMedia(servertest.Media{Duration: 20 * time.Second})
	steps := make(chan time.Duration)
	s.Engine.SetRecognize(func(ctx context.Context, _ int, _ engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
		for {
			select {
			case done := <-steps:
				if o.Progress(done); done == 20*time.Second {
					return servertest.Heard("a long talk", done), nil
				}
			case <-ctx.Done():
				return engine.Recognition{}, ctx.Err()
			}
		}
	})
	path := s.begin(t, talk("long.wav"), "")
	page := s.open(t)
	page.Expect(loadFaults)
	page.Open("/")
	page.Open(path)
	steps <- 8 * time.Second
	page.WaitText("#detail", "0:08 of 0:20")
	assert.InDelta(t, 40, browsertest.Eval[float64](page, `document.getElementById("progress").value`), 0.5)
	page.Wait(`document.title.startsWith("40 % · Recognizing speech")`)
	assert.Equal(t, 1, page.Count("[aria-current=step]"))

	require.NoError(t, s.Restart(context.WithoutCancel(t.Context())))
	s.build(t)
	steps <- 10 * time.Second
	page.WaitText("#detail", "0:10 of 0:20")
	page.Reload()
	page.WaitText("#detail", "0:10 of 0:20")
	steps <- 20 * time.Second
	page.WaitAt("^/transcripts/upload/")
	browsertest.Eval[any](page, "history.back()")
	page.WaitAt("^/$") // and not the job, which would lead on again
}

// The words of a long recording are on its page while the rest is still recognized, each of
// them once, also over a broken stream.
func TestBrowserShowsWordsAsTheyCome(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	s.Engine.SetMedia(servertest.Media{Duration: 3 * time.Minute})
	said := make([]chan string, 20) // by chunk
	for n := range said {
		said[n] = make(chan string, 1)
	}
	s.Engine.SetRecognize(func(ctx context.Context, _ int, a engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		n, err := strconv.Atoi(a.Path[strings.LastIndex(a.Path, "-")+1 : len(a.Path)-len(".wav")])
		if err != nil {
			return engine.Recognition{}, err
		}
		select {
		case text := <-said[n]:
			return servertest.Heard(text, a.Duration), nil
		case <-ctx.Done():
			return engine.Recognition{}, ctx.Err()
		}
	})
	path := s.begin(t, talk("long.wav"), "")
	page := s.open(t)
	page.Expect(loadFaults)
	page.Open(path)
	page.WaitText("#stage", "Recognizing speech")
	assert.True(t, browsertest.Eval[bool](page, `document.getElementById("heard").hidden`))
	said[0] <- "<b>good</b> evening"
	page.WaitText("#words", "<b>good</b> evening")
	assert.True(t, page.Sees("heading", "Heard so far"))
	for _, barrier := range page.Barriers() {
		assert.NotContains(t, []string{"serious", "critical"}, barrier.Impact, barrier)
	}
	assert.Empty(t, browsertest.Eval[[]string](page, unknownCSS))

	browsertest.Eval[bool](page, `dispatchEvent(new Event("online"))`) // which opens a new stream
	said[1] <- "and good night"
	page.WaitText("#words", "and good night")
	assert.Equal(t, []string{"<b>good</b> evening", "and good night"},
		browsertest.Eval[[]string](page, `[...document.querySelectorAll("#words li")].map((line) => line.textContent)`))
	for n := 2; n < len(said); n++ {
		said[n] <- "the rest"
	}
	page.WaitAt("^/transcripts/upload/")
	page.WaitText("main", "and good night")
}

// A session that has ended says so, and leads back after signing in.
func TestBrowserTellsOfAnEndedSession(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	defer s.Engine.Hold()()
	path := s.begin(t, talk("talk.wav"), "")
	page := s.open(t)
	page.Expect(loadFaults)
	page.Open(path)
	defer s.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		switch {
		case isStream(r):
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: stream.closing\ndata: {\"reason\": \"unauthorized\"}\n\n")
		case strings.HasPrefix(r.URL.Path, "/web/"):
			http.Error(w, `{"error": "unauthorized"}`, http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})()
	browsertest.Eval[bool](page, `dispatchEvent(new Event("online"))`)
	page.WaitText("#line", "You are signed out.")
	page.See("button", "Sign in")
}

// A browser has six connections to a host. Many pages of jobs leave some for others.
func TestBrowserManyJobsLeaveTheSiteUsable(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	release := s.Engine.Hold()
	defer release()
	var open atomic.Int32
	defer s.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if isStream(r) {
			open.Add(1)
			defer open.Add(-1)
		}
		next.ServeHTTP(w, r)
	})()
	const tabs = 8
	first := s.open(t)
	pages := []*browsertest.Page{first}
	for n := range tabs {
		path := s.begin(t, talk(fmt.Sprintf("talk %d.wav", n)), "")
		page := first
		if n > 0 {
			page = first.Tab()
			pages = append(pages, page)
		}
		page.Open(path)
		page.See("heading", "In progress")
	}
	assert.Eventually(t, func() bool { return open.Load() == 3 }, browsertest.Patience, 20*time.Millisecond)
	another := first.Tab()
	another.Open("/library")
	another.See("heading", "Library")
	release()
	for _, page := range pages {
		page.WaitAt("^/transcripts/upload/")
	}
}

// What is wrong with a form is where the visitor is, and what may be tried again later is
// held until then, but for what has changed.
func TestBrowserSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.Guest)
	page := s.open(t)
	page.Expect(loadFaults)
	write := func(text string) { page.Do(chromedp.SendKeys("#links", text)) }
	page.Open("/")
	write("cooking pasta")
	page.Press("\r")
	page.WaitText("#trouble", "is no link")
	page.Wait(`document.activeElement.value === "cooking pasta"`)

	for n := range guestLinks {
		page.Open("/")
		write(fmt.Sprintf("dQw4w9WgXc%d", n))
		page.Press("\r")
		page.WaitAt("^/transcripts/video_site/")
	}
	page.Open("/")
	write("dQw4w9WgXc9")
	page.Press("\r")
	page.WaitText("#trouble", "Today, no new transcript is left without an account.")
	page.See("link", "Sign in")
	page.Wait(`document.querySelector("[data-held]").disabled`)
	write("0") // which is there already
	page.Wait(`!document.querySelector("[data-held]").disabled`)
}

// A watched job shows why it waits as soon as the service knows, and no longer once the work goes on.
func TestBrowserShowsWhyAJobWaits(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	release := s.Engine.HoldCaptions()
	short := transcript.Errorf(transcript.IPBlocked, "The <b>site</b> blocks. Ask less.")
	short.Cure, short.RetryAfter = "Ask less.", 5
	s.Engine.FailCaptions(short)
	path := s.begin(t, transcript.URL("dQw4w9WgXcQ"), "")
	page := s.open(t)
	page.Open(path)
	page.WaitText("#stage", "Looking for captions")
	assert.Empty(t, browsertest.Eval[string](page, `document.getElementById("why").textContent`))
	release()
	page.WaitText("#why", "The site blocks this service for the moment. Try again later.")
	again := s.Engine.HoldCaptions()
	defer again()
	page.Wait(`document.getElementById("why").textContent === ""`)
}
