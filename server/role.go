package server

import (
	"errors"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// Role is the part of a process among the processes that share a PostgreSQL database. Roles
// may be mixed and changed at any time. On SQLite there is only RoleAll. All processes must
// reach the same blobs.
type Role string

// The roles.
const (
	// RoleAll, the zero value, accepts requests and works on them.
	RoleAll Role = ""
	// RoleAPI accepts requests, answers from the cache, follows jobs and takes uploads,
	// but does no work: it makes no engine, starts no program, and needs no disk for
	// scratch files. RoleAPI learns within seconds which work the working processes can
	// do, and has them ask platforms for captions and info. If no such process lives,
	// jobs are accepted and wait, and a request that must ask a platform is answered
	// 503.
	RoleAPI Role = "api"
	// RoleWorker works on the jobs that other processes accept. Its Handler answers like every
	// Handler, but is not meant for the public, and Stop does not wait for DrainDelay.
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
