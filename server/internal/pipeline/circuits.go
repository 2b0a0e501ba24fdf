package pipeline

import (
	"slices"

	"github.com/transcriptkit/transcriptkit/server/internal/batches"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Queues are the names of the queues.
func Queues() []string {
	return []string{queueCaptions, queueDownload, queueMedia, queueASR, queuePublish, batches.ItemsQueue, queueJobHook, queueBatchHook, queueHouse}
}

// OpenCircuits tells for every platform and source that this process visits whether it
// waits for a block to pass.
func (p *Pipeline) OpenCircuits() map[metrics.Visited]bool {
	open := map[metrics.Visited]bool{}
	for _, platform := range slices.DeleteFunc(transcript.Platforms(), func(p transcript.Platform) bool { return p == transcript.Upload }) {
		if len(p.sources.Of(platform)) > 0 {
			open[metrics.Visited{Platform: platform, Source: metrics.Captions}] = p.pace.Check(p.engine.Captions, platform) != nil
		}
		if p.engine.Audio != nil {
			open[metrics.Visited{Platform: platform, Source: metrics.Audio}] = p.pace.CheckAudio(platform) != nil
		}
	}
	return open
}
