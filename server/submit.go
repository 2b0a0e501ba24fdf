package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Submit asks for a transcript on behalf of an account, without HTTP: what the
// program around the server wants itself. It goes by the rules of POST /v1/transcript:
// the same bounds of a request, the plan of the principal, [Config.Admit], the cache,
// and, where there is none of it, a job of the account, which the job routes show.
// Without an error exactly one of the result and the job is not nil. The job is what
// does not end within r.Wait, which is 0 to 10 s; nil: 2 s.
//
// The program answers for who asks: no scope is needed, and no request is counted.
// [account.Accounts.Principal] makes the principal of an account by its name.
//
// A refusal, or the failure of a job within the wait, is a *transcript.Error, as the
// route would answer it. While the database is away that is SERVICE_UNAVAILABLE, and
// it is not known whether there is a job. Submit may be repeated then and at any time:
// while an equal job of the account runs it returns that one, and after its success the
// stored text. A file is read once, to its end or to the first byte that is more than
// the plan permits; an error of its reader is returned as it is. When ctx ends, so does
// the reading of the file, and the wait, but not the job.
func (s *Server) Submit(ctx context.Context, p account.Principal, r transcript.Request) (*transcript.Result, *transcript.Job, error) {
	out, err := s.submitFor(ctx, p, r)
	if err != nil {
		return nil, nil, s.inProcess(ctx, err)
	}
	if out.Result == nil {
		if !out.Job.Status.Terminal() {
			return nil, &out.Job.Job, nil
		}
		var failure *transcript.Error
		if out.Result, failure = outcome(out.Job); failure != nil {
			return nil, nil, failure
		}
	}
	result, err := wholeResult(out.Result)
	return result, nil, err
}

// inProcess is an error as the program around the server is told: what a request would
// be asked to repeat has a code.
func (s *Server) inProcess(ctx context.Context, err error) error {
	if _, business := edge.BusinessFailure(err); !business && (errors.Is(err, db.ErrUnavailable) || s.lifetime.Excuses(err)) && ctx.Err() == nil {
		return edge.Unavailable().Because(err)
	}
	return err
}

func (s *Server) submitFor(ctx context.Context, p account.Principal, r transcript.Request) (*pipeline.Outcome, error) {
	if p.Account == "" {
		return nil, errors.New("server: Submit: the principal has no account")
	}
	if err := edge.CheckPrincipal(p); err != nil {
		return nil, err
	}
	var src source
	var wish wishes
	fields := append(wish.fields(), languageField(&wish.languages))
	body := wishesOf(r)
	name, size, open, file := r.Source.Upload()
	if !file {
		table := request.Table{Fields: append(src.fields(), fields...), OneOf: oneSource}
		if link, ok := r.Source.Link(); ok {
			body["url"] = link
		} else if platform, id, ok := r.Source.Content(); ok {
			body["platform"], body["externalId"] = platform, id
		}
		if err := readWishes(table, body); err != nil {
			return nil, err
		}
		return s.submitLink(ctx, p, src, wish)
	}
	if err := mayUpload(p.Plan); err != nil {
		return nil, err
	}
	if err := readWishes(request.Table{Fields: fields}, body); err != nil {
		return nil, err
	}
	if err := pipeline.CheckSize(size, p.Plan.MaxUploadBytes); err != nil {
		return nil, err
	}
	media, err := open()
	if err != nil {
		return nil, fmt.Errorf("server: opening a file: %w", err)
	}
	defer media.Close()
	return s.submitFile(ctx, p, name, media, wish)
}

// wishesOf are the members of r beside its source, as a body has them.
func wishesOf(r transcript.Request) map[string]any {
	body := map[string]any{"includeTimestamp": !r.OmitTimestamp, "sendMetadata": r.SendMetadata}
	if len(r.Language) > 0 {
		body["language"] = strings.Join(r.Language, ",")
	}
	if r.Format != "" {
		body["format"] = r.Format
	}
	if r.Wait != nil {
		body["waitMs"] = r.Wait.Milliseconds()
	}
	return body
}

// readWishes has a table read what a request in process says, so that it is held to the
// same rules as a body.
func readWishes(table request.Table, wishes map[string]any) error {
	body, err := json.Marshal(wishes)
	if err != nil {
		return fmt.Errorf("server: reading a request: %w", err)
	}
	return table.ReadJSON(body)
}

func (s *Server) submitLink(ctx context.Context, p account.Principal, src source, wish wishes) (*pipeline.Outcome, error) {
	content, err := s.find(ctx, src)
	if err != nil {
		return nil, err
	}
	return s.submitted(ctx, wish.wait, pipeline.Submission{
		Account: p.Account, Plan: p.Plan, Content: content, Languages: wish.languages, View: wish.view,
		Admit: s.admitting(p, Operation{ID: createTranscript, Platform: content.Platform, ExternalID: content.ExternalID}),
	})
}

func (s *Server) submitFile(ctx context.Context, p account.Principal, name string, media io.Reader, wish wishes) (*pipeline.Outcome, error) {
	upload, err := s.pipeline.Receive(ctx, untilDone{ctx, media}, p.Plan.MaxUploadBytes)
	if err != nil {
		return nil, err
	}
	upload.Name = name
	return s.submitted(ctx, wish.wait, s.uploadSubmission(p, upload, wish))
}

// untilDone is a reader of which nothing is read once ctx has ended.
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

// wholeResult is a result with its segments, as a client reads it. It is the program's,
// which may change it: what it was made from is kept for the next who asks.
func wholeResult(res *view.Result) (*transcript.Result, error) {
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
