package enginetest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// trouble is a fault in an answer.
type trouble struct {
	name   string
	codes  []transcript.Code // that an error may carry
	silent bool              // the answer stops in the middle: the question is told to stop
	does   func(s *Site, w http.ResponseWriter, r *http.Request, good answer)
}

// troubles returns the troubles that every request can meet, and some more: truncated answers,
// and JSON of another shape.
func troubles() (all []trouble) {
	for _, c := range everywhere {
		t := trouble{c.Name, c.Codes, c.Silent, c.does}
		switch {
		case c.Codes[0] == transcript.IPBlocked: // an interface for programs has other codes for that
			t.codes = []transcript.Code{transcript.IPBlocked, transcript.ServiceUnavailable, transcript.RateLimited}
			if c.Name == "403" {
				t.codes = append(t.codes, transcript.ConfigError)
			}
		case c.Codes[0] == transcript.POTokenRequired:
			t.codes = upstream
		case c.Name == "redirect to a private address":
			t.codes = []transcript.Code{transcript.UpstreamFailed, transcript.ConfigError}
		}
		all = append(all, t)
	}
	return append(all,
		trouble{"connection closed", upstream, false, closed},
		trouble{"JSON without members", upstream, false, says("{}")},
		trouble{"JSON of another type", upstream, false, says(`["talk"]`)},
		trouble{"JSON null", upstream, false, says("null")},
	)
}

func closed(*Site, http.ResponseWriter, *http.Request, answer) { panic(http.ErrAbortHandler) }

func says(body string) func(*Site, http.ResponseWriter, *http.Request, answer) {
	return func(_ *Site, w http.ResponseWriter, _ *http.Request, _ answer) {
		answer{"application/json; charset=UTF-8", body}.send(w)
	}
}

// answer passes a request on. If it is the request that meets the trouble, it spoils the
// answer.
func (s *DiscoverySite) answer(w http.ResponseWriter, r *http.Request, serve http.Handler) {
	s.mu.Lock()
	s.asked++
	met, of, reached := s.asked == s.at, s.of, s.reached
	s.mu.Unlock()
	if !met {
		serve.ServeHTTP(w, r)
		return
	}
	good := answered(serve, r)
	close(reached)
	of.does(s.site, w, r, good)
}

// outcome is the result of a question.
type outcome struct {
	got   any
	err   error
	asked int  // requests that the site received
	ended bool // false if the question did not stop when it was told to
}

// meet asks a question whose request number at meets a trouble; 0 means that none does.
func (s *DiscoverySite) meet(ctx context.Context, q question, at int, of trouble) outcome {
	reached := make(chan struct{})
	s.mu.Lock()
	s.asked, s.at, s.of, s.reached = 0, at, of, reached
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, enough)
	defer cancel()
	done := make(chan outcome, 1)
	go func() {
		got, err := q.ask(ctx, s.source())
		done <- outcome{got: got, err: err, ended: true}
	}()
	o := of.wait(done, reached, ctx.Done(), cancel)
	s.mu.Lock()
	o.asked, s.at = s.asked, 0
	s.mu.Unlock()
	return o
}

// wait returns the outcome of a question. If the trouble is silent, wait tells the question to
// stop once the request has arrived. The question then has a moment to end.
func (of trouble) wait(done <-chan outcome, reached, late <-chan struct{}, stop func()) outcome {
	if !of.silent {
		reached = nil
	}
	for {
		select {
		case o := <-done:
			return o
		case <-reached:
			stop()
			reached = nil
		case <-late:
			select {
			case o := <-done:
				return o
			case <-time.After(soon):
				return outcome{}
			}
		}
	}
}

// troubleIsNoAnswer lets the requests of each question meet each trouble. The result must be an
// error, or the same answer as without the trouble.
func troubleIsNoAnswer(t T, site *DiscoverySite) {
	all, turn := troubles(), 0
	for _, q := range site.questions(site.second(t)) {
		good := site.meet(t.Context(), q, 0, trouble{})
		require.NoError(t, good.err, "%s", q.name)
		require.Positive(t, good.asked, "%s: requests that the site was asked", q.name)
		for at := 1; at <= good.asked; at++ {
			of := all
			if site.backend.Slow {
				// Each request meets a few troubles; together they meet all.
				few := (len(all) + 7) / 8
				of = slices.Concat(all, all)[turn%len(all):][:few]
				turn += few
			}
			for _, trouble := range of {
				o := site.meet(t.Context(), q, at, trouble)
				site.met++
				for _, complaint := range trouble.judge(good.got, o) {
					t.Errorf("%s, %s at request %d of %d: %s", q.name, trouble.name, at, good.asked, complaint)
				}
				if !o.ended { // a question that continues would disturb the next one
					t.FailNow()
				}
			}
		}
	}
	assert.Zero(t, site.site.reached.Load(), "connections to a private address")
}

// second returns the tokens of the second pages.
func (s *DiscoverySite) second(t T) (next after) {
	t.Helper()
	q := s.questions(after{})
	tokens := map[string]string{}
	for _, q := range q[:5] {
		got, err := q.ask(t.Context(), s.source())
		require.NoError(t, err, "%s", q.name)
		switch page := got.(type) {
		case engine.Listing[video.Result]:
			tokens[q.name] = page.Next
		case engine.Listing[video.Summary]:
			tokens[q.name] = page.Next
		case engine.Listing[video.Item]:
			tokens[q.name] = page.Next
		}
	}
	next = after{tokens["search"], tokens["uploads"], tokens["items"]}
	require.NotContains(t, []string{next.search, next.uploads, next.items}, "", "there are second pages")
	return next
}

// judge returns the faults in the outcome of a question.
func (of trouble) judge(good any, o outcome) (complaints []string) {
	var e *transcript.Error
	switch {
	case !o.ended:
		return []string{"goes on " + soon.String() + " after its context has ended"}
	case o.err == nil && !assert.ObjectsAreEqual(good, o.got):
		return []string{"another answer and no error"}
	case o.err == nil: // the question found another way to the same answer
		return nil
	case of.silent && errors.Is(o.err, context.Canceled):
	case !errors.As(o.err, &e):
		complaints = append(complaints, "an error without a code of the API: "+o.err.Error())
	case !slices.Contains(of.codes, e.Code):
		complaints = append(complaints, string(e.Code)+": "+o.err.Error())
	case e.Message == "":
		complaints = append(complaints, "an error without a message: "+o.err.Error())
	case e.Code.Retry() == transcript.RetryNow && e.RetryAfter <= 0:
		complaints = append(complaints, string(e.Code)+" does not say when to ask again")
	}
	if !isEmpty(o.got) {
		complaints = append(complaints, "a result together with an error")
	}
	return complaints
}

// isEmpty reports whether the result of a question is empty.
func isEmpty(got any) bool {
	switch got := got.(type) {
	case engine.Listing[video.Result]:
		return len(got.Items) == 0
	case engine.Listing[video.Summary]:
		return len(got.Items) == 0
	case engine.Listing[video.Item]:
		return len(got.Items) == 0
	case []video.Video:
		return len(got) == 0
	case video.Channel:
		return got.ChannelID == ""
	}
	return true
}
