package pipeline

import (
	"context"
	"maps"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
)

// The queues, and how many of their steps run at once. Config.ASRWorkers is the number
// of workers for chunks. Publishing has a queue of its own, so that a nearly finished
// job waits neither for downloads nor for recognition. The start of recognition has its
// own queue too, so that no slot is idle during the downloads of other jobs. In each
// queue accounts take turns (db.Tx.Enqueue).
const (
	queueCaptions   = "captions"
	queueDownload   = "download"
	queueMedia      = "media"
	queueStart      = "start"
	queueASR        = "asr"
	queuePublish    = "publish"
	captionWorkers  = 4
	downloadWorkers = 2
	mediaWorkers    = 2
	startWorkers    = 1
	publishWorkers  = 2
)

// The time limits of one step, far above what one takes. They do not find steps whose
// process has died: a missing heartbeat does.
const (
	captionsTimeout  = 5 * time.Minute
	prepareTimeout   = 2 * time.Hour
	startTimeout     = time.Minute
	recognizeTimeout = 30 * time.Minute // and some for the length of a chunk
	publishTimeout   = 5 * time.Minute
)

type captionsArgs struct {
	Extraction string `json:"extraction"`
}

func (a captionsArgs) extraction() string { return a.Extraction }
func (captionsArgs) Kind() string         { return "captions" }
func (captionsArgs) Queue() string        { return queueCaptions }

type prepareArgs struct {
	Extraction string `json:"extraction"`
	// Link tells that the media must be downloaded.
	Link bool `json:"link,omitempty"`
}

func prepareStep(e *db.Extraction) prepareArgs {
	return prepareArgs{Extraction: e.ID, Link: e.MediaKey == ""}
}

func (a prepareArgs) extraction() string { return a.Extraction }
func (prepareArgs) Kind() string         { return "prepare" }
func (a prepareArgs) Queue() string {
	if a.Link {
		return queueDownload
	}
	return queueMedia
}

type startArgs struct {
	Extraction string `json:"extraction"`
}

func (a startArgs) extraction() string { return a.Extraction }
func (startArgs) Kind() string         { return "start" }
func (startArgs) Queue() string        { return queueStart }

type recognizeArgs struct {
	Extraction string `json:"extraction"`
	Chunk      int    `json:"chunk"`
	// Failed is how many attempts at this chunk have failed. Chunks count each for
	// itself, as all in the queue fail when a recognizer is away for a moment.
	Failed int `json:"failed,omitempty"`
	// InTurn tells that the chunks of the extraction are recognized one after the other,
	// as each wants the voices of those before.
	InTurn bool `json:"inTurn,omitempty"`
}

func (a recognizeArgs) extraction() string { return a.Extraction }
func (recognizeArgs) Kind() string         { return "recognize" }
func (recognizeArgs) Queue() string        { return queueASR }

type publishArgs struct {
	Extraction string `json:"extraction"`
}

func (a publishArgs) extraction() string { return a.Extraction }
func (publishArgs) Kind() string         { return "publish" }
func (publishArgs) Queue() string        { return queuePublish }

// step is a part of the work on an extraction.
type step interface {
	queue.Step
	extraction() string // its id
}

func (p *processor) workers(process string) queue.Workers {
	w := queue.Workers{
		Process: process,
		Workers: []queue.Worker{
			worker(p, captionsTimeout, captionsStep{p}.readCaptions),
			worker(p, prepareTimeout, p.prepare),
			worker(p, startTimeout, p.start),
			worker(p, p.recognizeTimeout(), p.recognize),
			worker(p, publishTimeout, p.publish),
		},
		Queues: map[string]int{
			queueCaptions: captionWorkers,
			queueDownload: downloadWorkers,
			queueMedia:    mediaWorkers,
			queueStart:    startWorkers,
			queueASR:      p.cfg.ASRWorkers,
			queuePublish:  publishWorkers,
		},
		Takes:    p.takes,
		Finished: p.cfg.Retention.Finished,
	}
	w.Workers, w.Periodic = append(w.Workers, p.features.Workers...), p.features.Periodic
	maps.Copy(w.Queues, p.features.Queues)
	return w
}

// recognizeTimeout is longer for longer chunks: a large model on a small machine
// takes some ten times as long as the audio, and other chunks may go before.
func (p *processor) recognizeTimeout() time.Duration {
	if p.engine.Recognizer == nil {
		return recognizeTimeout
	}
	return recognizeTimeout + 60*recognition.LengthsFor(p.engine.Recognizer.Info()).Longest
}

// needs says what a process must be able to do for the steps of a queue.
func needs(queue string) func(cluster.Abilities) bool {
	switch queue {
	case queueCaptions:
		return func(a cluster.Abilities) bool { return len(a.Captions) > 0 }
	case queueDownload:
		return func(a cluster.Abilities) bool { return a.Audio && a.Media }
	case queueMedia:
		return func(a cluster.Abilities) bool { return a.Media }
	case queueASR:
		return func(a cluster.Abilities) bool { return a.Recognizer != nil }
	}
	return func(cluster.Abilities) bool { return true }
}

// takes reports whether this process takes steps from a queue: the process can do such
// steps, or no process can and the steps are to end with an error.
func (p *processor) takes(queue string) bool {
	if takes, ok := p.features.Takes[queue]; ok {
		return takes
	}
	need := p.features.Needs[queue]
	if need == nil {
		need = needs(queue)
	}
	return p.cluster.Alone().Anyone(need) || !p.cluster.Team(context.Background()).Anyone(need)
}

// Queues are the names of the queues of jobs.
func Queues() []string {
	return []string{queueCaptions, queueDownload, queueMedia, queueASR, queuePublish}
}
