package pipeline

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Question asks for what is known of a content, without starting a job.
type Question struct {
	Account string
	Plan    account.Plan
	Content engine.Content
	// Languages is the caller's list; nil when none was sent.
	Languages transcript.LanguageList
}

// CaptionReport is a report with its segments rendered: Transcript.Segments is
// empty, SegmentsJSON holds them.
type CaptionReport struct {
	transcript.CaptionReport
	SegmentsJSON []byte
	// Failure is the code's own answer where the report is to be sent with a status
	// other than 200 (502, 503, 404); nil otherwise.
	Failure *transcript.Error
}

// Captions answers by the decision table of contract 4. The platform has 10 s.
// The error is of a request that gets no report: UNAVAILABLE for a missing
// asset.
func (p *Pipeline) Captions(ctx context.Context, q Question) (*CaptionReport, error) {
	return nil, transcript.Errorf(transcript.NotImplemented, "This service reads no captions.")
}

// Info says what a content is and in which languages it can be had (contract 5.1).
func (p *Pipeline) Info(ctx context.Context, q Question) (*transcript.Info, error) {
	return nil, transcript.Errorf(transcript.NotImplemented, "This service reads no captions.")
}
