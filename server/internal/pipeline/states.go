package pipeline

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The states that the steps speak of (contract 3).
var (
	pendingQueued = transcript.StageQueued.State()
	captionFetch  = transcript.StageCaptionFetch.State()
	durationCheck = transcript.StageDurationCheck.State()
	asrQueued     = transcript.StageASRQueued.State()
	asrRunning    = transcript.StageASRRunning.State()
	publishing    = transcript.StagePublishing.State()
	done          = transcript.StageDone.State()
	failed        = transcript.State{Status: transcript.JobFailed}
	cancelled     = transcript.State{Status: transcript.JobCancelled}
)

// stateOf is where an extraction is while a step of a kind is at it.
func stateOf(kind string) transcript.State {
	switch kind {
	case captionsArgs{}.Kind():
		return captionFetch
	case prepareArgs{}.Kind():
		return durationCheck
	case recognizeArgs{}.Kind():
		return asrRunning
	case publishArgs{}.Kind():
		return publishing
	}
	return transcript.State{}
}

// before is where a lost or failed step of a processing state begins again
// (J7, J12, J14).
func before(s transcript.State) transcript.State {
	switch s.Stage {
	case transcript.StageASRRunning, transcript.StagePublishing:
		return asrQueued
	}
	return pendingQueued
}

// beyondCaptions tells that the captions are known not to answer: the work goes
// on with the sound. (Captions that do answer are published in the move that
// finds them.)
func beyondCaptions(s transcript.State) bool {
	return s.Stage != transcript.StageQueued && s.Stage != transcript.StageCaptionFetch
}

// advance brings an extraction that waits for recognition, or is in it, to a
// later state, by way of asr_running (J10, J11).
func advance(ctx context.Context, tx *db.Tx, e *db.Extraction, to transcript.State) error {
	if e.State == asrQueued {
		if err := tx.Move(ctx, e, db.Change{To: asrRunning}); err != nil {
			return err
		}
	}
	if e.State == to {
		return nil
	}
	return tx.Move(ctx, e, db.Change{To: to})
}
