package backup_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/backup"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/server/store/s3store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// service is a database with blobs, without a process that serves it.
type service struct {
	*db.Store
	t *testing.T
	o db.Options
}

func open(t *testing.T, o db.Options) *service {
	t.Helper()
	return &service{dbtest.Open(t, o), t, o}
}

// text saves a text into the library of the account.
func (s *service) text(platform transcript.Platform, externalID, words string) (id string) {
	s.t.Helper()
	segments := []transcript.Segment{{Text: words, Start: 1, Duration: 4}}
	s.tx(func(ctx context.Context, tx *db.Tx) (err error) {
		text := &db.Transcript{Transcript: transcript.Transcript{
			Platform: platform, ExternalID: externalID, Lang: "en", Source: transcript.OriginASR, Status: transcript.Ready,
		}, SegmentsJSON: packed.Pack(wire.AppendSegments(nil, segments))}
		if platform == transcript.Upload {
			text.Owner = "acme"
		}
		if id, err = tx.Transcripts.Put(ctx, text); err != nil {
			return err
		}
		_, err = tx.SQL().NewRaw(`INSERT INTO library_rows (id, account, kind, platform, external_id, lang, transcript_id, starred, created_at, updated_at)
			SELECT id, 'acme', 'transcript', platform, external_id, lang, id, false, created_at, updated_at FROM transcripts WHERE id = ?`, id).Exec(ctx)
		return err
	})
	return id
}

// recording keeps a recording with a copy for playing, and returns the keys of both.
func (s *service) recording(bytes string) (media, playing string) {
	s.t.Helper()
	sum := sha256.Sum256([]byte(bytes))
	id := fmt.Sprintf("%x", sum[:16])
	media, playing = db.UploadPrefix+id, db.PlayingPrefix+id
	s.put(media, bytes)
	s.put(playing, "a copy of "+bytes)
	s.text(transcript.Upload, id, "the words of a recording")
	s.tx(func(ctx context.Context, tx *db.Tx) error {
		r := &db.Recording{Account: "acme", ExternalID: id, MediaKey: media, Bytes: int64(len(bytes)), Until: time.Now().Add(time.Hour)}
		if _, err := tx.Recordings.Keep(ctx, r); err != nil {
			return err
		}
		r.CopyKey, r.CopyBytes = playing, int64(len("a copy of ")+len(bytes))
		_, err := tx.Recordings.SetCopy(ctx, r)
		return err
	})
	return media, playing
}

// upload stores the first parts of an upload that has not ended, and returns the key of what is
// there.
func (s *service) upload(parts ...string) (key string) {
	s.t.Helper()
	u := &db.Upload{Account: "acme", Sum: []byte{1}}
	require.NoError(s.t, s.Uploads.Begin(s.t.Context(), u, 1<<30, db.Unfinished{Count: 100, Bytes: 1 << 40}))
	for _, part := range parts {
		before := u.Received
		s.put(blobs.PartKey(db.UploadPrefix+u.ID, before, u.Turn), part)
		u.Received += int64(len(part))
		require.NoError(s.t, s.Uploads.Keep(s.t.Context(), u, before))
	}
	return blobs.WholeKey(db.UploadPrefix+u.ID, u.Received)
}

func (s *service) put(key, bytes string) {
	s.t.Helper()
	_, err := s.Blobs.Put(s.t.Context(), key, func(w io.Writer) error {
		_, err := io.WriteString(w, bytes)
		return err
	})
	require.NoError(s.t, err)
}

func (s *service) tx(fn func(ctx context.Context, tx *db.Tx) error) {
	s.t.Helper()
	require.NoError(s.t, s.InTx(s.t.Context(), fn))
}

func (s *service) read(key string) string {
	s.t.Helper()
	var b bytes.Buffer
	_, err := s.Blobs.Read(s.t.Context(), key, &b)
	require.NoError(s.t, err, key)
	return b.String()
}

// faults are what a verification finds, without what is well.
func (s *service) faults() (faults []string) {
	s.t.Helper()
	found, err := backup.Verify(s.t.Context(), s.Store)
	require.NoError(s.t, err)
	for _, f := range found {
		if f.Status != engine.OK {
			faults = append(faults, string(f.Status)+" "+f.Name+": "+f.Found)
		}
	}
	return faults
}

func (s *service) take(target string) backup.About {
	s.t.Helper()
	about, err := backup.Take(s.t.Context(), s.Store, target)
	require.NoError(s.t, err)
	return about
}

// emptyPlace is an empty place of the same kind.
func emptyPlace(t *testing.T, o db.Options) db.Options {
	t.Helper()
	if !storetest.IsPostgres(store.Options(o)) {
		o.Database = "sqlite:" + filepath.Join(t.TempDir(), "restored.db")
	} else {
		o.Database = storetest.EmptyPostgres(t)
	}
	if o.OpenBucket != nil {
		o.Blobs = storetest.S3(t)
	} else {
		o.Blobs = filepath.Join(t.TempDir(), "blobs")
	}
	return o
}

