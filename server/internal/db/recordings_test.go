package db_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// keepRecording keeps a recording of an account that has its text, and reports whether its blob is used.
func keepRecording(t *testing.T, s *db.Store, r db.Recording) (kept bool) {
	t.Helper()
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		text := said(r.ExternalID, "en", "hello")
		text.Platform, text.Owner = transcript.Upload, r.Account
		id, err := tx.Transcripts.Put(ctx, text)
		require.NoError(t, err)
		require.NoError(t, tx.Library.Save(ctx, id, r.Account, ""))
		kept, err = tx.Recordings.Keep(ctx, &r)
		require.NoError(t, err)
	})
	return kept
}

// A recording is found and deleted by its account alone, until its time is over.
func TestRecordingBelongsToItsAccount(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		ctx, at := t.Context(), now()
		r := db.Recording{Account: "acme", ExternalID: "a", MediaKey: "uploads/a", ContentType: "audio/mpeg", Title: "Talk", Bytes: 5, Until: at.Add(time.Hour)}
		require.True(t, keepRecording(t, s, r))
		got, err := s.Recordings.Of(ctx, "acme", "a", at)
		require.NoError(t, err)
		r.CreatedAt = got.CreatedAt
		assert.Equal(t, &r, got)
		for _, of := range []struct {
			account, id string
			at          time.Time
		}{{"other", "a", at}, {"acme", "b", at}, {"acme", "a", r.Until}} {
			_, err := s.Recordings.Of(ctx, of.account, of.id, of.at)
			require.ErrorIs(t, err, db.ErrNotFound)
			inTx(t, s, func(ctx context.Context, tx *db.Tx) {
				_, err := tx.Recordings.Delete(ctx, of.account, of.id, of.at)
				require.ErrorIs(t, err, db.ErrNotFound)
			})
		}
		kept, err := s.Recordings.Kept(ctx, "acme", at)
		require.NoError(t, err)
		assert.Equal(t, db.KeptMedia{Recordings: 1, Bytes: 5}, kept)
		kept, err = s.Recordings.Kept(ctx, "acme", r.Until)
		require.NoError(t, err)
		assert.Zero(t, kept)
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			keys, err := tx.Recordings.Delete(ctx, "acme", "a", at)
			require.NoError(t, err)
			assert.Equal(t, []string{"uploads/a"}, keys)
		})
	})
}

// The later end counts, and the file that is there stays. Without a text there is no recording.
func TestRecordingIsKeptOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		ctx, at := t.Context(), now()
		r := db.Recording{Account: "acme", ExternalID: "a", MediaKey: "uploads/a", Until: at.Add(2 * time.Hour)}
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			kept, err := tx.Recordings.Keep(ctx, &r)
			require.NoError(t, err)
			assert.False(t, kept, "there is no text")
		})
		require.True(t, keepRecording(t, s, r))
		for _, c := range []struct{ until, want time.Duration }{{time.Hour, 2 * time.Hour}, {3 * time.Hour, 3 * time.Hour}} {
			assert.False(t, keepRecording(t, s, db.Recording{Account: "acme", ExternalID: "a", MediaKey: "uploads/b", Until: at.Add(c.until)}))
			got, err := s.Recordings.Of(ctx, "acme", "a", at)
			require.NoError(t, err)
			assert.Equal(t, "uploads/a", got.MediaKey)
			assert.WithinDuration(t, at.Add(c.want), got.Until, 0)
		}
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			keys, err := tx.Recordings.DeleteWithText(ctx, "acme", "a")
			require.NoError(t, err)
			assert.Empty(t, keys, "the text is there")
			for _, key := range []string{"playing/a", "playing/b"} {
				used, err := tx.Recordings.SetCopy(ctx, &db.Recording{Account: "acme", ExternalID: "a", MediaKey: "uploads/a", CopyKey: key, CopyBytes: 3})
				require.NoError(t, err)
				assert.Equal(t, key == "playing/a", used, "the first copy stays")
			}
			require.NoError(t, tx.Library.Remove(ctx, "acme", library.Key{Platform: transcript.Upload, ExternalID: "a"}))
			keys, err = tx.Recordings.DeleteWithText(ctx, "other", "a")
			require.NoError(t, err)
			assert.Empty(t, keys)
			keys, err = tx.Recordings.DeleteWithText(ctx, "acme", "a")
			require.NoError(t, err)
			assert.Equal(t, []string{"uploads/a", "playing/a"}, keys)
		})
	})
}

// The sweep removes what is past its time, and what no row knows; nothing else, however old.
func TestSweepOfRecordings(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, ctx := dbtest.Open(t, o), t.Context()
		whole := blobs.WholeKey("uploads/parts", 1)
		for id, key := range map[string]string{"kept": "uploads/kept", "parts": whole, "over": "uploads/over"} {
			until := time.Now().Add(time.Hour)
			if id == "over" {
				until = time.Now().Add(-time.Second)
			}
			require.True(t, keepRecording(t, s, db.Recording{Account: "acme", ExternalID: id, MediaKey: key, Bytes: 1, Until: until}))
			inTx(t, s, func(ctx context.Context, tx *db.Tx) {
				_, err := tx.Recordings.SetCopy(ctx, &db.Recording{Account: "acme", ExternalID: id, MediaKey: key, CopyKey: "playing/" + id, CopyBytes: 1})
				require.NoError(t, err)
			})
		}
		yesterday := time.Now().Add(-25 * time.Hour)
		part := blobs.PartKey("uploads/parts", 0, 1)
		for _, key := range []string{"uploads/kept", part, "uploads/over", "playing/kept", "playing/parts", "playing/over", "playing/of-nothing", "uploads/of-nothing"} {
			_, err := s.Blobs.Put(ctx, key, func(w io.Writer) error { _, err := io.Copy(w, strings.NewReader("x")); return err })
			require.NoError(t, err)
			require.NoError(t, os.Chtimes(filepath.Join(o.Blobs, key), yesterday, yesterday))
		}
		require.NoError(t, dbtest.Sweep(ctx, s, time.Hour, time.Hour))
		left, err := s.Blobs.Keys(ctx, "")
		require.NoError(t, err)
		assert.ElementsMatch(t, []string{"uploads/kept", part, "playing/kept", "playing/parts"}, left)
		status, err := s.Status(ctx)
		require.NoError(t, err)
		for _, m := range status.Blobs {
			assert.Equal(t, map[string]int64{"uploads": 2, "audio": 0, "playing": 2, "recordings": 4}[m.Name], m.Value, m.Name)
		}
		for key, want := range map[string]bool{"uploads/kept": true, whole: true, "uploads/over": false} {
			kept, err := s.Recordings.MediaKept(ctx, key)
			require.NoError(t, err)
			assert.Equal(t, want, kept, key)
		}
	})
}
