package corrections

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// revision is a text that a row of a library has had.
type revision struct {
	bun.BaseModel `bun:"table:revisions,alias:r"`

	RowID    string `bun:",pk"`
	Number   int    `bun:",pk"`
	Kind     library.RevisionKind
	Source   transcript.Origin
	Lines    int
	Changed  int
	Segments []byte
	Words    []byte
	MadeAt   time.Time
}

// record keeps a text of a row, and drops the texts that are too old.
func record(ctx context.Context, tx *db.Tx, row *db.LibraryRow, number int, r *revised) error {
	kept := &revision{
		RowID: row.ID, Number: number, Kind: r.kind, Source: r.text.Source, Lines: r.lines, Changed: r.changed,
		Segments: r.text.SegmentsJSON.Gzip(), Words: r.text.WordsJSON.Gzip(), MadeAt: sqldb.Moment(r.text.ChangedAt),
	}
	_, err := tx.SQL().NewInsert().Model(kept).Exec(ctx)
	return sqldb.Wrap("keep a revision of library row "+row.ID, err)
}
