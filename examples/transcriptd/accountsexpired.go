package main

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
)

type accountsExpired struct {
	database
	service.PlansFlag
}

// Run prints a table. It changes nothing, so an operator can test new plans before the service uses
// them.
func (c *accountsExpired) Run(ctx context.Context, out output) error {
	return c.withIdleServer(ctx, out, store.Options{Blobs: store.InMemory}, c.Offered(), func(s *server.Server, _ *account.Accounts) error {
		all, err := s.Expired(ctx)
		if err != nil {
			return err
		}
		table := newTable(out, "ACCOUNT\tPLAN\tENTRIES\tTEXTS\tTEXT_BYTES\tRECORDINGS\tRECORDING_BYTES\tJOBS")
		var entries, bytes int64
		for _, e := range all {
			fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\n", e.Account, e.Plan, e.Entries, e.Texts, e.TextBytes, e.Recordings, e.RecordingBytes, e.Jobs)
			entries, bytes = entries+e.Entries, bytes+e.TextBytes+e.RecordingBytes
		}
		if err := table.Flush(); err != nil {
			return err
		}
		_, err = fmt.Fprintf(out.Stderr, "A service with these plans removes %d entries and %s of %d accounts within an hour. Nothing was changed.\n",
			entries, humanize.IBytes(uint64(bytes)), len(all))
		return err
	})
}
