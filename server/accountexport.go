package server

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// ExportOptions say what the export of an account has. The zero value has everything.
type ExportOptions struct {
	// WithoutRecordings leaves out the files of the recordings that the account keeps.
	WithoutRecordings bool
}

// Exported is what an export has.
type Exported struct {
	Rows, Texts, Recordings int64
	// Missing are recordings that were deleted while the export was written, or that the place of
	// the blobs has lost.
	Missing int64
}

// ExportAccount writes everything that an account has into w, as a ZIP file: the rows of the account
// as lines of JSON, each text of its library as JSON and as plain text, and the recordings that it
// keeps. The README.txt in the file says what is where. Secrets are left out: the hashes of keys and
// links, and what signs webhooks.
//
// All rows and texts are of one moment. ExportAccount works on a server that was not started, and
// while other processes serve the same database. It needs memory for some hundred rows and one text.
// The file is useless after an error. The error is [account.ErrNotFound] if there is no such account.
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
