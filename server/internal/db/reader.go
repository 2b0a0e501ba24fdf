package db

import "github.com/uptrace/bun"

// Reader answers questions: a Store answers them from what is committed, a Tx also from
// what the transaction itself has written.
type Reader struct {
	*source
}

// source is where rows are read from.
type source struct {
	db       bun.IDB
	prepared *prepared // nil: no statement is prepared
	kept     *kept     // nil: no transcript is kept in memory
	shared   bool      // see Store.Shared
}

func newReader(s *source) Reader {
	return Reader{source: s}
}
