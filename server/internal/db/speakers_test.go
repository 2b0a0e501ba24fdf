package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

func TestSpeakers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		e, _ := newWork(t, s)
		other, _ := newWork(t, s)
		of := func(name string, spoken float64, clip ...byte) db.Speaker {
			return db.Speaker{WorkID: e.ID, Name: name, Spoken: spoken, Clip: clip}
		}
		put := func(speakers ...db.Speaker) {
			inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Speakers.Put(ctx, speakers)) })
		}
		read := func() []db.Speaker {
			got, err := s.Speakers.All(t.Context(), e.ID)
			require.NoError(t, err)
			return got
		}
		require.Empty(t, read())
		put()
		put(of("A", 2.5, 0, 1, 255), of("Frau Müller", 3), db.Speaker{WorkID: other.ID, Name: "A", Spoken: 99})
		require.Equal(t, []db.Speaker{of("Frau Müller", 3), of("A", 2.5, 0, 1, 255)}, read())
		put(of("A", 4, 7), of("B", 4))
		require.Equal(t, []db.Speaker{of("A", 4, 7), of("B", 4), of("Frau Müller", 3)}, read())

		inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Works.Clear(ctx, e.ID)) })
		require.Empty(t, read())
		got, err := s.Speakers.All(t.Context(), other.ID)
		require.NoError(t, err)
		require.Len(t, got, 1, "of another extraction")
	})
}
