package db

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/packed"
)

// Chunk is the work's audio.
type Chunk struct {
	WorkID   string  `bun:"extraction_id"`
	N        int     // from 0
	Start    float64 // seconds on the media clock
	Duration float64 // seconds
	Silent   bool    // not to be recognized
	Channel  int     // of a recording whose channels are recognized by themselves, from 1; else 0
	MediaKey string  // the blob of its audio; "" when silent
	// MediaSHA256 is the hash of that blob; nil of one that was stored before hashes
	// were kept.
	MediaSHA256 []byte `bun:"media_sha256"`
	// Result is the recognition as JSON; nil until the chunk is done. It is
	// stored compressed.
	Result []byte
	// Done tells that the chunk has a result, or is silent and needs none.
	Done bool
	// Recognizer is what the result comes from; nil until there is one, and of a
	// chunk that was done before this was kept.
	Recognizer *Recognizer
}

// Recognizer is the engine that has recognized a chunk.
type Recognizer struct {
	Engine string `json:"engine"`
	Model  string `json:"model,omitempty"`
	// ModelSHA256 is the hash of the model's file in hex; "" where it is not known.
	ModelSHA256 string `json:"modelSHA256,omitempty"`
	Quality     string `json:"quality,omitempty"` // a note for people
	// Detects says that the recognizer detects the language. A recognizer that does not
	// detect hears Language if the request names no language.
	Detects  bool   `json:"languageDetected"`
	Language string `json:"language,omitempty"`
}

// Chunks reads the chunks of work.
type Chunks struct{ *source }

// ChunksTx reads and changes the chunks of work.
type ChunksTx struct {
	Chunks
	tx *Tx
}

// chunkRow is a Chunk as the table has it.
type chunkRow struct {
	bun.BaseModel `bun:"table:chunks,alias:c"`

	Chunk
}

func (r *chunkRow) chunk() (Chunk, error) {
	c := r.Chunk
	var err error
	c.Result, err = decompress(c.Result)
	return c, err
}

// Insert stores the cut list of work; chunks that exist already
// stay as they are.
func (w ChunksTx) Insert(ctx context.Context, chunks []Chunk) error {
	if len(chunks) == 0 {
		return nil
	}
	rows := make([]chunkRow, len(chunks))
	for i, c := range chunks {
		c.Done = c.Silent || c.Result != nil
		rows[i] = chunkRow{Chunk: c}
		rows[i].Result = compress(c.Result)
	}
	_, err := w.db.NewInsert().Model(&rows).On("CONFLICT DO NOTHING").Exec(ctx)
	return wrap("insert chunks of extraction "+chunks[0].WorkID, err)
}

// ByNumber returns one chunk, or ErrNotFound.
func (r Chunks) ByNumber(ctx context.Context, workID string, n int) (*Chunk, error) {
	what := fmt.Sprintf("chunk %d of extraction %s", n, workID)
	var row chunkRow
	err := r.db.NewSelect().Model(&row).Where("extraction_id = ? AND n = ?", workID, n).Scan(ctx)
	if err != nil {
		return nil, one(what, err)
	}
	c, err := row.chunk()
	return &c, wrap(what, err)
}

// CutList returns the chunks of work in order, without their results.
func (r Chunks) CutList(ctx context.Context, workID string) ([]Chunk, error) {
	return r.list(ctx, workID, func(q *bun.SelectQuery) { q.ExcludeColumn("result") })
}

// All returns the cut list in order, with results.
func (r Chunks) All(ctx context.Context, workID string) ([]Chunk, error) {
	return r.list(ctx, workID, func(*bun.SelectQuery) {})
}

// Next returns at most limit chunks of work in order, from the n-th on, with the
// results that are there.
func (r Chunks) Next(ctx context.Context, workID string, n int, limit int64) ([]Chunk, error) {
	return r.list(ctx, workID, func(q *bun.SelectQuery) { q.Where("n >= ?", n).Limit(limit) })
}

func (r Chunks) list(ctx context.Context, workID string, narrow func(*bun.SelectQuery)) ([]Chunk, error) {
	var rows []chunkRow
	q := r.db.NewSelect().Model(&rows).Where("extraction_id = ?", workID).Order("n")
	narrow(q)
	err := q.Scan(ctx)
	chunks := make([]Chunk, len(rows))
	for i := 0; i < len(rows) && err == nil; i++ {
		chunks[i], err = rows[i].chunk()
	}
	return chunks, wrap("chunks of extraction "+workID, err)
}

// Finish stores the result of a chunk without a result, and the recognizer of the
// result. left is how many chunks of the work have no result yet; silent chunks
// count as done. If the chunk already has a result, this result stays and first is
// false. Finish locks the work: if two chunks finish at once, only one call sees
// that none is left.
func (w ChunksTx) Finish(ctx context.Context, workID string, n int, result []byte, by Recognizer) (first bool, left int, err error) {
	what := fmt.Sprintf("finish chunk %d of extraction %s", n, workID)
	if result == nil {
		return false, 0, fmt.Errorf("store: %s: no result", what)
	}
	if _, err := w.tx.Works.Lock(ctx, workID); err != nil {
		return false, 0, err
	}
	done := &chunkRow{Chunk: Chunk{Result: compress(result), Done: true, Recognizer: &by}}
	res, err := w.db.NewUpdate().Model(done).
		Column("result", "done", "recognizer").
		Where("extraction_id = ? AND n = ? AND NOT done", workID, n).
		Exec(ctx)
	changed, err := affected(res, err)
	if err != nil {
		return false, 0, wrap(what, err)
	}
	if changed == 0 { // it has a result, or is not there
		if _, err := w.ByNumber(ctx, workID, n); err != nil {
			return false, 0, err
		}
	}
	rest, err := w.db.NewSelect().Model((*chunkRow)(nil)).
		Where("extraction_id = ? AND NOT done", workID).
		Count(ctx)
	return changed > 0, int(rest), wrap(what, err)
}

// Delete removes the chunks of work.
func (w ChunksTx) Delete(ctx context.Context, workID string) error {
	_, err := w.db.NewDelete().Model((*chunkRow)(nil)).Where("extraction_id = ?", workID).Exec(ctx)
	return wrap("delete chunks of extraction "+workID, err)
}

// compress returns b as gzip; nil for nil.
func compress(b []byte) []byte { return packed.Pack(b).Gzip() }

// decompress undoes compress.
func decompress(b []byte) ([]byte, error) {
	p, err := packed.Stored(b)
	if err != nil {
		return nil, err
	}
	return p.Plain()
}
