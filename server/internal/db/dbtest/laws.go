package dbtest

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// The laws of the first list hold after every transaction, and the laws of the second
// list hold once all work has ended. Each query finds the rows that break its law. The
// queries are the same for both databases.
type law struct{ name, question string }

var always = []law{
	{"a claim runs on work that runs", `SELECT j.id FROM jobs AS j JOIN extractions AS e ON e.id = j.extraction_id
		WHERE j.status IN ('pending', 'processing') AND e.status NOT IN ('pending', 'processing')`},
	{"work runs for a claim", `SELECT e.id FROM extractions AS e WHERE e.status IN ('pending', 'processing') AND NOT EXISTS (
		SELECT 1 FROM jobs AS j WHERE j.extraction_id = e.id AND j.status IN ('pending', 'processing'))`},
	{"work that runs is in the queue, or waits for a place or a slot", `SELECT e.id FROM extractions AS e
		WHERE e.status IN ('pending', 'processing')
		AND NOT EXISTS (SELECT 1 FROM asr_places AS p WHERE p.extraction_id = e.id AND p.state IN ('outside', 'ready'))
		AND NOT EXISTS (SELECT 1 FROM river_job AS r WHERE r.args ->> 'extraction' = e.id AND r.finalized_at IS NULL)`},
	{"what has ended says when", `SELECT id FROM jobs WHERE (status IN ('pending', 'processing')) <> (ended_at IS NULL)`},
	{"events have no gaps, and the last is the claim's", `SELECT j.id FROM jobs AS j JOIN job_events AS v ON v.job_id = j.id
		GROUP BY j.id, j.sequence HAVING min(v.sequence) <> 1 OR count(*) <> max(v.sequence) OR max(v.sequence) <> j.sequence`},
	{"a running claim has reserved a transcript, any other claim nothing", `SELECT id FROM jobs
		WHERE reserved_transcripts <> CASE WHEN status IN ('pending', 'processing') THEN 1 ELSE 0 END
		OR reserved_minutes > 0 AND status NOT IN ('pending', 'processing')`},
	{"an account has reserved what its claims have reserved", `SELECT a.account FROM (SELECT account FROM usage UNION SELECT account FROM jobs) AS a
		WHERE coalesce((SELECT sum(u.reserved_transcripts) FROM usage AS u WHERE u.account = a.account), 0) <>
			coalesce((SELECT sum(j.reserved_transcripts) FROM jobs AS j WHERE j.account = a.account), 0)
		OR coalesce((SELECT sum(u.reserved_minutes) FROM usage AS u WHERE u.account = a.account), 0) <>
			coalesce((SELECT sum(j.reserved_minutes) FROM jobs AS j WHERE j.account = a.account), 0)`},
	{"a place is that of a claim which runs on it", `SELECT p.extraction_id FROM asr_places AS p JOIN jobs AS j ON j.id = p.job_id
		WHERE j.status NOT IN ('pending', 'processing') OR j.extraction_id <> p.extraction_id OR j.account <> p.account`},
	{"work that has ended has no place, and no chunks", `SELECT e.id FROM extractions AS e
		WHERE e.status NOT IN ('pending', 'processing') AND (
			EXISTS (SELECT 1 FROM asr_places AS p WHERE p.extraction_id = e.id)
			OR EXISTS (SELECT 1 FROM chunks AS c WHERE c.extraction_id = e.id))`},
	{"the library shows as pending what runs", `SELECT l.id FROM library_rows AS l WHERE l.kind = 'pending' AND NOT EXISTS (
		SELECT 1 FROM jobs AS j WHERE j.id = l.job_id AND j.account = l.account AND j.status IN ('pending', 'processing'))`},
	{"an item that waits for a claim has one that runs", `SELECT i.id FROM batch_items AS i
		WHERE i.status = 'pending' AND i.job_id <> '' AND NOT EXISTS (
			SELECT 1 FROM jobs AS j WHERE j.id = i.job_id AND j.status IN ('pending', 'processing'))`},
	{"a batch that has ended waits for no item", `SELECT b.id FROM batches AS b WHERE b.status IN ('completed', 'failed')
		AND EXISTS (SELECT 1 FROM batch_items AS i WHERE i.batch_id = b.id AND i.status = 'pending')`},
	{"a batch that runs has a step, or an item's claim", `SELECT b.id FROM batches AS b WHERE b.status IN ('pending', 'processing')
		AND NOT EXISTS (SELECT 1 FROM river_job AS r WHERE r.args ->> 'batch' = b.id AND r.finalized_at IS NULL)
		AND NOT EXISTS (SELECT 1 FROM batch_items AS i JOIN jobs AS j ON j.id = i.job_id
			WHERE i.batch_id = b.id AND i.status = 'pending' AND j.status IN ('pending', 'processing'))`},
	{"the positions of a batch have no gaps", `SELECT batch_id FROM batch_items GROUP BY batch_id
		HAVING min(position) <> 1 OR max(position) <> count(*)`},
}

var inTheEnd = []law{
	{"all work has ended", `SELECT id FROM jobs WHERE status IN ('pending', 'processing')`},
	{"all batches have ended", `SELECT id FROM batches WHERE status IN ('pending', 'processing')`},
	{"no step is left", `SELECT CAST(id AS text) FROM river_job WHERE finalized_at IS NULL
		AND (args ->> 'extraction' <> '' OR args ->> 'batch' <> '')`},
	{"nothing is reserved", `SELECT account FROM usage WHERE reserved_transcripts <> 0 OR reserved_minutes <> 0`},
	{"no place is taken", `SELECT extraction_id FROM asr_places`},
	{"no request holds its idempotency key", `SELECT key FROM idempotency_keys WHERE NOT done AND answer_kind = ''`},
}

// Broken returns which laws are broken at one moment of a database, and by which rows. It
// includes the laws of the second list if all work must have ended.
func Broken(ctx context.Context, db *sql.DB, ended bool) (broken []string, err error) {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	laws := always
	if ended {
		laws = append(laws[:len(laws):len(laws)], inTheEnd...)
	}
	for _, l := range laws {
		rows, err := column(ctx, tx, l.question)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		if len(rows) > 0 {
			broken = append(broken, l.name+": not so for "+strings.Join(rows, ", "))
		}
	}
	return broken, nil
}

// column reads the rows of one column.
func column(ctx context.Context, tx *sql.Tx, question string) (all []string, err error) {
	rows, err := tx.QueryContext(ctx, question)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}
