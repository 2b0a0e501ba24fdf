package service

import (
	"slices"

	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/server/internal/corrections"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/delivery"
	"github.com/transcriptkit/transcriptkit/server/internal/follower"
	"github.com/transcriptkit/transcriptkit/server/internal/hooks"
	"github.com/transcriptkit/transcriptkit/server/internal/labels"
	"github.com/transcriptkit/transcriptkit/server/internal/librarysize"
	"github.com/transcriptkit/transcriptkit/server/internal/shares"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
	"github.com/transcriptkit/transcriptkit/server/internal/textfeed"
)

// Tables are the declarations of all tables, except those of River and of the migrations
// themselves. A removal passes through the tables of a turn in this order, and the sweep passes
// through all of them. The tables of db are in an order in which rows come before the rows that
// they name.
func Tables() []tables.Table {
	return slices.Concat(
		db.OwnTables(), librarysize.Tables(), labels.Tables(), corrections.Tables(), shares.Tables(), textfeed.Tables(), delivery.Tables(),
		follower.Tables(), batcher.Tables(), hooks.Tables(), ask.Tables(),
	)
}
