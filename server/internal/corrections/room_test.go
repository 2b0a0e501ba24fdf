package corrections_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/corrections"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/librarysize"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// requireCounted requires that the counted bytes of all libraries are those of their texts.
func requireCounted(t *testing.T, s *db.Store) {
	t.Helper()
	var faults []string
	require.NoError(t, librarysize.Verify(t.Context(), s.SQL().Reader(), func(fault string) { faults = append(faults, fault) }))
	require.Empty(t, faults)
}

// TestRoomIsExact imports and corrects texts at the same time until the plan has no room. The library
// is never larger than the plan permits, a refused text leaves nothing, and a removed one makes room.
func TestRoomIsExact(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		const most = 50_000
		by := account.Principal{Account: "acme", Plan: account.Plan{MaxLibraryBytes: most, ActionURL: "https://example.com/more"}}
		ctx, texts := db.Unhurried(t.Context()), corrections.New(s)
		bytes := func() int64 {
			n, err := librarysize.Of(ctx, s.SQL().Reader(), "acme")
			assert.NoError(t, err)
			return n
		}
		of := func(n int) library.Key {
			return library.Key{Platform: transcript.VideoSite, ExternalID: fmt.Sprint("v", n), Language: "en"}
		}
		put := func(n, lines int) error {
			file := corrections.File{MediaType: "text/plain", Content: []byte(strings.Repeat(fmt.Sprintf("line of %d\n", n), lines))}
			_, _, err := texts.Import(ctx, by, of(n), nil, file, nil)
			return err
		}
		var saved sync.Map
		var refused atomic.Int32
		var all sync.WaitGroup
		for n := range 40 {
			all.Go(func() {
				err := put(n, 5+n)
				if err == nil {
					saved.Store(n, true)
					_, err = texts.Edit(ctx, by, of(n), anyText, library.Edit{Segments: []library.SegmentEdit{{Text: new("corrected")}}})
				}
				if err != nil {
					assert.ErrorIs(t, err, transcript.UpgradeRequired)
					assert.ErrorContains(t, err, "The plan has room for 49 KiB of texts of your own")
					refused.Add(1)
				}
				assert.LessOrEqual(t, bytes(), int64(most))
			})
		}
		all.Wait()
		requireCounted(t, s)
		rows, err := s.Library.All(ctx, "acme")
		require.NoError(t, err)
		for _, row := range rows {
			var n int
			_, err := fmt.Sscanf(row.ExternalID, "v%d", &n)
			require.NoError(t, err)
			_, is := saved.LoadAndDelete(n)
			assert.True(t, is, row.ExternalID)
		}
		saved.Range(func(n, _ any) bool { return assert.Fail(t, "a saved text is lost", n) })
		assert.Positive(t, refused.Load())
		require.Error(t, put(1000, 500), "there is no room")

		before := bytes()
		require.NoError(t, s.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
			for _, row := range rows {
				if err := tx.Library.Remove(ctx, "acme", library.Key{Platform: row.Platform, ExternalID: row.ExternalID}); err != nil {
					return err
				}
			}
			return nil
		}))
		assert.Zero(t, bytes(), "of %d", before)
		require.NoError(t, put(1000, 500))
		requireCounted(t, s)

		// A plan with less room takes nothing away, and permits what makes the library smaller.
		by.Plan.MaxLibraryBytes = 10
		_, err = texts.Edit(ctx, by, of(1000), anyText, library.Edit{Segments: []library.SegmentEdit{{Text: new("longer than it was before")}}})
		require.ErrorIs(t, err, transcript.UpgradeRequired)
	})
}
