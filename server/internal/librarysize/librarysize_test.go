package librarysize_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/librarysize"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// text is a text of an owner with lines of some length.
func text(owner, externalID string, length int) *db.Transcript {
	lines := []transcript.Segment{{Text: strings.Repeat("a word ", length), Duration: 4, Words: []transcript.Word{{Text: "a", End: 1}}}}
	return &db.Transcript{Owner: owner, Transcript: transcript.Transcript{
		Platform: transcript.Upload, ExternalID: externalID, Lang: "en", Source: transcript.OriginASR, Status: transcript.Ready,
	}, SegmentsJSON: packed.Pack(wire.AppendSegments(nil, lines)), WordsJSON: packed.Pack(wire.AppendWords(nil, lines))}
}

// TestCountIsThatOfTheTexts makes, replaces and removes texts at random. After each step, the count is
// that of the texts which are there.
func TestCountIsThatOfTheTexts(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a walk that can be repeated
		want := map[string]map[string]int64{"acme": {}, "other": {}, "": {}}
		tx := func(fn func(ctx context.Context, tx *db.Tx) error) {
			t.Helper()
			require.NoError(t, s.InTx(db.Unhurried(t.Context()), fn))
		}
		for step := range 150 {
			owner, id := []string{"acme", "other", ""}[r.IntN(3)], fmt.Sprint("upload", r.IntN(5))
			_, there := want[owner][id]
			switch n := r.IntN(10); {
			case n < 6:
				put := text(owner, id, r.IntN(3000))
				tx(func(ctx context.Context, tx *db.Tx) error {
					row, err := tx.Transcripts.Put(ctx, put)
					if err != nil || owner == "" {
						return err
					}
					return tx.Library.Save(ctx, row, owner, "")
				})
				want[owner][id] = int64(put.Size())
			case owner == "" || !there:
			case n < 9:
				tx(func(ctx context.Context, tx *db.Tx) error {
					return tx.Library.Remove(ctx, owner, library.Key{Platform: transcript.Upload, ExternalID: id})
				})
				delete(want[owner], id)
			default: // no code of the service does it
				tx(func(ctx context.Context, tx *db.Tx) error {
					_, err := tx.SQL().NewRaw("DELETE FROM texts WHERE transcript_id IN (SELECT id FROM transcripts WHERE owner = ? AND external_id = ?)", owner, id).Exec(ctx)
					return err
				})
				want[owner][id] = 0
			}
			for _, owner := range []string{"acme", "other"} {
				sum := int64(0)
				for _, bytes := range want[owner] {
					sum += bytes
				}
				have, err := librarysize.Of(t.Context(), s.SQL().Reader(), owner)
				require.NoError(t, err)
				require.Equal(t, sum, have, "step %d, %s", step, owner)
			}
			require.NoError(t, librarysize.Verify(t.Context(), s.SQL().Reader(), func(fault string) { t.Error(fault) }))
		}
		require.NoError(t, dbtest.Sweep(t.Context(), s, -time.Hour, time.Hour))
		require.NoError(t, librarysize.Verify(t.Context(), s.SQL().Reader(), func(fault string) { t.Error(fault) }))

		tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL().NewRaw("UPDATE library_sizes SET bytes = bytes + 1 WHERE account = 'acme'").Exec(ctx)
			return err
		})
		var faults []string
		require.NoError(t, librarysize.Verify(t.Context(), s.SQL().Reader(), func(fault string) { faults = append(faults, fault) }))
		require.Len(t, faults, 1)
		require.Contains(t, faults[0], "the texts of account acme take ")
	})
}
