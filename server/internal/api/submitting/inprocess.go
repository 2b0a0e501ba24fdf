package submitting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/jobs"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/uploads"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Submit requests a transcript without HTTP, by the rules of POST /v1/transcript. Without an error
// exactly one of the result and the job is not nil.
func (t *Intake) Submit(ctx context.Context, p account.Principal, r transcript.Request) (*transcript.Result, *transcript.Job, error) {
	out, err := t.submitFor(ctx, p, r)
	if err != nil {
		return nil, nil, t.inProcess(ctx, err)
	}
	if out.Result == nil {
		if !out.Job.Status.Terminal() {
			return nil, &out.Job.Job, nil
		}
		var failure *transcript.Error
		if out.Result, failure = jobs.Outcome(out.Job); failure != nil {
			return nil, nil, failure
		}
	}
	result, err := WholeResult(out.Result)
	return result, nil, err
}

// inProcess converts an error for the embedding program: if a client would repeat the request
// after the error, its code becomes SERVICE_UNAVAILABLE.
func (t *Intake) inProcess(ctx context.Context, err error) error {
	if _, business := edge.BusinessFailure(err); !business && (errors.Is(err, db.ErrUnavailable) || t.Lifetime.Excuses(err)) && ctx.Err() == nil {
		return edge.Unavailable().Because(err)
	}
	return err
}

func (t *Intake) submitFor(ctx context.Context, p account.Principal, r transcript.Request) (*intake.Outcome, error) {
	if p.Account == "" {
		return nil, errors.New("server: Submit: the principal has no account")
	}
	if err := edge.CheckPrincipal(p); err != nil {
		return nil, err
	}
	var src resource.Source
	var wish wishes
	body := wire.Wishes(r)
	name, size, open, file := r.Source.Upload()
	if !file {
		fields := slices.Concat(src.Fields(), wish.options(), []*request.Field{resource.LanguageField(&wish.Languages)})
		table := request.Table{Fields: fields, OneOf: resource.OneSource}
		if link, ok := r.Source.Link(); ok {
			body["url"] = link
		} else if platform, id, ok := r.Source.Content(); ok {
			body["platform"], body["externalId"] = platform, id
		}
		if err := readWishes(table, body); err != nil {
			return nil, err
		}
		return t.submitLink(ctx, p, src, wish)
	}
	if err := MayUpload(p.Plan); err != nil {
		return nil, err
	}
	if err := readWishes(request.Table{Fields: wish.fileOptions()}, body); err != nil {
		return nil, err
	}
	if err := wish.check(p.Plan, http.StatusUnprocessableEntity); err != nil {
		return nil, err
	}
	if err := uploads.CheckSize(size, p.Plan.MaxUploadBytes); err != nil {
		return nil, err
	}
	media, err := open()
	if err != nil {
		return nil, fmt.Errorf("server: opening a file: %w", err)
	}
	defer media.Close()
	return t.submitMedia(ctx, p, name, media, wish)
}

// readWishes reads the fields of an in-process request through a table, so that the same rules
// apply as for a body.
func readWishes(table request.Table, wishes map[string]any) error {
	body, err := json.Marshal(wishes)
	if err != nil {
		return fmt.Errorf("server: reading a request: %w", err)
	}
	return table.ReadJSON(body)
}

func (t *Intake) submitLink(ctx context.Context, p account.Principal, src resource.Source, wish wishes) (*intake.Outcome, error) {
	match, err := t.MatchRecording(src)
	if err != nil {
		return nil, err
	}
	content, err := t.ContentOf(ctx, match)
	if err != nil {
		return nil, err
	}
	return t.submitted(ctx, wish.wait, intake.Submission{
		Account: p.Account, Plan: p.Plan, Content: content, Wish: wish.Wish,
		Admit: t.Admit.Of(p, resource.Operation{ID: createTranscript, Platform: content.Platform, ExternalID: content.ExternalID}),
	}, t.Pipeline.Submit)
}

func (t *Intake) submitMedia(ctx context.Context, p account.Principal, name string, media io.Reader, wish wishes) (*intake.Outcome, error) {
	expected := t.uploadSubmission(p, new(uploads.Upload), wish)
	upload, err := t.Pipeline.ReceiveFor(ctx, expected, untilDone{ctx, media}, p.Plan.MaxUploadBytes)
	if err != nil {
		return nil, err
	}
	upload.Name = name
	return t.submitted(ctx, wish.wait, t.uploadSubmission(p, upload, wish), upload.Commit)
}

// untilDone reads from a reader until ctx has ended.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(b)
}

// WholeResult returns a result with its segments, as a client reads it. The program may
// change the result, because the next caller gets another copy.
func WholeResult(res *view.Result) (*transcript.Result, error) {
	segments, err := res.SegmentsJSON.Plain()
	var body []byte
	if err == nil {
		body, err = wire.AppendResult(nil, &res.Result, segments)
	}
	whole := new(transcript.Result)
	if err == nil {
		err = json.Unmarshal(body, whole)
	}
	if err != nil {
		return nil, fmt.Errorf("server: reading a stored text: %w", err)
	}
	return whole, nil
}

// Rendered returns a file that another interface makes from a text, and keeps it in memory for a
// while. writer names the version of the format, and options distinguish the files of a text.
// The caller must have checked that the account may read the text.
func (t *Intake) Rendered(res *view.Result, writer string, options []string, render func() ([]byte, error)) (*packed.Body, error) {
	tag := resource.MadeOf(res.TextID, res.TextChanged, writer, options...)
	return t.Recent.Remembered(tag, func() (*packed.Body, error) {
		file, err := render()
		if err != nil {
			return nil, err
		}
		return packed.NewBody(packed.Pack(file)), nil
	})
}
