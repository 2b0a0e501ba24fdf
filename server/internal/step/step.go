// Package step names the steps by which a text is made, their queues, and the states of work
// before and during each step.
//
//	err := tx.Queue.Enqueue(ctx, step.Publish{Work: e.ID})
//	way := step.Way(w.Kind)
package step

import (
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// The queues of the steps. Publishing has a queue of its own, so that a nearly finished job waits
// neither for downloads nor for recognition. The start of recognition has its own queue too, so that
// no recognizer is idle during the downloads of other jobs. In each queue accounts take turns
// (queue.Tx.Enqueue).
const (
	CaptionsQueue = "captions"
	DownloadQueue = "download"
	MediaQueue    = "media"
	StartQueue    = "start"
	ASRQueue      = "asr"
	SpeakersQueue = "speakers"
	PublishQueue  = "publish"
)

// Queues are the queues whose lengths the metrics show.
func Queues() []string {
	return []string{CaptionsQueue, DownloadQueue, MediaQueue, ASRQueue, SpeakersQueue, PublishQueue}
}

// Step is a step of the work on a text.
type Step interface {
	queue.Step
	// WorkID is the id of the work.
	WorkID() string
}

// Held is a step that this process has begun and holds, until another process takes the step over.
type Held struct {
	Work string    // the id of the work
	Row  queue.Row // the run of the queue, which proves who owns the step
	Dir  string    // for scratch files
}

// Captions reads the captions of a link. It is the first step of a link that may have captions.
type Captions struct {
	Work string `json:"extraction"`
}

// WorkID is the id of the work.
func (c Captions) WorkID() string { return c.Work }

// Kind is the name of the step.
func (Captions) Kind() string { return "captions" }

// Queue is where the step stands.
func (Captions) Queue() string { return CaptionsQueue }

// Prepare downloads, decodes and cuts the media. It is the first step of an upload.
type Prepare struct {
	Work string `json:"extraction"`
	// Link says that the media must be downloaded.
	Link bool `json:"link,omitempty"`
}

// PrepareOf is the step that prepares the media of some work.
func PrepareOf(e *db.Work) Prepare {
	return Prepare{Work: e.ID, Link: e.MediaKey == ""}
}

// WorkID is the id of the work.
func (p Prepare) WorkID() string { return p.Work }

// Kind is the name of the step.
func (Prepare) Kind() string { return "prepare" }

// Queue is where the step stands.
func (p Prepare) Queue() string {
	if p.Link {
		return DownloadQueue
	}
	return MediaQueue
}

// Start puts the first chunks into the queue of the recognizers.
type Start struct {
	Work string `json:"extraction"`
}

// WorkID is the id of the work.
func (s Start) WorkID() string { return s.Work }

// Kind is the name of the step.
func (Start) Kind() string { return "start" }

// Queue is where the step stands.
func (Start) Queue() string { return StartQueue }

// Recognize recognizes one chunk.
type Recognize struct {
	Work  string `json:"extraction"`
	Chunk int    `json:"chunk"`
	// Failed is how many attempts at this chunk have failed. Each chunk counts its own
	// attempts, because all chunks in the queue fail when a recognizer is not available for
	// a moment.
	Failed int `json:"failed,omitempty"`
	// InTurn says that the chunks of the work are recognized one after another, because each
	// needs the voices of the previous ones.
	InTurn bool `json:"inTurn,omitempty"`
}

// WorkID is the id of the work.
func (r Recognize) WorkID() string { return r.Work }

// Kind is the name of the step.
func (Recognize) Kind() string { return "recognize" }

// Queue is where the step stands.
func (Recognize) Queue() string { return ASRQueue }

// TellSpeakers finds out who speaks when in the whole recording, beside the recognition of its chunks.
type TellSpeakers struct {
	Work string `json:"extraction"`
	// Failed is how many attempts at the step have failed: like a chunk, it counts by itself.
	Failed int `json:"failed,omitempty"`
}

// WorkID is the id of the work.
func (s TellSpeakers) WorkID() string { return s.Work }

// Kind is the name of the step.
func (TellSpeakers) Kind() string { return "speakers" }

// Queue is where the step stands.
func (TellSpeakers) Queue() string { return SpeakersQueue }

// Publish stitches the chunks and stores the transcript.
type Publish struct {
	Work string `json:"extraction"`
}

// WorkID is the id of the work.
func (p Publish) WorkID() string { return p.Work }

// Kind is the name of the step.
func (Publish) Kind() string { return "publish" }

// Queue is where the step stands.
func (Publish) Queue() string { return PublishQueue }
