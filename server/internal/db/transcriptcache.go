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

// knownBytes is how much of each kind of fact is kept in memory: some twenty thousand.
const knownBytes = 8 << 20

// facts are what a store knows about contents: on SQLite until a transaction changes a content,
// on PostgreSQL nothing: there, questions at the same time share a read. The zero value knows
// nothing and shares nothing: a transaction or a snapshot may see other rows than the store.
type facts struct {
	shelves *recent.Facts[contentID, question, *Shelf]
	saved   *recent.Facts[contentID, question, *Saved] // only texts are kept: a change of work does not end facts
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
	const row = 256 // bytes in memory, about
	bytes := knownBytes
	if shared {
		bytes = 0
	}
	return facts{
		shelves: recent.NewFacts[contentID, question](bytes, func(s *Shelf) int { return row * (2 + len(s.Texts) + len(s.Tracks)) }),
		saved:   recent.NewFacts[contentID, question](bytes, func(s *Saved) int { return min(len(s.TranscriptID), 1) * 2 * row }),
	}
}

// askAll scans the answers to some questions into dest, a slice. In query, asked is a table of
// the questions, with the number n of each.
func (s *source) askAll(ctx context.Context, dest any, query string, questions []question) error {
	var args []any
	rows := make([]string, len(questions))
	for n, q := range questions {
		rows[n] = fmt.Sprintf("(%d, ?, ?, ?, ?, ?)", n)
		args = append(args, q.owner, q.account, q.platform, q.externalID, q.language)
	}
	return s.ask(ctx, dest, "WITH asked (n, owner, account, platform, external_id, language) AS (VALUES "+strings.Join(rows, ", ")+") "+query, args...)
}

// changes ends what is known about a content as soon as others see the transaction's changes.
// Each transaction calls changes that writes the texts of a content, its tracks, or the rows of
// its texts in libraries.
func (tx *Tx) changes(p transcript.Platform, externalID string) {
	of := contentID{p, externalID}
	tx.sql.AtEnd(func() { tx.facts.shelves.Changed(of); tx.facts.saved.Changed(of) })
}

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
