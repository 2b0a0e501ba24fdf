package db

import (
	"context"
	"encoding/hex"

	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// NamedBlob is a blob that a row needs.
type NamedBlob struct {
	Key  string
	Size int64  // bytes; 0: the row does not know
	Sum  []byte // the first bytes of its SHA-256; nil: the row does not know
	// May tells that the blob may have gone although the row names it.
	May bool
}

// namedAtOnce is how many rows one statement reads.
const namedAtOnce = 500

// NamedBlobs calls do for each blob that rows name: kept recordings and their copies for playing,
// unfinished uploads, and the audio of running work. It reads some hundred rows at a time, so the
// caller gives a Reader of one moment if do may take long.
func (r Reader) NamedBlobs(ctx context.Context, do func(NamedBlob) error) error {
	for _, names := range []func(context.Context, func(NamedBlob) error) error{
		r.Recordings.blobs, r.blobsOfUploads, r.Extractions.blobs, r.Chunks.blobs,
	} {
		if err := names(ctx, do); err != nil {
			return err
		}
	}
	return nil
}

func (r Recordings) blobs(ctx context.Context, do func(NamedBlob) error) error {
	return inPages(func(last Recording) (page []Recording, err error) {
		err = r.db.NewSelect().Model(&page).Where("media_key > ?", last.MediaKey).Order("media_key").Limit(namedAtOnce).Scan(ctx)
		return page, wrap("blobs of recordings", err)
	}, func(r Recording) error {
		if err := do(NamedBlob{Key: r.MediaKey, Size: r.Bytes, Sum: UploadSum(r.ExternalID)}); err != nil || r.CopyKey == "" {
			return err
		}
		return do(NamedBlob{Key: r.CopyKey, Size: r.CopyBytes})
	})
}

// blobsOfUploads names the parts that have arrived of uploads without an answer. An upload with
// an answer belongs to an extraction.
func (r Reader) blobsOfUploads(ctx context.Context, do func(NamedBlob) error) error {
	return inPages(func(last Upload) (page []Upload, err error) {
		err = r.db.NewSelect().Model(&page).Column("id", "received").Where("id > ? AND answer_kind = '' AND received > 0", last.ID).
			Order("id").Limit(namedAtOnce).Scan(ctx)
		return page, wrap("blobs of uploads", err)
	}, func(u Upload) error {
		return do(NamedBlob{Key: blobs.WholeKey(UploadPrefix+u.ID, u.Received), Size: u.Received})
	})
}

func (r Extractions) blobs(ctx context.Context, do func(NamedBlob) error) error {
	return inPages(func(last Extraction) (page []Extraction, err error) {
		err = r.db.NewSelect().Model(&page).Where("id > ? AND media_key <> '' AND "+running, last.ID).Order("id").Limit(namedAtOnce).Scan(ctx)
		return page, wrap("blobs of running work", err)
	}, func(e Extraction) error {
		named := NamedBlob{Key: e.MediaKey, Size: e.MediaBytes, May: e.KeepMedia == 0 && isCut(e.State.Stage)}
		if e.Platform == transcript.Upload {
			named.Sum = UploadSum(e.ExternalID)
		}
		return do(named)
	})
}

// isCut reports whether work in a stage needs the chunks of its audio alone.
func isCut(s transcript.Stage) bool {
	return s == transcript.StageASRQueued || s == transcript.StageASRRunning || s == transcript.StagePublishing
}

func (r Chunks) blobs(ctx context.Context, do func(NamedBlob) error) error {
	return inPages(func(last Chunk) (page []Chunk, err error) {
		err = r.db.NewRaw(`SELECT c.extraction_id, c.n, c.media_key, c.media_sha256 FROM chunks AS c JOIN extractions AS e ON e.id = c.extraction_id
			WHERE e.`+running+` AND NOT c.done AND c.media_key <> '' AND (c.extraction_id, c.n) > (?, ?)
			ORDER BY c.extraction_id, c.n LIMIT ?`, last.ExtractionID, last.N, namedAtOnce).Scan(ctx, &page)
		return page, wrap("blobs of chunks", err)
	}, func(c Chunk) error {
		return do(NamedBlob{Key: c.MediaKey, Sum: c.MediaSHA256})
	})
}

// inPages calls do for each row of all pages. after reads the page behind a row; the first page is
// behind the zero value.
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

// UploadSum is how the SHA-256 of an upload begins, by its external id.
func UploadSum(externalID string) []byte {
	sum, err := hex.DecodeString(externalID)
	if err != nil {
		return nil // the id of no upload
	}
	return sum
}
