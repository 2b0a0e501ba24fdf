package server

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/recordings"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// exportVersion is the version of the format, which each export names. The version grows when a
// file or a member of a row is removed, or changes its meaning. New files and new members do not
// need a new version.
const exportVersion = 1

// exportAbout is export.json.
type exportAbout struct {
	Version int       `json:"version"`
	Account string    `json:"account"`
	At      time.Time `json:"at"` // the moment of which the rows and texts are
}

// exportReadme is a part of each export, for a reader who has only the file.
const exportReadme = `Everything that a service for transcripts has of the account %s, as it stood on %s.

export.json         the version of this format, for programs.
rows/TABLE.jsonl    a line of JSON for each row. The members have the names of the columns. Times are in UTC.
                    library_rows are the entries of the library, revisions the earlier texts of corrected
                    entries, transcripts the texts that belong to the account alone, usage what was used of the plan.
texts/ID.json       the text with its times and what is known of it. ID is the transcript_id of the rows.
texts/ID.txt        the same text to read.
recordings/ID.*     the kept recordings. ID is the external_id of rows/recordings.jsonl.

Left out: secrets (of keys, webhooks, shared links and the feed), and what only the service understands.
`

// writeExport writes the data of an account into w. If there is no such account, the error is
// db.ErrNotFound.
//
//	README.txt                   what is where, for people
//	export.json                  the version of the format, the account, and the moment of the rows
//	rows/TABLE.jsonl             the rows of the account in each table, without secrets
//	texts/ID.json, texts/ID.txt  the texts that the rows name in transcript_id
//	recordings/ID.EXTENSION      the recordings that the account keeps, by the external_id of the rows
func writeExport(ctx context.Context, s *db.Store, account string, o ExportOptions, w io.Writer) (n Exported, err error) {
	if _, err := s.Accounts.ByID(ctx, account); err != nil {
		return n, err
	}
	now, err := s.Now(ctx)
	if err != nil {
		return n, err
	}
	x := &export{store: s, zip: zip.NewWriter(w), account: account, at: now.UTC()}
	if err := x.describe(); err != nil {
		return n, err
	}
	var kept []db.Recording
	err = s.LongSnapshot(db.Unhurried(ctx), func(ctx context.Context, r db.Reader) (err error) {
		if err := x.rows(ctx, r); err != nil {
			return err
		}
		if err := x.texts(ctx, r); err != nil {
			return err
		}
		kept, err = r.RecordingsOf(ctx, account)
		return err
	})
	if err == nil && !o.WithoutRecordings {
		err = x.recordings(ctx, kept)
	}
	return x.Exported, errors.Join(err, x.zip.Close())
}

// export is an export that is being written.
type export struct {
	Exported
	store   *db.Store
	zip     *zip.Writer
	account string
	at      time.Time
}

// describe writes the files that do not contain data of the account.
func (x *export) describe() error {
	if err := x.put("README.txt", fmt.Appendf(nil, exportReadme, x.account, x.at.Format(time.RFC3339))); err != nil {
		return err
	}
	head, err := json.MarshalIndent(exportAbout{exportVersion, x.account, x.at}, "", "  ")
	if err != nil {
		return err
	}
	return x.put("export.json", append(head, '\n'))
}

func (x *export) create(name string, method uint16) (io.Writer, error) {
	return x.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: x.at})
}

func (x *export) put(name string, content []byte) error {
	w, err := x.create(name, zip.Deflate)
	if err == nil {
		_, err = w.Write(content)
	}
	return err
}

// rows writes the rows of all tables. A table without a row of the account has an empty file.
func (x *export) rows(ctx context.Context, r db.Reader) error {
	for _, table := range service.Tables() {
		if table.Export == nil {
			continue
		}
		w, err := x.create("rows/"+table.Name+".jsonl", zip.Deflate)
		if err != nil {
			return err
		}
		lines := json.NewEncoder(w)
		lines.SetEscapeHTML(false)
		err = table.Rows(ctx, r.DB(), x.account, func(row map[string]any) error {
			x.Rows++
			return lines.Encode(row)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *export) texts(ctx context.Context, r db.Reader) error {
	ids, err := r.TextsOf(ctx, x.account)
	if err != nil {
		return err
	}
	for _, id := range ids {
		t, err := r.Transcripts.ByID(ctx, id)
		if err != nil {
			return err
		}
		whole, err := t.Whole()
		if err != nil {
			return err
		}
		text, err := format.AppendJSON(nil, whole)
		if err != nil {
			return err
		}
		if err := x.put("texts/"+id+".json", text); err != nil {
			return err
		}
		if err := x.put("texts/"+id+".txt", format.AppendText(nil, whole.Segments, true)); err != nil {
			return err
		}
		x.Texts++
	}
	return nil
}

// recordings writes the kept recordings. It leaves out a recording that was deleted
// meanwhile.
func (x *export) recordings(ctx context.Context, kept []db.Recording) error {
	for _, r := range kept {
		name := "recordings/" + r.ExternalID + "." + recordings.MediaExtension(r.ContentType)
		there, err := x.store.Blobs.Range(ctx, r.MediaKey, 0, r.Bytes)
		if errors.Is(err, blobs.ErrNotFound) {
			x.Missing++
			continue
		}
		if err != nil {
			return err
		}
		w, err := x.create(name, zip.Store) // media is already compressed
		if err == nil {
			_, err = io.Copy(w, there)
		}
		if err = errors.Join(err, there.Close()); err != nil {
			return fmt.Errorf("recording %s: %w", r.ExternalID, err)
		}
		x.Recordings++
	}
	return nil
}
