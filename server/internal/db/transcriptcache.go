package db

import (
	"encoding/json"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/recent"
)

// keptBytes is how much of transcripts that were read is kept in memory: some three
// hundred of an hour each, unpacked.
const keptBytes = 64 << 20

// kept holds transcripts that were read a moment ago, by id and time of change. A
// caller that has both from the database need not read the rest again. kept does not
// check whether an account may see a transcript. A nil kept holds nothing, as within a
// transaction, because the writes of a transaction may be rolled back.
type kept struct {
	transcripts *recent.Things[change, *Transcript]
}

// change is one of the texts that a transcript has had.
type change struct {
	id string
	at int64 // Unix time in microseconds
}

func newKept() *kept { return &kept{recent.New[change, *Transcript](keptBytes)} }

func (k *kept) recall(id string, changed time.Time) (*Transcript, bool) {
	if k == nil {
		return nil, false
	}
	t, ok := k.transcripts.Get(change{id, changed.UnixMicro()})
	if !ok {
		return nil, false
	}
	own := *t // the caller may change its members
	return &own, true
}

func (k *kept) remember(t *Transcript) {
	if k == nil {
		return
	}
	own := *t
	k.transcripts.Put(change{t.ID, t.ChangedAt.UnixMicro()}, &own, weight(t))
}

// weight is about how many bytes of memory a transcript takes, once it is unpacked.
func weight(t *Transcript) int {
	const head, parsed = 2 << 10, 8         // what JSON becomes is larger
	metadata, _ := json.Marshal(t.Metadata) // it comes out of JSON
	return head + parsed*len(metadata) + len(t.SegmentsJSON.Gzip()) + t.SegmentsJSON.Len()
}
