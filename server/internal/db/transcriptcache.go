package db

import (
	"context"
	"encoding/json"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/recent"
	"github.com/transcriptkit/transcriptkit/server/internal/together"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// knownBytes is how much of each kind of fact is kept in memory: some twenty thousand.
const knownBytes = 8 << 20

// facts are what a store knows about contents. If one process serves the database, the store
// remembers what it has read: a transaction that changes a content ends that (Tx.changes). If
// other processes may change the database, only questions at the same time share a read. A nil
// facts knows nothing: a transaction or a snapshot may see other rows than the store.
type facts struct {
	shelves    *recent.Facts[contentID, shelfOf, *Shelf] // nil: the database is shared
	saved      *recent.Facts[contentID, savedOf, *Saved] // nil: the database is shared
	shelfReads together.Reads[shelfOf, *Shelf]
	savedReads together.Reads[savedOf, *Saved]
}

// contentID names a content.
type contentID struct {
	platform   transcript.Platform
	externalID string
}

// shelfOf and savedOf are the arguments of the questions, next to the content.
type (
	shelfOf struct {
		contentID
		owner, account string
	}
	savedOf struct {
		contentID
		account, language string
	}
)

func newFacts(shared bool) *facts {
	if shared {
		return new(facts)
	}
	return &facts{
		shelves: recent.NewFacts[contentID, shelfOf, *Shelf](knownBytes),
		saved:   recent.NewFacts[contentID, savedOf, *Saved](knownBytes),
	}
}

// shelf is what Contents.Shelf has read, or reads now.
func (f *facts) shelf(ctx context.Context, of shelfOf, read func(context.Context) (*Shelf, error)) (*Shelf, error) {
	switch {
	case f == nil:
		return read(ctx)
	case f.shelves == nil:
		return f.shelfReads.Read(ctx, of, read)
	}
	return f.shelves.Read(of.contentID, of, func() (*Shelf, int, error) {
		shelf, err := read(ctx)
		if err != nil {
			return nil, 0, err
		}
		const row = 256 // bytes, about
		return shelf, row * (2 + len(shelf.Texts) + len(shelf.Tracks)), nil
	})
}

// text is what Library.Saved has read, or reads now. Only texts are kept: transactions that
// change work do not say so.
func (f *facts) text(ctx context.Context, of savedOf, read func(context.Context) (*Saved, error)) (*Saved, error) {
	switch {
	case f == nil:
		return read(ctx)
	case f.saved == nil:
		return f.savedReads.Read(ctx, of, read)
	}
	return f.saved.Read(of.contentID, of, func() (*Saved, int, error) {
		saved, err := read(ctx)
		if err != nil || saved.TranscriptID == "" {
			return saved, 0, err
		}
		return saved, 512, nil // bytes, about
	})
}

// changes ends what is known about a content as soon as others see the transaction's changes.
// Each transaction calls changes that writes the texts of a content, its tracks, or the rows of
// its texts in libraries.
func (tx *Tx) changes(p transcript.Platform, externalID string) {
	if tx.facts.shelves == nil {
		return
	}
	of := contentID{p, externalID}
	tx.sql.AtEnd(func() {
		tx.facts.shelves.Changed(of)
		tx.facts.saved.Changed(of)
	})
}

// changesAll is changes for all contents.
func (tx *Tx) changesAll() {
	if tx.facts.shelves == nil {
		return
	}
	tx.sql.AtEnd(tx.facts.shelves.AllChanged)
	tx.sql.AtEnd(tx.facts.saved.AllChanged)
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
