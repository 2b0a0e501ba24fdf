package db

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/recent"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// knownBytes limits the facts of each kind in memory: to some twenty thousand facts.
const knownBytes = 8 << 20

// facts are what a store remembers about contents. On SQLite it remembers them until a
// transaction changes a content. On PostgreSQL it remembers nothing, but concurrent questions
// share a read. The zero value remembers and shares nothing, because a transaction or a
// snapshot may see other rows than the store.
type facts struct {
	shelves *recent.Facts[contentID, question, *Shelf]
	saved   *recent.Facts[contentID, question, *Saved] // only texts are remembered, because a change of work does not end facts
}

// A question is about a content.
type (
	contentID struct {
		platform   transcript.Platform
		externalID string
	}
	question struct {
		contentID
		owner, account, language string
	}
)

func newFacts(shared bool) facts {
	const row = 256 // approximate bytes in memory
	bytes := knownBytes
	if shared {
		bytes = 0
	}
	return facts{
		shelves: recent.NewFacts[contentID, question](bytes, func(s *Shelf) int { return row * (2 + len(s.Texts) + len(s.Tracks)) }),
		saved:   recent.NewFacts[contentID, question](bytes, func(s *Saved) int { return min(len(s.TranscriptID), 1) * (2*row + s.Label.Size()) }),
	}
}

// askAll scans the answers to several questions into dest, a slice. In query, asked is a table
// of the questions, with the number n of each.
func (s *source) askAll(ctx context.Context, dest any, query string, questions []question) error {
	var args []any
	rows := make([]string, len(questions))
	for n, q := range questions {
		rows[n] = fmt.Sprintf("(%d, ?, ?, ?, ?, ?)", n)
		args = append(args, q.owner, q.account, q.platform, q.externalID, q.language)
	}
	return s.ask(ctx, dest, "WITH asked (n, owner, account, platform, external_id, language) AS (VALUES "+strings.Join(rows, ", ")+") "+query, args...)
}

// changes makes the store forget the facts about a content as soon as others see the
// transaction's changes. Every transaction that writes the texts of a content, its tracks, or
// the rows of its texts in libraries calls changes.
func (tx *Tx) changes(p transcript.Platform, externalID string) {
	of := contentID{p, externalID}
	tx.sql.AtEnd(func() { tx.facts.shelves.Changed(of); tx.facts.saved.Changed(of) })
}

// keptBytes limits the transcripts in memory: to some three hundred of an hour each, unpacked.
const keptBytes = 64 << 20

// kept has recently read transcripts, by id and time of change. A caller that has both
// from the database need not read the rest again. kept does not check whether an account
// may see a transcript. A nil kept stores nothing. A transaction has a nil kept, because
// its writes may be rolled back.
type kept struct {
	transcripts *recent.Things[change, *Transcript]
}

// change identifies one of the texts that a transcript has had.
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

// weight is the approximate number of bytes of memory that an unpacked transcript takes.
func weight(t *Transcript) int {
	const head, parsed = 2 << 10, 8         // values take more memory than their JSON
	metadata, _ := json.Marshal(t.Metadata) // it is read from JSON
	return head + parsed*len(metadata) + len(t.SegmentsJSON.Gzip()) + t.SegmentsJSON.Len()
}
