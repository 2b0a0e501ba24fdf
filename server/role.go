package server

import (
	"errors"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// Role says what a process does if several processes share a PostgreSQL database. The
// processes may have different roles and change them with a restart. On SQLite there is
// only [RoleAll]. All processes must use the same blobs.
type Role string

// The roles.
const (
	// RoleAll, the zero value, accepts requests and works on them.
	RoleAll Role = ""
	// RoleAPI accepts requests and uploads, answers from the cache and reports on jobs, but
	// does no work: it makes no engine, starts no program, and needs no disk for scratch
	// files. It learns within seconds which work the other processes can do, and lets them
	// ask platforms for captions and info. If no other process runs, RoleAPI accepts jobs,
	// which wait. It answers a request that must ask a platform with 503.
	RoleAPI Role = "api"
	// RoleWorker works on the jobs that other processes accept. Its Handler serves the
	// API too, but is not meant for the public. Its Stop does not wait for DrainDelay.
	RoleWorker Role = "worker"
)

func (r Role) check(s *store.Store) error {
	switch r {
	case RoleAll:
		return nil
	case RoleAPI, RoleWorker:
		if !db.Of(s).Shared() {
			return errors.New("a SQLite file is served by one process, which does everything; use PostgreSQL")
		}
		return nil
	}
	return errors.New(`must be RoleAll, RoleAPI or RoleWorker`)
}
