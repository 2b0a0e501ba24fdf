package wordindex

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

const (
	// Enough is how many texts in no volume are worth a volume: a search looks into each of
	// them.
	Enough = 64
	// fanout is how many volumes of a level make one of the next level.
	fanout = 8
	// maxSize limits the blocks of a volume in bytes: so much is written again if a text has
	// left the volume. maxTexts limits the rows of the library that one transaction changes.
	maxSize  = 16 << 20
	maxTexts = 1 << 11
	// lease is how long a volume may stay without a write until another process takes the work
	// over.
	lease = 10 * time.Second
)

// Bind makes volumes of an account until there is nothing to bind: texts that are in no volume, if
// there are enough of them, small volumes, and volumes from which half of the texts have gone.
// Another Bind of the account may run at the same time: one of the two gives up.
//
// Bind writes in transactions that each delay other writers for some tens of milliseconds. A
// search sees a new volume only after the last of them. If the process ends before, the next Bind
// of the account deletes what is written.
func Bind(ctx context.Context, db *sqldb.DB, account string, enough int) error {
	return binder{db, account}.run(ctx, func() (*plan, error) {
		p, err := planOfTexts(ctx, db.Reader(), account, enough)
		if err == nil && p == nil {
			p, err = planOfVolumes(ctx, db.Reader(), account, worthBinding)
		}
		return p, err
	})
}

// Purge writes those volumes of an account again from which texts have gone, without the words of
// these texts.
func Purge(ctx context.Context, db *sqldb.DB, account string) error {
	return binder{db, account}.run(ctx, func() (*plan, error) { return planOfVolumes(ctx, db.Reader(), account, worthPurging) })
}

type binder struct {
	db      *sqldb.DB
	account string
}

// run carries out plans until there is none.
func (b binder) run(ctx context.Context, next func() (*plan, error)) error {
	for more := true; more; {
		var err error
		if more, err = b.step(ctx, next); err != nil {
			return sqldb.Wrap("bind texts of "+b.account, err)
		}
	}
	return nil
}

// step carries out the next plan. It returns false if there is none, or if another process is at
// work for the account.
func (b binder) step(ctx context.Context, next func() (*plan, error)) (bool, error) {
	if free, err := b.clean(ctx); err != nil || !free {
		return false, err
	}
	p, err := next()
	if err != nil || p == nil {
		return false, err
	}
	if mine, err := b.begin(ctx, p); err != nil || !mine {
		return false, err
	}
	if mine, err := b.write(ctx, p); err != nil || !mine {
		return false, err
	}
	if done, err := b.finish(ctx, p); err != nil || !done {
		return false, err
	}
	_, err = b.clean(ctx)
	return true, err
}

// lock keeps other processes from changing the states of the account's volumes.
func (b binder) lock(ctx context.Context, tx *sqldb.Tx) error {
	return tx.Lock(ctx, "words/"+b.account)
}

// clean deletes the volumes that have been replaced, and those whose Bind has ended too early. It
// returns false if another process is writing a volume.
func (b binder) clean(ctx context.Context) (free bool, err error) {
	var old []int64
	err = b.db.InTx(ctx, func(ctx context.Context, tx *sqldb.Tx) error {
		if err := b.lock(ctx, tx); err != nil {
			return err
		}
		if busy, err := b.busy(ctx, tx); err != nil || busy {
			return err
		}
		free, old = true, nil
		_, err := tx.NewRaw("UPDATE search_volumes SET state = ? WHERE account = ? AND state = ?", replaced, b.account, building).Exec(ctx)
		if err != nil {
			return err
		}
		return tx.NewSelect().Table("search_volumes").Column("id").Where("account = ? AND state = ?", b.account, replaced).Scan(ctx, &old)
	})
	for _, id := range old {
		if err == nil {
			err = deleteVolume(ctx, b.db, id)
		}
	}
	return free, err
}

// busy reports whether another process is writing a volume of the account. Only one process
// serves a SQLite file, and its queue runs one Bind after another.
func (b binder) busy(ctx context.Context, tx *sqldb.Tx) (busy bool, err error) {
	if !tx.Shared() {
		return false, nil
	}
	err = tx.NewRaw("SELECT EXISTS (SELECT 1 FROM search_volumes WHERE account = ? AND state = ? AND written_at > ?)",
		b.account, building, tx.Ago(lease)).Scan(ctx, &busy)
	return busy, err
}

// begin makes the row of the new volume.
func (b binder) begin(ctx context.Context, p *plan) (mine bool, err error) {
	err = b.db.InTx(ctx, func(ctx context.Context, tx *sqldb.Tx) error {
		if err := b.lock(ctx, tx); err != nil {
			return err
		}
		if busy, err := b.busy(ctx, tx); err != nil || busy {
			return err
		}
		mine = true
		err := tx.NewRaw(`INSERT INTO search_volumes (account, state, level, texts, size, written_at) VALUES (?, ?, ?, ?, 0, ?) RETURNING id`,
			b.account, building, p.level, len(p.texts), tx.Ago(0)).Scan(ctx, &p.id)
		if err != nil {
			return err
		}
		texts := &volumeTexts{Volume: p.id, Entries: []byte{}}
		for _, t := range p.texts {
			texts.Entries = appendEntry(texts.Entries, t.entry())
		}
		_, err = tx.NewInsert().Model(texts).Exec(ctx)
		return err
	})
	return mine, err
}

// write writes the blocks of the new volume. It returns false if another process has taken the
// work over.
func (b binder) write(ctx context.Context, p *plan) (mine bool, err error) {
	for {
		blocks, err := p.merger.Next(insertBytes)
		if err != nil || len(blocks) == 0 {
			return err == nil, err
		}
		for _, block := range blocks {
			p.size += int64(len(block.Words) + len(block.Places))
		}
		err = b.db.InTx(ctx, func(ctx context.Context, tx *sqldb.Tx) error {
			if mine, err = b.change(ctx, tx, p, "written_at = ?", tx.Ago(0)); err != nil || !mine {
				return err
			}
			return insertBlocks(ctx, tx.Tx, p.id, blocks)
		})
		if err != nil || !mine {
			return false, err
		}
	}
}

// change changes the row of the new volume. It returns false if another process has taken the
// work over.
func (b binder) change(ctx context.Context, tx *sqldb.Tx, p *plan, set string, values ...any) (mine bool, err error) {
	res, err := tx.NewRaw("UPDATE search_volumes SET "+set+" WHERE id = ? AND state = ?", append(values, p.id, building)...).Exec(ctx)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// finish moves the texts into the new volume.
func (b binder) finish(ctx context.Context, p *plan) (done bool, err error) {
	err = b.db.InTx(ctx, func(ctx context.Context, tx *sqldb.Tx) error {
		if err := b.lock(ctx, tx); err != nil {
			return err
		}
		moved, err := p.unchanged(ctx, tx)
		if err != nil {
			return err
		}
		state := searched
		if len(moved) == 0 {
			state = replaced
		}
		done, err = b.change(ctx, tx, p, "state = ?, size = ?, gone = ?", state, p.size, len(p.texts)-len(moved))
		if err != nil || !done {
			return err
		}
		for some := range slices.Chunk(moved, portion) {
			ids := make([]string, len(some))
			for i, t := range some {
				ids[i] = t.ID
			}
			if _, err := tx.NewRaw("UPDATE library_rows SET volume = ? WHERE id IN (?)", p.id, bun.List(ids)).Exec(ctx); err != nil {
				return err
			}
		}
		done = len(moved) > 0 || len(p.from) > 0
		return p.leave(ctx, tx, moved)
	})
	return done, err
}
