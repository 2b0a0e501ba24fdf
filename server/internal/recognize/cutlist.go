package recognize

import (
	"context"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
)

// cutList is a plan with what is done of it, and where its audio is.
type cutList struct {
	recognition.Plan
	done  map[int]bool
	audio []db.Chunk // by index
}

func readCutList(ctx context.Context, tx *db.Tx, workID string) (cutList, error) {
	rows, err := tx.Chunks.CutList(ctx, workID)
	if err != nil {
		return cutList{}, err
	}
	list := cutList{Plan: planOf(rows), done: make(map[int]bool, len(rows)), audio: rows}
	for _, row := range rows {
		list.done[row.N] = row.Done
	}
	return list, nil
}

// first are the chunks that enter the queue at first. The chunks before them were recognized
// while the upload arrived.
func (l cutList) first(inTurn bool) []recognition.Chunk {
	speaking := l.Speech()
	for len(speaking) > 0 && l.done[speaking[0].Index] {
		speaking = speaking[1:]
	}
	return speaking[:min(window(inTurn), len(speaking))]
}

// next returns the chunks that enter the queue when the given chunk is done: the window
// moves on by one chunk. If the chunk was alone in the window, the window becomes
// wider, and the other chunks need not wait for their turn any longer.
func (l cutList) next(chunk int, was, is bool) []recognition.Chunk {
	speaking := l.Speech()
	at := slices.IndexFunc(speaking, func(c recognition.Chunk) bool { return c.Index == chunk })
	from, to := at+window(was), at+1+window(is)
	return speaking[min(from, len(speaking)):min(to, len(speaking))]
}

// window is how many chunks of work stand in the queue at once.
func window(inTurn bool) int {
	if inTurn {
		return 1
	}
	return chunkWindow
}

// planOf is the plan that the rows were made from.
func planOf(rows []db.Chunk) recognition.Plan {
	plan := recognition.Plan{Chunks: make([]recognition.Chunk, len(rows))}
	for i, row := range rows {
		first := samples(row.Start)
		plan.Chunks[i] = recognition.Chunk{Index: row.N, First: first, Last: first + samples(row.Duration), Silent: row.Silent, Channel: row.Channel}
		plan.Samples = max(plan.Samples, plan.Chunks[i].Last)
	}
	return plan
}

// NextSteps are the steps by which work goes on from where it stands, if none of its steps stands in
// a queue.
func NextSteps(ctx context.Context, tx *db.Tx, e *db.Work, team cluster.Team) ([]queue.Step, error) {
	switch e.State {
	case step.CaptionFetch:
		return []queue.Step{step.Captions{Work: e.ID}}, nil
	case step.DurationCheck:
		return []queue.Step{step.PrepareOf(e)}, nil
	case step.Queued:
		place, err := tx.Places.ByWork(ctx, e.ID)
		if place.Taken() || !subject.OfWork(e).WantsCaptions() || !team.ReadsCaptions(e.Platform) {
			return []queue.Step{step.PrepareOf(e)}, err
		}
		return []queue.Step{step.Captions{Work: e.ID}}, err
	}
	plan, err := readCutList(ctx, tx, e.ID)
	if err != nil {
		return nil, err
	}
	chunks, inTurn := plan.stranded(team.TakesTurns(subject.OnlyASR(subject.OfWork(e).ASRLanguage())))
	steps, err := untold(ctx, tx, e.ID)
	if err != nil {
		return nil, err
	}
	for _, c := range chunks {
		steps = append(steps, step.Recognize{Work: e.ID, Chunk: c.Index, InTurn: inTurn})
	}
	if len(steps) == 0 {
		steps = []queue.Step{step.Publish{Work: e.ID}}
	}
	return steps, nil
}

// stranded returns the chunks that should stand in the queue while no chunk does: the
// chunks that enter the queue at first, and the chunks that enter when a finished chunk
// is done. stillInTurn reports whether the chunks still wait for each other, if they
// did at first.
func (l cutList) stranded(inTurn bool) (chunks []recognition.Chunk, stillInTurn bool) {
	speaking := l.Speech()
	left := slices.IndexFunc(speaking, func(c recognition.Chunk) bool { return !l.done[c.Index] })
	if left < 0 {
		return nil, inTurn
	}
	if inTurn && !slices.ContainsFunc(speaking[left:], func(c recognition.Chunk) bool { return l.done[c.Index] }) {
		return speaking[left : left+1], true
	}
	for i, c := range speaking {
		if !l.done[c.Index] && (i < chunkWindow || l.done[speaking[i-chunkWindow].Index]) {
			chunks = append(chunks, c)
		}
	}
	return chunks, false
}
