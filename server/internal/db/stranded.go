package db

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// Stranded is work that has not ended, has no live row in the queue, and does not wait
// for the end of other work either. For each kind, a single statement reads it, so that
// work that changes meanwhile does not look stranded.
//
// A step that ends proves in its transaction that the row of the queue belongs to it, and
// inserts the next row there. PostgreSQL may lose commits with synchronous_commit off, or
// after a failover to an asynchronous replica. It then loses that transaction. River
// nevertheless marks the row as completed from its memory.
type Stranded struct {
	Works   []string // their ids
	Batches []string // likewise
}

const strandedWorks = `SELECT id FROM extractions WHERE ` + running + ` AND ?0
	EXCEPT SELECT extraction_id FROM asr_places WHERE state IN ('outside', 'ready')
	EXCEPT `

// A batch waits for its own steps, or for the jobs of its items. The call of a hook also
// names the batch, but is not a step of it.
const strandedBatches = `SELECT b.id FROM batches AS b WHERE b.` + running + ` AND ?0
		AND (b.feeding OR NOT b.listed OR NOT EXISTS (
			SELECT 1 FROM batch_items AS i JOIN jobs AS j ON j.id = i.job_id
			WHERE i.batch_id = b.id AND i.status = 'pending' AND i.job_id <> '' AND j.` + running + `))
	EXCEPT `

// Stranded looks for stranded work.
func (r Reader) Stranded(ctx context.Context) (all Stranded, err error) {
	if all.Works, err = r.stranded(ctx, strandedWorks+queue.Named("extraction"), ""); err != nil {
		return all, err
	}
	all.Batches, err = r.stranded(ctx, strandedBatches+queue.Named("batch")+" AND queue <> ?1", "")
	return all, err
}

// WorkStranded reports whether a piece of work that the transaction has locked is stranded.
func (tx *Tx) WorkStranded(ctx context.Context, id string) (bool, error) {
	found, err := tx.stranded(ctx, strandedWorks+queue.Named("extraction"), id)
	return len(found) > 0, err
}

// BatchStranded reports whether a batch that the transaction has locked is stranded.
func (tx *Tx) BatchStranded(ctx context.Context, id string) (bool, error) {
	found, err := tx.stranded(ctx, strandedBatches+queue.Named("batch")+" AND queue <> ?1", id)
	return len(found) > 0, err
}

// stranded makes one of the two queries, about one id or, for "", about all ids.
func (r Reader) stranded(ctx context.Context, question, id string) (found []string, err error) {
	of := bun.SafeQuery("TRUE")
	if id != "" {
		of = bun.SafeQuery("id = ?", id)
	}
	err = r.db.NewRaw(question, of, BatchHook).Scan(ctx, &found)
	return found, wrap("look for stranded work", err)
}
