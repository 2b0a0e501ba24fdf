package submitting

import (
	"context"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/uploads"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// UploadText is the body of GET /v1/transcript/uploads/{uploadId}/text: what is recognized of a file that
// still arrives.
type UploadText struct {
	UploadID      string               `json:"uploadId" format:"uuid"`    // the id of the upload
	ReceivedBytes int64                `json:"receivedBytes" minimum:"0"` // how many bytes are stored
	HeardSec      float64              `json:"heardSec" minimum:"0"`      // how far the recording is recognized
	From          int                  `json:"from" minimum:"0"`          // the number of the lines before these
	Segments      []transcript.Segment `json:"segments"`                  // the lines after them; later answers only add lines
	Tail          string               `json:"tail"`                      // the words after the last line; the next answer replaces them
}

func (t *Intake) uploadTextRoute() edge.Route {
	return edge.Route{
		Method: http.MethodGet, Pattern: uploadPattern + "/text",
		Operation: "getUploadText", Tag: "uploads",
		Summary: "Read what is recognized of a file while it arrives.",
		Scope:   account.Transcripts, Polls: true, Handle: t.getUploadText,
		Path: uploadByID.Path(new(string)), Query: new(uploadTextQuery).table(),
		Answers: []edge.Answer{{Status: http.StatusOK, Body: UploadText{}}},
		Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NotFound},
	}
}

// uploadTextQuery is the query of GET /v1/transcript/uploads/{uploadId}/text.
type uploadTextQuery struct {
	from  int
	heard time.Duration
	wait  time.Duration
}

// longestHeard bounds the places that a query can name.
const longestHeard = 30 * 24 * time.Hour

func (q *uploadTextQuery) table() request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("from", &q.from, request.Integer(0, 1_000_000).Default(0)).About("The number of the lines that the caller has."),
		request.New("heardMs", &q.heard, request.Milliseconds(longestHeard).Default(0)).About("The `heardSec` of the last answer, in milliseconds."),
		request.New("waitMs", &q.wait, request.Milliseconds(resource.MaxWait).Default(0)).About("Milliseconds to wait for more."),
	}}
}

// getUploadText is GET /v1/transcript/uploads/{uploadId}/text.
func (t *Intake) getUploadText(w http.ResponseWriter, r *http.Request) error {
	p := edge.Principal(r)
	var q uploadTextQuery
	if err := q.table().ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	id, err := uploadByID.ID(r)
	if err != nil {
		return err
	}
	u, err := t.Pipeline.Resumable.Look(r.Context(), p.Account, id)
	if err != nil {
		return err
	}
	heard, err := t.heard(r.Context(), p, u, q)
	if err != nil {
		return err
	}
	from := q.from
	if from > len(heard.Lines) { // of a process that has stopped meanwhile
		from = 0
	}
	w.Header().Set("Cache-Control", "no-store")
	return edge.RespondJSON(w, http.StatusOK, UploadText{
		UploadID: id, ReceivedBytes: u.Received, HeardSec: heard.Until.Seconds(), From: from,
		Segments: append([]transcript.Segment{}, heard.Lines[from:]...), Tail: heard.Tail,
	})
}

// heard waits for words as long as the query says. Without a wait left, it returns at once.
func (t *Intake) heard(ctx context.Context, p account.Principal, u *db.Upload, q uploadTextQuery) (heard uploads.Heard, err error) {
	wished, err := readFileRequest(u.Wishes)
	if err != nil {
		return heard, err
	}
	watch, err := t.Pipeline.Resumable.Watch(ctx, u, t.uploadSubmission(p, new(uploads.Upload), wished.wishes))
	if err != nil {
		return heard, err
	}
	defer watch.Close()
	wait := q.wait
	release, ok := edge.TakeWait(ctx)
	if ok {
		defer release()
	} else {
		wait = 0
	}
	serving, stop := t.Lifetime.Until(ctx)
	defer stop()
	waiting, cancel := t.Timeout(serving, wait)
	defer cancel()
	if wait == 0 {
		cancel()
	}
	defer edge.Waiting(ctx)()
	return watch.Heard(waiting, q.heard), nil
}
