package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A request may be refused for several reasons. The answer names one that never passes, so that
// nobody tries again for nothing.
func TestRefusalsInOrder(t *testing.T) {
	t.Parallel()
	fullDisk := func(c *server.Config) { c.Limits.MinFreeDisk = 1 << 60 }
	tiny := onPlan(func(p *account.Plan) { p.MaxUploadBytes = 4 })
	spent := onPlan(func(p *account.Plan) { p.TranscriptsPerPeriod = 0 })
	large := strings.Repeat("a", 300<<10) // more than may stand around the file of a form
	for name, c := range map[string]struct {
		configure []func(*server.Config)
		ask       func(s *service) *answer
		status    int
		code      transcript.Code
	}{
		"a file over the plan's size": {
			[]func(*server.Config){fullDisk, tiny}, func(s *service) *answer { return s.postFile(t, "", "too much") },
			http.StatusUnprocessableEntity, transcript.MediaTooLarge,
		},
		"a file over the plan's size, in parts": {
			[]func(*server.Config){fullDisk, tiny}, func(s *service) *answer { return s.postFile(t, "", "a", complete(false), lengthOf(8)) },
			http.StatusUnprocessableEntity, transcript.MediaTooLarge,
		},
		"a file over the plan's size, in a form": {
			[]func(*server.Config){fullDisk, tiny}, func(s *service) *answer { return s.upload(t, large) },
			http.StatusUnprocessableEntity, transcript.MediaTooLarge,
		},
		"a field of a query": {
			[]func(*server.Config){fullDisk}, func(s *service) *answer { return s.postFile(t, "?waitMs=soon", "file") },
			http.StatusBadRequest, transcript.InvalidRequest,
		},
		"a field of a form": {
			[]func(*server.Config){fullDisk}, func(s *service) *answer { return s.postForm(t, []part{field("waitMs", "soon"), file("file")}) },
			http.StatusUnprocessableEntity, transcript.InvalidRequest,
		},
		"contradicting lengths": {
			[]func(*server.Config){fullDisk}, func(s *service) *answer { return s.postFile(t, "", "four", complete(true), lengthOf(5)) },
			http.StatusBadRequest, transcript.InvalidRequest,
		},
		"a time to keep the file that the plan does not have": {
			[]func(*server.Config){fullDisk, onPlan(func(p *account.Plan) { p.MaxKeepMedia = 0 })}, func(s *service) *answer {
				return s.postForm(t, []part{field("keepMediaSec", "3600"), file("file")})
			},
			http.StatusPaymentRequired, transcript.UpgradeRequired,
		},
		"no transcripts left, for a link": {
			[]func(*server.Config){fullDisk, spent}, func(s *service) *answer { return s.link(t, video) },
			http.StatusPaymentRequired, transcript.TranscriptQuotaExceeded,
		},
		"no transcripts left, and no place": {
			[]func(*server.Config){onPlan(func(p *account.Plan) { p.TranscriptsPerPeriod, p.ASRConcurrency, p.ASRWaiting = 1, 1, 0 })}, func(s *service) *answer {
				defer s.Engine.Hold()()
				s.job(t, "the only one")
				return s.upload(t, "another")
			},
			http.StatusPaymentRequired, transcript.TranscriptQuotaExceeded,
		},
		"another length than before, at a wrong offset": {
			nil, func(s *service) *answer {
				return s.appendTo(t, s.begin(t, "a", lengthOf(8)), 5, "b", false, lengthOf(9))
			},
			http.StatusBadRequest, transcript.InvalidRequest,
		},
		"a length over the plan's size, at a wrong offset": {
			[]func(*server.Config){tiny}, func(s *service) *answer { return s.appendTo(t, s.begin(t, "a"), 3, "b", false, lengthOf(9)) },
			http.StatusUnprocessableEntity, transcript.MediaTooLarge,
		},
		"a file over the plan's size, with a key in use": {
			[]func(*server.Config){tiny}, func(s *service) *answer {
				release := s.Engine.Hold()
				first := s.inBackground(t, []part{field("waitMs", "10000"), file("a")}, withKey("in use"))
				s.acceptedJob(t, "a")
				a := s.postFile(t, "", "too much", withKey("in use"))
				release()
				<-first
				return a
			},
			http.StatusUnprocessableEntity, transcript.MediaTooLarge,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := c.ask(start(t, c.configure...))
			assert.Equal(t, c.status, a.StatusCode, a.body)
			assert.Empty(t, a.Header.Get("Retry-After"))
			if c.code != "" {
				assert.Contains(t, a.body, string(c.code))
			}
		})
	}
}
