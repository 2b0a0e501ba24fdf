package server

import (
	"errors"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// Role is the part of a process among those that share a PostgreSQL database. Roles
// may be mixed and changed at any time; on SQLite there is only RoleAll. Blobs must be
// where all of them reach them.
type Role string

// The roles.
const (
	// RoleAll accepts requests and works on them. It is the zero value.
	RoleAll Role = ""
	// RoleAPI accepts requests, answers from the cache, follows jobs and takes uploads,
	// but does no work: it makes no engine, starts no program, and needs no disk for
	// scratch files. RoleAPI learns within seconds which work the working processes can
	// do, and has them ask platforms for captions and info. If no such process lives,
	// jobs are accepted and wait, and a request that must ask a platform is answered
	// 503.
	RoleAPI Role = "api"
	// RoleWorker works on what others accept. Its Handler answers as any, but is not
	// meant to be served to the public, and Stop does not wait for DrainDelay.
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