// newPlace is another place of the same kind, with tables.
func newPlace(t *testing.T, o db.Options) db.Options {
	t.Helper()
	if storetest.IsPostgres(store.Options(o)) {
		return dbtest.Postgres(t)
	}
	return dbtest.SQLite(t)
}

// each runs a test on both databases, with blobs in a folder and with blobs in an object store.
func each(t *testing.T, test func(t *testing.T, o db.Options)) {
	t.Helper()
	dbtest.EachDatabase(t, test)
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
			o.Blobs, o.OpenBucket = storetest.S3(t), s3store.Open
			test(t, o)
		})
	})
}

// A restored copy has the texts, the recordings and the parts of uploads, and nothing that no row
// names.
func TestRestoredCopyIsWhole(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o db.Options) {
		s := open(t, o)
		text := s.text(transcript.VideoSite, "v1", "hello from the captions")
		media, playing := s.recording("a recording")
		upload := s.upload("the first part, ", "the second")
		s.put(db.UploadPrefix+"litter", "of no row")
		for _, target := range []string{filepath.Join(t.TempDir(), "b.tar"), filepath.Join(t.TempDir(), "folder")} {
			about := s.take(target)
			assert.Equal(t, 4, about.Blobs)
			assert.Zero(t, about.Missing)

			place := emptyPlace(t, o)
			_, err := backup.Restore(t.Context(), place, target)
			require.NoError(t, err)
			copied := open(t, place)
			got, err := copied.Transcripts.ByID(t.Context(), text)
			require.NoError(t, err)
			plain, err := got.SegmentsJSON.Plain()
			require.NoError(t, err)
			assert.Contains(t, string(plain), "hello from the captions")
			assert.Equal(t, "a recording", copied.read(media))
			assert.Equal(t, "a copy of a recording", copied.read(playing))
			assert.Equal(t, "the first part, the second", copied.read(upload))
			keys, err := copied.Blobs.Keys(t.Context(), "")
			require.NoError(t, err)
			assert.Len(t, keys, 4)
			assert.Empty(t, copied.faults())
		}
	})
}

// Nothing is readable by others, and nothing but the backup stays.
func TestOnlyTheOwnerReadsABackup(t *testing.T) {
	t.Parallel()
	s := open(t, dbtest.SQLite(t))
	s.recording("a recording")
	for _, name := range []string{"b.tar", "folder"} {
		dir := t.TempDir()
		s.take(filepath.Join(dir, name))
		require.NoError(t, filepath.WalkDir(filepath.Join(dir, name), func(path string, d os.DirEntry, err error) error {
			require.NoError(t, err)
			info, err := d.Info()
			require.NoError(t, err)
			assert.Zero(t, info.Mode().Perm()&0o077, path)
			return nil
		}))
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, left, 1)
	}
}

// While a backup is made, deleted recordings go from the rows, and their blobs stay.
func TestHoldKeepsBlobs(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, store *db.Store) {
		s := &service{Store: store, t: t}
		ctx := t.Context()
		media, _ := s.recording("a recording")
		held, hold, err := s.HoldBlobs(ctx)
		require.NoError(t, err)
		_, second, err := s.HoldBlobs(ctx)
		require.NoError(t, err)
		require.NoError(t, s.DeleteBlobs(ctx, media))
		require.Equal(t, "a recording", s.read(media))
		require.NoError(t, hold.Release(ctx))
		require.NoError(t, held.Err())
		require.NoError(t, s.DeleteBlobs(ctx, media))
		require.Equal(t, "a recording", s.read(media), "the second hold")
		require.NoError(t, second.Release(ctx))
		require.NoError(t, s.DeleteBlobs(ctx, media))
		_, err = s.Blobs.Read(ctx, media, io.Discard)
		require.ErrorIs(t, err, blobs.ErrNotFound)
	})
}

// The hold of a process that was killed ends at its time, and the next sweep removes its row. The
// holder that only stood still learns that its hold is lost.
func TestLostHold(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, store *db.Store) {
		s := &service{Store: store, t: t}
		ctx := t.Context()
		media, _ := s.recording("a recording")
		_, hold, err := s.HoldBlobs(ctx)
		require.NoError(t, err)
		s.tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL().NewRaw("UPDATE blob_holds SET until = ?", tx.SQL().Ago(time.Millisecond)).Exec(ctx)
			return err
		})
		require.NoError(t, s.DeleteBlobs(ctx, media))
		_, err = s.Blobs.Read(ctx, media, io.Discard)
		require.ErrorIs(t, err, blobs.ErrNotFound)
		require.NoError(t, dbtest.Sweep(ctx, s.Store, time.Hour, time.Hour))
		require.ErrorIs(t, hold.Release(ctx), db.ErrHoldLost)
	})
}

// A backup tells which blobs were not there.
func TestBackupOfDamagedService(t *testing.T) {
	t.Parallel()
	s := open(t, dbtest.SQLite(t))
	media, playing := s.recording("a recording")
	upload := s.upload("one", "two")
	require.NoError(t, s.Blobs.Delete(t.Context(), media))
	require.NoError(t, s.Blobs.Delete(t.Context(), blobs.PartKey(strings.TrimSuffix(upload, "+6"), 3, 1)))
	about := s.take(filepath.Join(t.TempDir(), "b.tar"))
	assert.Equal(t, 2, about.Missing)
	assert.ElementsMatch(t, []string{media, upload}, about.Missed)
	assert.Equal(t, 1, about.Blobs)
	assert.Contains(t, s.read(playing), "a copy")
}

