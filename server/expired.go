package server

import (
	"context"
	"fmt"
	"time"
)

// Expired counts the data of an account that its plan no longer keeps.
type Expired struct {
	Account, Plan string
	// Entries counts entries of the library: texts, failed jobs, and batches that have
	// ended.
	Entries int64
	// Texts counts the texts that belong to the account alone, such as the texts of
	// uploads. They are texts of Entries, and of Jobs with an entry that the account
	// has removed. TextBytes is their stored size. All other texts stay for other
	// accounts.
	Texts, TextBytes int64
	// Recordings counts the kept recordings of uploads. RecordingBytes is their size,
	// including the copies for playing.
	Recordings, RecordingBytes int64
	Jobs                       int64 // that have ended
}

// Expired counts the data that the plans of [Config.Accounts] no longer keep, by account,
// sorted by name. Accounts that lose nothing are left out. A started server removes these
// data within an hour. Expired changes nothing, and does not need a started server.
func (s *Server) Expired(ctx context.Context) ([]Expired, error) {
	found, err := s.pipeline.Expiry.Report(ctx, time.Now())
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	all := make([]Expired, len(found))
	for i, f := range found {
		all[i] = Expired{f.Account, f.Plan, f.Entries, f.Texts, f.TextBytes, f.Recordings, f.FileBytes, f.Jobs}
	}
	return all, nil
}
