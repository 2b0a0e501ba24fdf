package limits

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/librarysize"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// unsaidLibrary is the limit of a plan that sets none for the texts of an account, in bytes.
const unsaidLibrary = 1 << 30

// LibraryBytes returns how many bytes a plan permits for the texts of an account; account.Unlimited:
// any number.
func LibraryBytes(p account.Plan) int64 {
	if p.MaxLibraryBytes == 0 {
		return unsaidLibrary
	}
	return p.MaxLibraryBytes
}

// LibraryGrown refuses the writes of a transaction if the texts of the owner take more bytes than
// before, as librarysize.Hold has counted them, and more than the plan permits. The error may also
// be an error of the database.
func LibraryGrown(ctx context.Context, tx *sqldb.Tx, owner account.Principal, before int64) error {
	most := LibraryBytes(owner.Plan)
	if most == account.Unlimited {
		return nil
	}
	now, err := librarysize.Of(ctx, tx.Tx, owner.Account)
	if err != nil || now <= most || now <= before {
		return err
	}
	return libraryFull(owner.Plan, before, most).With("neededBytes", now-before)
}

// LibraryHasRoom refuses new work that makes a text for the account alone, if the library is full.
// The text of a running job is always saved. The error may also be an error of the database.
func LibraryHasRoom(ctx context.Context, db bun.IDB, owner string, p account.Plan) error {
	most := LibraryBytes(p)
	if most == account.Unlimited {
		return nil
	}
	bytes, err := librarysize.Of(ctx, db, owner)
	if err != nil || bytes < most {
		return err
	}
	return libraryFull(p, bytes, most)
}

func libraryFull(p account.Plan, used, most int64) *transcript.Error {
	e := p.UpgradeRequired(fmt.Sprintf("The plan has room for %s of texts of your own, and too little of it is left: remove texts from your library, or choose a plan with more room.",
		humanize.IBytes(uint64(most))))
	return e.With("usedBytes", used).With("limitBytes", most)
}