// Verify finds each damage.
func TestVerifyFindsDamage(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		for _, damage := range []struct {
			want string
			do   func(t *testing.T, s *service)
		}{
			{"broken blobs: uploads/", func(t *testing.T, s *service) {
				media, _ := s.recording("a recording")
				require.NoError(t, s.Blobs.Delete(t.Context(), media))
			}},
			{"is not what was stored", func(t *testing.T, s *service) {
				media, _ := s.recording("a recording")
				s.put(media, "A recording")
			}},
			{"has 12 bytes instead of 21", func(t *testing.T, s *service) {
				_, playing := s.recording("a recording")
				s.put(playing, "another copy")
			}},
			{"broken blobs: parts of uploads/", func(t *testing.T, s *service) {
				upload := s.upload("one", "two")
				require.NoError(t, s.Blobs.Delete(t.Context(), blobs.PartKey(strings.TrimSuffix(upload, "+6"), 0, 1)))
			}},
			{"old stray blobs: no row names audio/litter", func(t *testing.T, s *service) {
				s.put("audio/litter", "of no row")
				at := time.Now().Add(-48 * time.Hour)
				require.NoError(t, os.Chtimes(filepath.Join(s.o.Blobs, "audio", "litter"), at, at))
			}},
			{"broken index: the text of transcript ", func(t *testing.T, s *service) {
				s.sql("DELETE FROM search_blocks WHERE transcript_id = ?", s.text(transcript.VideoSite, "v1", "hello"))
			}},
			{"has no text", func(t *testing.T, s *service) {
				s.sql("DELETE FROM texts WHERE transcript_id = ?", s.text(transcript.VideoSite, "v1", "hello"))
			}},
			{"is that of another text", func(t *testing.T, s *service) {
				one, other := s.text(transcript.VideoSite, "v1", "hello there"), s.text(transcript.VideoSite, "v2", "hello here")
				s.sql("UPDATE texts SET segments = (SELECT segments FROM texts WHERE transcript_id = ?) WHERE transcript_id = ?", one, other)
			}},
			{"names an index that is not there", func(t *testing.T, s *service) {
				s.bound()
				s.sql("UPDATE search_volumes SET state = 'replaced'")
			}},
			{"that the row names", func(t *testing.T, s *service) {
				texts := s.bound()
				s.sql("UPDATE texts SET segments = (SELECT segments FROM texts WHERE transcript_id = ?) WHERE transcript_id = ?", texts[0], texts[1])
			}},
			{"that the row names", func(t *testing.T, s *service) {
				s.bound()
				s.sql("DELETE FROM search_volume_blocks WHERE first_word = ''")
			}},
		} {
			s := open(t, newPlace(t, o))
			s.text(transcript.VideoSite, "sound", "this text is sound")
			s.recording("another recording")
			require.Empty(t, s.faults())
			damage.do(t, s)
			assert.Contains(t, strings.Join(s.faults(), "\n"), damage.want)
		}
	})
}

// Verify has SQLite check its file.
func TestVerifyChecksTheFile(t *testing.T) {
	t.Parallel()
	o := dbtest.SQLite(t)
	s := open(t, o)
	text := s.text(transcript.VideoSite, "v1", "this text is sound")
	found, err := backup.Verify(t.Context(), s.Store)
	require.NoError(t, err)
	assert.Equal(t, engine.Finding{Name: "database", Status: engine.OK, Found: "SQLite's check of the file finds no damage"}, found[0])

	raw := storetest.SQL(t, store.Options(o))
	for _, statement := range []string{
		"DELETE FROM texts", "INSERT INTO texts (transcript_id, segments) VALUES ('none', x'00')",
		"PRAGMA writable_schema = ON", "UPDATE sqlite_schema SET sql = replace(sql, 'source_url     text,', 'source_url     text NOT NULL,') WHERE name = 'transcripts'",
	} {
		_, err := raw.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	require.NoError(t, raw.Close())
	assert.Subset(t, open(t, o).faults(), []string{
		"broken database: NULL value in transcripts.source_url",
		"broken database: 1 rows of the table texts name a row of the table transcripts that is not there",
		"broken index: transcript " + text + " has no text",
	})
}

// bound makes texts that are in one index.
func (s *service) bound() (texts []string) {
	s.t.Helper()
	for n := range 3 {
		texts = append(texts, s.text(transcript.VideoSite, fmt.Sprint("v", n), fmt.Sprint("hello number ", n)))
	}
	require.NoError(s.t, s.BindTexts(s.t.Context(), "acme", 1))
	require.Empty(s.t, s.faults())
	return texts
}

func (s *service) sql(statement string, args ...any) {
	s.t.Helper()
	s.tx(func(ctx context.Context, tx *db.Tx) error {
		res, err := tx.SQL().NewRaw(statement, args...).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		require.Positive(s.t, n, statement)
		return err
	})
}
