package submitting

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/jobs"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// defaultWait is how long POST /v1/transcript waits for a result before it answers with a job.
const defaultWait = 2 * time.Second

// wishes are the optional fields of a request.
type wishes struct {
	intake.Wish
	wait time.Duration
}

// options are the options of both a link and a file, without the languages.
func (wish *wishes) options() []*request.Field {
	return append(slices.Concat(jobs.ViewFields(&wish.View), listeningFields(&wish.Listening)),
		request.New("sendMetadata", &wish.View.SendMetadata, request.Boolean().Default(false)).
			About("Adds metadata, title, creator and similar fields."),
		request.New("waitMs", &wish.wait, request.Milliseconds(resource.MaxWait).Default(defaultWait)).
			About("Milliseconds to hold the answer. 0: if the cache has no transcript, you get a job at once."),
	)
}

// maxKeepMedia is the longest time that a request can name. The plan has its own limit.
const maxKeepMedia = 10 * 365 * 24 * time.Hour

// fileOptions are the options of a file.
func (wish *wishes) fileOptions() []*request.Field {
	return append(wish.options(), resource.LanguageField(&wish.Languages),
		request.New("keepMediaSec", &wish.KeepMedia, request.Seconds(maxKeepMedia).Default(0)).
			About("Seconds for which the service keeps the recording after the end of the job. 0: it keeps none. The plan limits the time: `maxKeepMediaSec`."),
		request.New("recordingOf", &wish.RecordingOf, request.Text(1, resource.MaxExternalID)).
			About("The `externalId` of an upload in the library. The service adds the file to its text for `keepMediaSec`, and recognizes nothing. It refuses a file with another content."),
	)
}

// check refuses values that the plan does not permit. status is the HTTP status for a value
// out of its bounds.
func (wish *wishes) check(plan account.Plan, status int) error {
	most := plan.MaxKeepMedia
	switch {
	case wish.RecordingOf != "" && wish.KeepMedia == 0:
		return request.Invalid(status, transcript.Issue{Path: "keepMediaSec", Reason: transcript.IssueMissing, Message: "must say for how long, because recordingOf adds a recording"})
	case wish.KeepMedia == 0, most == account.Unlimited:
		return nil
	case most == 0:
		return plan.UpgradeRequired("The plan does not include keeping recordings: send the file without that wish.")
	case wish.KeepMedia > most:
		return request.Invalid(status, transcript.Issue{
			Path: "keepMediaSec", Reason: transcript.IssueRange, Message: fmt.Sprintf("must be from 0 to %d, the bound of the plan", int64(most/time.Second)),
		})
	}
	return nil
}

// canonical returns the canonical form of the fields that the table has read. The default
// language depends on the platform.
func canonical(t request.Table, p transcript.Platform) map[string]any {
	c := t.Canonical()
	if _, sent := c["language"]; !sent {
		c["language"] = defaultLanguages(p).String()
	}
	return c
}

func defaultLanguages(p transcript.Platform) transcript.LanguageList {
	if language.HasCaptions(p) {
		return transcript.LanguageList{{Tag: resource.DefaultLanguage}}
	}
	return transcript.LanguageList{{ASR: true}}
}

// linkRequest is the JSON body of POST /v1/transcript.
type linkRequest struct {
	resource.Source
	wishes
	table request.Table
}

func newLinkRequest() *linkRequest {
	req := new(linkRequest)
	req.table = request.Table{
		Name: "CreateTranscriptRequest",
		Fields: slices.Concat(req.Fields(), req.options(), []*request.Field{
			resource.LanguageField(&req.Languages).ShowDefault(resource.DefaultLanguage),
		}),
		OneOf: resource.OneSource,
	}
	return req
}

// linkRequests is a pool of requests with finished tables.
type linkRequests struct{ idle sync.Pool }

// next returns an empty request. The caller returns the request with done.
func (l *linkRequests) next() *linkRequest {
	if req, ok := l.idle.Get().(*linkRequest); ok {
		return req
	}
	return newLinkRequest()
}

func (l *linkRequests) done(req *linkRequest) {
	req.Source, req.wishes = resource.Source{}, wishes{}
	req.table.Reset()
	l.idle.Put(req)
}

// read reads the body and checks its fields, without the database or the network.
func (req *linkRequest) read(w http.ResponseWriter, r *http.Request) error {
	body, err := edge.ReadBody(w, r, edge.MaxJSONBody)
	if err != nil {
		return err
	}
	return req.table.ReadJSON(body)
}
