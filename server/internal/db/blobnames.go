package db

import (
	"context"
	"encoding/hex"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// namedAtOnce is how many rows one statement reads.
const namedAtOnce = 500

// NamedBlobs calls do for each blob that rows name, in the order of OwnTables. The caller passes
// a Reader of one moment if do may take long.
func (r Reader) NamedBlobs(ctx context.Context, do func(tables.Blob) error) error {
	for _, t := range OwnTables() {
		if t.Blobs == nil {
			continue
		}
		if err := t.Blobs(ctx, r.db, do); err != nil {
			return err
		}
	}
	return nil
}

func blobsOfRecordings(ctx context.Context, db bun.IDB, do func(tables.Blob) error) error {
	return inPages(func(last Recording) (page []Recording, err error) {
		err = db.NewSelect().Model(&page).Where("media_key > ?", last.MediaKey).Order("media_key").Limit(namedAtOnce).Scan(ctx)
		return page, wrap("blobs of recordings", err)
	}, func(r Recording) error {
		if err := do(tables.Blob{Key: r.MediaKey, Size: r.Bytes, Sum: UploadSum(r.ExternalID)}); err != nil || r.CopyKey == "" {
			return err
		}
		return do(tables.Blob{Key: r.CopyKey, Size: r.CopyBytes})
	})
}

// blobsOfUploads lists the stored parts of uploads without an answer. An upload with an answer
// belongs to a piece of work.
func blobsOfUploads(ctx context.Context, db bun.IDB, do func(tables.Blob) error) error {
	return inPages(func(last Upload) (page []Upload, err error) {
		err = db.NewSelect().Model(&page).Column("id", "received").Where("id > ? AND answer_kind = '' AND received > 0", last.ID).
			Order("id").Limit(namedAtOnce).Scan(ctx)
		return page, wrap("blobs of uploads", err)
	}, func(u Upload) error {
		return do(tables.Blob{Key: blobs.WholeKey(UploadPrefix+u.ID, u.Received), Size: u.Received})
	})
}

func blobsOfWorks(ctx context.Context, db bun.IDB, do func(tables.Blob) error) error {
	return inPages(func(last Work) (page []Work, err error) {
		err = db.NewSelect().Model(&page).Where("id > ? AND media_key <> '' AND "+running, last.ID).Order("id").Limit(namedAtOnce).Scan(ctx)
		return page, wrap("blobs of running work", err)
	}, func(e Work) error {
		named := tables.Blob{Key: e.MediaKey, Size: e.MediaBytes, May: e.KeepMedia == 0 && isCut(e.State.Stage)}
		if e.Platform == transcript.Upload {
			named.Sum = UploadSum(e.ExternalID)
		}
		return do(named)
	})
}

// isCut reports whether work in a stage needs only the chunks of its audio.
func isCut(s transcript.Stage) bool {
	return s == transcript.StageASRQueued || s == transcript.StageASRRunning || s == transcript.StagePublishing
}

func blobsOfChunks(ctx context.Context, db bun.IDB, do func(tables.Blob) error) error {
	return inPages(func(last Chunk) (page []Chunk, err error) {
		err = db.NewRaw(`SELECT c.extraction_id, c.n, c.media_key, c.media_sha256 FROM chunks AS c JOIN extractions AS e ON e.id = c.extraction_id
			WHERE e.`+running+` AND NOT c.done AND c.media_key <> '' AND (c.extraction_id, c.n) > (?, ?)
			ORDER BY c.extraction_id, c.n LIMIT ?`, last.WorkID, last.N, namedAtOnce).Scan(ctx, &page)
		return page, wrap("blobs of chunks", err)
	}, func(c Chunk) error {
		return do(tables.Blob{Key: c.MediaKey, Sum: c.MediaSHA256})
	})
}

// inPages calls do for each row of all pages. after reads the page after a row; the first page
// follows the zero value.
func inPages[Row any](after func(Row) ([]Row, error), do func(Row) error) error {
	var last Row
	for {
		page, err := after(last)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, row := range page {
			if err := do(row); err != nil {
				return err
			}
		}
		last = page[len(page)-1]
	}
}

// UploadSum returns the beginning of the SHA-256 of an upload, from its external id.
func UploadSum(externalID string) []byte {
	sum, err := hex.DecodeString(externalID)
	if err != nil {
		return nil // not the id of an upload
	}
	return sum
}
