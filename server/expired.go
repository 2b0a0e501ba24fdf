package server

import (
	"context"
	"fmt"
	"time"
)

// Expired is how much of an account the plan of the account keeps no longer.
type Expired struct {
	Account, Plan string
	// Entries are those of the library: texts, failed jobs and batches that have ended.
	Entries int64
	// Texts are those that belong to the account alone, such as the texts of uploads, of Entries and
	// of Jobs whose entry the account has removed. TextBytes are their stored bytes. The other texts
	// stay for other accounts.
	Texts, TextBytes int64
	// Recordings are the kept recordings of uploads, and RecordingBytes their bytes with the copies
	// for playing.
	Recordings, RecordingBytes int64
	Jobs                       int64 // that have ended
}

// Expired returns what the plans of Config.Accounts keep no longer at this moment, by the names of
// the accounts, without the accounts that lose nothing. A started server removes it within an hour.
// Expired changes nothing, and works on a server that was not started.
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
