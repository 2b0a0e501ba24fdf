package db

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/packed"
)

// Chunk is a piece of the audio of work.
type Chunk struct {
	WorkID   string  `bun:"extraction_id"`
	N        int     // from 0
	Start    float64 // seconds on the media clock
	Duration float64 // seconds
	Silent   bool    // not recognized
	Channel  int     // of a recording whose channels are recognized separately, from 1; otherwise 0
	MediaKey string  // the blob of its audio; "" if the chunk is silent
	// MediaSHA256 is the hash of that blob; nil if the blob was stored before hashes were kept.
	MediaSHA256 []byte `bun:"media_sha256"`
	// Result is the recognition as JSON; nil until the chunk is done. It is stored compressed.
	Result []byte
	// Done says that the chunk has a result, or is silent and needs none.
	Done bool
	// Recognizer is the recognizer of the result; nil until there is one, and for a chunk
	// that was finished before recognizers were stored.
	Recognizer *Recognizer
}

// Recognizer is the engine that has recognized a chunk.
type Recognizer struct {
	Engine string `json:"engine"`
	Model  string `json:"model,omitempty"`
	// ModelSHA256 is the hash of the model's file in hex; "" if it is not known.
	ModelSHA256 string `json:"modelSHA256,omitempty"`
	Quality     string `json:"quality,omitempty"` // a note for people
	// Detects says that the recognizer detects the language. If the request names no
	// language, a recognizer that does not detect it assumes Language.
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

// chunkRow is a Chunk as the table stores it.
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

// Insert stores the cut list of work; it does not change chunks that already exist.
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

// Next returns at most limit chunks of work in order, from the n-th on, with the existing results.
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

// Finish stores the result of a chunk without a result, and the recognizer of the result.
// left is the number of chunks of the work without a result; silent chunks count as done.
// If the chunk already has a result, that result stays, and first is false. Finish locks
// the work: if two chunks finish at the same time, only one call sees that none is left.
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
	if changed == 0 { // the chunk has a result, or does not exist
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
