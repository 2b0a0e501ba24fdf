package server

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// ExportOptions are the options of [Server.ExportAccount]. The zero value exports
// everything.
type ExportOptions struct {
	// WithoutRecordings leaves out the recordings that the account keeps.
	WithoutRecordings bool
}

// Exported counts what [Server.ExportAccount] has written.
type Exported struct {
	Rows, Texts, Recordings int64
	// Missing counts the recordings that were deleted during the export, or that the
	// blob store has lost.
	Missing int64
}

// ExportAccount writes all data of an account to w, as a ZIP file: the rows of the
// account as lines of JSON, each text of its library as JSON and as plain text, and the
// recordings that it keeps. The README.txt in the file describes the contents. The
// export leaves out secrets: the hashes of keys and links, and the keys that sign
// webhooks.
//
// All rows and texts are from the same moment. ExportAccount does not need a started
// server, and it works while other processes serve the same database. It needs memory
// for some hundred rows and one text. After an error, discard the file. The error is
// [account.ErrNotFound] if there is no such account.
func (s *Server) ExportAccount(ctx context.Context, name string, w io.Writer, o ExportOptions) (Exported, error) {
	n, err := writeExport(ctx, s.db, name, o, w)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return Exported{}, fmt.Errorf("%w: %q", account.ErrNotFound, name)
	case err != nil:
		return n, fmt.Errorf("server: exporting account %s: %w", name, err)
	}
	return n, nil
}
