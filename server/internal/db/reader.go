package db

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Reader answers questions. A Store answers them from committed data, and a Tx also from
// what the transaction itself has written.
type Reader struct {
	*source

	Accounts    Accounts
	Allowances  Allowances
	Batches     Batches
	Chunks      Chunks
	Contents    Contents
	Works       Works
	Items       Items
	Jobs        Jobs
	Keys        Keys
	Library     Library
	Places      Places
	Recordings  Recordings
	Removals    Removals
	Speakers    Speakers
	Transcripts Transcripts
}

// source is the place from which rows are read.
type source struct {
	db     bun.IDB
	pool   *sqldb.DB // for prepared statements; nil means that none is prepared
	kept   *kept     // nil means that no transcript is kept in memory
	facts  facts
	shared bool // see Store.Shared
}

// DB is the database from which packages with their own tables read.
func (s *source) DB() bun.IDB { return s.db }

// ask scans the rows of a constant query into dest, a slice. It is for answers from the cache.
func (s *source) ask(ctx context.Context, dest any, query string, args ...any) error {
	if s.pool != nil {
		return s.pool.Ask(ctx, dest, query, args...)
	}
	return s.db.NewRaw(query, args...).Scan(ctx, dest)
}

func newReader(s *source) Reader {
	return Reader{
		source:      s,
		Accounts:    Accounts{s},
		Allowances:  Allowances{s},
		Batches:     Batches{s},
		Chunks:      Chunks{s},
		Contents:    Contents{s},
		Works:       Works{s},
		Items:       Items{s},
		Jobs:        Jobs{s},
		Keys:        Keys{s},
		Library:     Library{s},
		Places:      Places{s},
		Recordings:  Recordings{s},
		Removals:    Removals{s},
		Speakers:    Speakers{s},
		Transcripts: Transcripts{s},
	}
}

// Now is the time by the database's clock. It is used for ages that may have begun in
// another process, because the clocks of two machines differ. On SQLite, which one
// process serves, Now is the clock of this machine.
func (r Reader) Now(ctx context.Context) (time.Time, error) {
	return sqldb.Now(ctx, r.db, r.shared)
}
