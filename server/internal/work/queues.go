package work

import (
	"context"
	"maps"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
)

// How many steps of each queue run at once. Config.ASRWorkers is the number for chunks.
const (
	captionWorkers  = 4
	downloadWorkers = 2
	mediaWorkers    = 2
	startWorkers    = 1
	speakersWorkers = 4 // a diarizer that computes here bounds by itself how much it does at once
	publishWorkers  = 2
)

// The time limits of one step, far above what a step takes. They do not detect steps
// whose process has died: a missing heartbeat does.
const (
	captionsTimeout  = 5 * time.Minute
	prepareTimeout   = 2 * time.Hour
	startTimeout     = time.Minute
	recognizeTimeout = 30 * time.Minute // and some for the length of a chunk
	speakersTimeout  = 2 * time.Hour    // and the length of the longest media
	publishTimeout   = 5 * time.Minute
)

func (p *processor) workers(process string) queue.Workers {
	w := queue.Workers{
		Process: process,
		Workers: []queue.Worker{
			worker(p, captionsTimeout, p.Steps.Captions),
			worker(p, prepareTimeout, p.Steps.Prepare),
			worker(p, startTimeout, p.Steps.Start),
			worker(p, p.recognizeTimeout(), p.Steps.Recognize),
			worker(p, speakersTimeout+p.Steps.MaxMediaDuration, p.Steps.TellSpeakers),
			worker(p, publishTimeout, p.Steps.Publish),
		},
		Queues: map[string]int{
			step.CaptionsQueue: captionWorkers,
			step.DownloadQueue: downloadWorkers,
			step.MediaQueue:    mediaWorkers,
			step.StartQueue:    startWorkers,
			step.ASRQueue:      p.ASRWorkers,
			step.SpeakersQueue: speakersWorkers,
			step.PublishQueue:  publishWorkers,
		},
		Takes:    p.takes,
		Finished: p.Retention.Finished,
	}
	w.Workers, w.Periodic = append(w.Workers, p.Features.Workers...), p.Features.Periodic
	maps.Copy(w.Queues, p.Features.Queues)
	return w
}

// recognizeTimeout is longer for longer chunks: a large model on a small machine
// takes some ten times as long as the audio, and other chunks may go before.
func (p *processor) recognizeTimeout() time.Duration {
	if p.Engine.Recognizer == nil {
		return recognizeTimeout
	}
	return recognizeTimeout + 60*recognition.LengthsFor(p.Engine.Recognizer.Info()).Longest
}

// needs says what a process must be able to do for the steps of a queue.
func needs(queue string) func(cluster.Abilities) bool {
	switch queue {
	case step.CaptionsQueue:
		return func(a cluster.Abilities) bool { return len(a.Captions) > 0 }
	case step.DownloadQueue:
		return func(a cluster.Abilities) bool { return a.Audio && a.Media }
	case step.MediaQueue:
		return func(a cluster.Abilities) bool { return a.Media }
	case step.SpeakersQueue:
		return func(a cluster.Abilities) bool { return a.Diarizes }
	case step.ASRQueue:
		return func(a cluster.Abilities) bool { return a.Recognizer != nil }
	}
	return func(cluster.Abilities) bool { return true }
}

// takes reports whether this process takes steps from a queue: the process can do such
// steps, or no process can and the steps are to end with an error.
func (p *processor) takes(queue string) bool {
	if takes, ok := p.Features.Takes[queue]; ok {
		return takes
	}
	need := p.Features.Needs[queue]
	if need == nil {
		need = needs(queue)
	}
	return p.Cluster.Alone().Anyone(need) || !p.Cluster.Team(context.Background()).Anyone(need)
}
