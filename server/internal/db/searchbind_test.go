package db_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// refuse has the database refuse an action on a table under a condition, as if the process ended
// there: every transaction before the action is kept.
func (d database) refuse(t *testing.T, o db.Options, action, table, condition string) (allow func()) {
	t.Helper()
	if dialect(o) == goose.DialectSQLite3 {
		d.exec(t, fmt.Sprintf("CREATE TRIGGER refuse BEFORE %s ON %s WHEN %s BEGIN SELECT RAISE(ABORT, 'refused'); END", action, table, condition))
		return func() { d.exec(t, "DROP TRIGGER refuse") }
	}
	d.exec(t, fmt.Sprintf(`CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN
		IF %s THEN RAISE EXCEPTION 'refused'; END IF; RETURN COALESCE(NEW, OLD); END $$ LANGUAGE plpgsql`, condition))
	d.exec(t, fmt.Sprintf("CREATE TRIGGER refuse BEFORE %s ON %s FOR EACH ROW EXECUTE FUNCTION refuse()", action, table))
	return func() { d.exec(t, "DROP TRIGGER refuse ON "+table) }
}

// goneTexts counts the texts that have left their volumes, by the volumes.
func (d database) goneTexts(t *testing.T) (n int) {
	t.Helper()
	require.NoError(t, d.QueryRowContext(t.Context(), "SELECT coalesce(sum(gone), 0) FROM search_volumes").Scan(&n))
	return n
}

// requireWhole checks that each text is in one volume at most, and that nothing else is stored.
func (d database) requireWhole(t *testing.T) {
	t.Helper()
	assert.Zero(t, d.count(t, "search_volumes WHERE state <> 'searched'"))
	assert.Zero(t, d.count(t, "library_rows WHERE volume IS NOT NULL AND volume NOT IN (SELECT id FROM search_volumes)"))
	assert.Zero(t, d.count(t, "search_volumes AS v WHERE texts - gone <> (SELECT count(*) FROM library_rows WHERE volume = v.id)"))
	assert.Zero(t, d.count(t, "search_volume_blocks WHERE volume NOT IN (SELECT id FROM search_volumes)"))
}

// longWords is a text whose index needs several writes.
func longWords() string {
	var text strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&text, "%x ", i*2_654_435_761%1_000_000_007)
	}
	return text.String()
}

// TestBindIsCutOff ends Bind at each of its steps. A search finds all texts before the next Bind,
// and after it. The next Bind leaves nothing of the first.
func TestBindIsCutOff(t *testing.T) {
	t.Parallel()
	long := longWords()
	for _, row := range []struct{ name, action, table, condition string }{
		{"before the first block", "INSERT", "search_volume_blocks", "true"},
		{"among the blocks", "INSERT", "search_volume_blocks", "(SELECT count(*) FROM search_volume_blocks) > 250"},
		{"before the texts move", "UPDATE", "library_rows", "NEW.volume IS NOT NULL"},
		{"before the own indexes of the texts go", "DELETE", "search_blocks", "true"},
		{"before the old volume goes", "DELETE", "search_volumes", "true"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
				s, raw := dbtest.Open(t, o), open(t, o)
				keep(t, s, "acme", said("v0", "en", "zebra zero"))
				bind(t, s, "acme", 1)
				keep(t, s, "acme", said("v1", "en", "zebra one", long), said("v2", "en", "zebra two"))
				put(t, s, said("v0", "en", "zebra new"))
				found := func() {
					t.Helper()
					assert.Equal(t, []string{"v2[0]", "v1[0]", "v0[0]"}, finds(t, s, "acme", "zebra"))
					assert.Equal(t, []string{"v1[0]"}, finds(t, s, "acme", `"zebra one"`))
					assert.Empty(t, finds(t, s, "acme", "zero"))
				}
				allow := raw.refuse(t, o, row.action, row.table, row.condition)
				require.ErrorContains(t, s.BindTexts(t.Context(), "acme", 3), "refused")
				allow()
				found()
				raw.exec(t, "UPDATE search_volumes SET written_at = '2026-01-01 00:00:00+00:00'") // the process is long dead
				bind(t, s, "acme", 3)
				found()
				raw.requireWhole(t)
				assert.Equal(t, 1, raw.count(t, "search_volumes"))
				assert.Zero(t, raw.count(t, "search_blocks"))
			})
		})
	}
}

// TestPurgeIsCutOff ends Purge at each of its steps. A search finds all texts that are left before
// the next Purge, and after it.
func TestPurgeIsCutOff(t *testing.T) {
	t.Parallel()
	long := longWords()
	for _, row := range []struct{ name, action, table, condition string }{
		{"before the first block", "INSERT", "search_volume_blocks", "true"},
		{"among the blocks", "INSERT", "search_volume_blocks", "(SELECT count(*) FROM search_volume_blocks WHERE volume = NEW.volume) > 250"},
		{"before the texts move", "UPDATE", "library_rows", "NEW.volume IS NOT NULL"},
		{"among the blocks of the old volume", "DELETE", "search_volume_blocks", "OLD.first_word > 'a'"},
		{"before the old volume goes", "DELETE", "search_volumes", "true"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
				s, raw := dbtest.Open(t, o), open(t, o)
				keep(t, s, "acme", said("v0", "en", "zebra zero"), said("v1", "en", "zebra one", long), said("v2", "en", "zebra two"))
				bind(t, s, "acme", 3)
				removeText(t, s, "acme", "v0")
				found := func() {
					t.Helper()
					assert.Equal(t, []string{"v2[0]", "v1[0]"}, finds(t, s, "acme", "zebra"))
					assert.Equal(t, []string{"v1[0]"}, finds(t, s, "acme", `"zebra one"`))
					assert.Empty(t, finds(t, s, "acme", "zero"))
				}
				allow := raw.refuse(t, o, row.action, row.table, row.condition)
				require.ErrorContains(t, s.PurgeTexts(t.Context(), "acme"), "refused")
				allow()
				found()
				raw.exec(t, "UPDATE search_volumes SET written_at = '2026-01-01 00:00:00+00:00'") // the process is long dead
				require.NoError(t, s.PurgeTexts(t.Context(), "acme"))
				found()
				raw.requireWhole(t)
				assert.Equal(t, 1, raw.count(t, "search_volumes WHERE texts = 2 AND gone = 0"))
			})
		})
	}
}

// meanwhile runs a statement whenever Bind inserts a block.
func (d database) meanwhile(t *testing.T, o db.Options, statement string) (end func()) {
	t.Helper()
	if dialect(o) == goose.DialectSQLite3 {
		d.exec(t, "CREATE TRIGGER meanwhile AFTER INSERT ON search_volume_blocks BEGIN "+statement+"; END")
		return func() { d.exec(t, "DROP TRIGGER meanwhile") }
	}
	d.exec(t, "CREATE OR REPLACE FUNCTION meanwhile() RETURNS trigger AS $$ BEGIN "+statement+"; RETURN NULL; END $$ LANGUAGE plpgsql")
	d.exec(t, "CREATE TRIGGER meanwhile AFTER INSERT ON search_volume_blocks FOR EACH ROW EXECUTE FUNCTION meanwhile()")
	return func() { d.exec(t, "DROP TRIGGER meanwhile ON search_volume_blocks") }
}

// TestBindIsTakenOver lets another process take the work over while a volume is written: the first
// process stops, and the texts stay as they are.
func TestBindIsTakenOver(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		keep(t, s, "acme", said("v1", "en", "zebra", longWords()))
		raw.meanwhile(t, o, "UPDATE search_volumes SET state = 'replaced' WHERE id = NEW.volume")
		bind(t, s, "acme", 1)
		assert.Zero(t, raw.count(t, "library_rows WHERE volume IS NOT NULL"))
		assert.Equal(t, 1, raw.count(t, "search_volumes WHERE size = 0 AND state = 'replaced'"))
		assert.Equal(t, []string{"v1[0]"}, finds(t, s, "acme", "zebra"))
	})
}

// TestTextsChangeWhileTheyAreBound changes a text while the first volume with the text is written,
// and takes a text out while the volume is written again: both texts stay out of the new volume.
func TestTextsChangeWhileTheyAreBound(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		keep(t, s, "acme", said("v1", "en", "zebra one"), said("v2", "en", "zebra two"), said("v3", "en", "zebra three"))
		end := raw.meanwhile(t, o, "UPDATE transcripts SET updated_at = '2030-01-01 00:00:00+00:00' WHERE external_id = 'v1'")
		bind(t, s, "acme", 3)
		end()
		assert.Equal(t, 1, raw.count(t, "library_rows WHERE volume IS NULL"))
		assert.Equal(t, 1, raw.goneTexts(t))
		raw.requireWhole(t)

		end = raw.meanwhile(t, o, "UPDATE library_rows SET volume = NULL WHERE external_id = 'v2'")
		require.NoError(t, s.PurgeTexts(t.Context(), "acme"))
		end()
		assert.Equal(t, 2, raw.count(t, "library_rows WHERE volume IS NULL"))
		bind(t, s, "acme", 1)
		raw.requireWhole(t)
	})
}

// TestBindWaitsForTheOtherProcess: while another process is writing a volume of the account, Bind
// leaves it alone.
func TestBindWaitsForTheOtherProcess(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	s, raw := dbtest.Open(t, o), open(t, o)
	keep(t, s, "acme", said("v1", "en", "zebra"))
	raw.exec(t, "INSERT INTO search_volumes (account, state, level, texts, size, written_at) VALUES ('acme', 'building', 0, 1, 0, now() + interval '1 hour')")
	bind(t, s, "acme", 1)
	assert.Equal(t, 1, raw.count(t, "search_volumes WHERE state = 'building'"))
	assert.Zero(t, raw.count(t, "library_rows WHERE volume IS NOT NULL"))
	raw.exec(t, "UPDATE search_volumes SET written_at = now() - interval '1 hour'")
	bind(t, s, "acme", 1)
	raw.requireWhole(t)
	assert.Equal(t, 1, raw.count(t, "library_rows WHERE volume IS NOT NULL"))
}

// TestBindInTwoProcesses binds one account in two processes while texts are saved, changed and
// removed.
func TestBindInTwoProcesses(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	s, raw := dbtest.Open(t, o), open(t, o)
	var all sync.WaitGroup
	saved := make(chan struct{})
	for range 2 {
		process := dbtest.Open(t, o)
		all.Go(func() {
			for ended := false; !ended; {
				select {
				case <-saved:
					ended = true
				default:
				}
				assert.NoError(t, process.BindTexts(t.Context(), "acme", 2))
				assert.NoError(t, process.PurgeTexts(t.Context(), "acme"))
			}
		})
	}
	for n := range 60 {
		keep(t, s, "acme", said(fmt.Sprint("v", n), "en", "word old"))
		switch n % 3 {
		case 1:
			put(t, s, said(fmt.Sprint("v", n-1), "en", "word new"))
		case 2:
			removeText(t, s, "acme", fmt.Sprint("v", n-1))
		}
	}
	close(saved)
	all.Wait()
	raw.exec(t, "UPDATE search_volumes SET written_at = '2026-01-01 00:00:00+00:00'")
	bind(t, s, "acme", 1)
	raw.requireWhole(t)
	count := func(q string) int {
		found, err := s.Library.Search(t.Context(), db.Search{Account: "acme", Query: search.Parse(q), N: 100})
		require.NoError(t, err)
		return len(found)
	}
	assert.Equal(t, 40, count("word"))
	assert.Equal(t, 20, count("new"))
	assert.Equal(t, 20, count("old"))
}

func removeText(t *testing.T, s *db.Store, account, externalID string) {
	t.Helper()
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Library.Remove(ctx, account, library.Key{Platform: transcript.VideoSite, ExternalID: externalID}))
	})
}

// TestRepointedRowLeavesItsVolume saves another text of a content and language, at once and at the
// end of a job. The row of the library then points to the new text: no search finds the old words,
// the volume counts them as gone, and Purge removes them.
func TestRepointedRowLeavesItsVolume(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		e, jobs := newWork(t, s, "acme", "beta")
		of := func(id string, words string) *db.Transcript {
			text := said(id, "en", words)
			if id == e.ExternalID {
				text.Platform = e.Platform
			}
			return text
		}
		keep(t, s, "acme", of("v1", "zebra old"), of(e.ExternalID, "yak old"), of("v2", "walrus"))
		bind(t, s, "acme", 1)
		keep(t, s, "beta", of(e.ExternalID, "yak old"))
		bind(t, s, "beta", 1)

		manual := of("v1", "xenops new")
		manual.Source = transcript.OriginManual
		keep(t, s, "acme", manual)
		assert.Equal(t, 1, raw.goneTexts(t))

		ended := of(e.ExternalID, "vole new")
		ended.Source = transcript.OriginManual
		id := put(t, s, ended)
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Library.ShowJob(ctx, e, jobs[0])) // beta has removed the row of its work
			require.NoError(t, tx.Library.EndJobs(ctx, e, []db.Job{*jobs[0], *jobs[1]}, db.End{Status: transcript.JobSuccess, TranscriptID: id}))
		})
		assert.Equal(t, 2, raw.goneTexts(t))
		for range 2 {
			assert.Empty(t, finds(t, s, "acme", "old"))
			assert.Equal(t, []string{e.ExternalID + "[0]"}, finds(t, s, "beta", `"yak old"`))
			assert.Equal(t, []string{"v1[0]"}, finds(t, s, "acme", `"xenops new"`))
			assert.Equal(t, []string{e.ExternalID + "[0]"}, finds(t, s, "acme", `"vole new"`))
			assert.Equal(t, []string{"v2[0]"}, finds(t, s, "acme", "walrus"))
			bind(t, s, "acme", 1)
		}
		require.NoError(t, s.PurgeTexts(t.Context(), "acme"))
		assert.Zero(t, raw.bytesOf(t, "zebra"))
		assert.Equal(t, 1, raw.bytesOf(t, "yak"), "of beta")
		raw.requireWhole(t)
	})
}

// TestTwoAccountsWithOneText: each account has the text in a volume of its own. A change of one
// account's row leaves the search of the other account as it is. A change of the text reaches
// both searches.
func TestTwoAccountsWithOneText(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		for _, account := range []string{"acme", "beta", "gamma"} {
			keep(t, s, account, said("v1", "en", "zebra shared", "zebra"), said(account, "en", "zebra "+account))
			bind(t, s, account, 1)
		}
		assert.Equal(t, []string{"v1[0 4000]", "beta[0]"}, finds(t, s, "beta", "zebra"))
		assert.Empty(t, finds(t, s, "beta", "acme"))

		removeText(t, s, "acme", "v1")
		assert.Equal(t, []string{"acme[0]"}, finds(t, s, "acme", "zebra"))
		assert.Equal(t, []string{"v1[0 4000]", "beta[0]"}, finds(t, s, "beta", "zebra"))
		assert.Equal(t, 1, raw.goneTexts(t))

		put(t, s, said("v1", "en", "changed zebra"))
		assert.Equal(t, 3, raw.goneTexts(t), "a text of several accounts counts as gone in each volume")
		for _, account := range []string{"beta", "gamma"} {
			assert.Empty(t, finds(t, s, account, "shared"))
			assert.Equal(t, []string{account + "[0]", "v1[0]"}, finds(t, s, account, "zebra"))
		}
		for _, account := range []string{"acme", "beta", "gamma"} {
			require.NoError(t, s.PurgeTexts(t.Context(), account))
			bind(t, s, account, 1)
		}
		assert.Zero(t, raw.goneTexts(t))
		assert.Zero(t, raw.bytesOf(t, "shared"))
		assert.Equal(t, []string{"beta[0]", "v1[0]"}, finds(t, s, "beta", "zebra"))
		raw.requireWhole(t)
	})
}

// TestRemovedTextsArePurgedOnce: the first text that leaves a volume enqueues a step that removes
// the words. The texts that leave the volume meanwhile need no step of their own.
func TestRemovedTextsArePurgedOnce(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		for n := range 5 {
			keep(t, s, "acme", said(fmt.Sprint("v", n), "en", fmt.Sprint("zebra", n)))
		}
		bind(t, s, "acme", 5)
		for n := range 3 {
			removeText(t, s, "acme", fmt.Sprint("v", n))
			assert.Equal(t, 1, raw.count(t, "river_job WHERE kind = 'index'"))
		}
		assert.Equal(t, 1, raw.bytesOf(t, "ebra0"))
		require.NoError(t, s.PurgeTexts(t.Context(), "acme"))
		assert.Zero(t, raw.bytesOf(t, "ebra0"))
		raw.exec(t, "UPDATE river_job SET state = 'running', attempted_at = scheduled_at WHERE kind = 'index'")
		removeText(t, s, "acme", "v3")
		assert.Equal(t, 2, raw.count(t, "river_job WHERE kind = 'index'"), "the first step runs, and may have read the rows already")
		assert.Equal(t, []string{"v4[0]"}, finds(t, s, "acme", "zebra*"))
	})
}

// TestSearchBehindGoneTexts: texts with more hits have left a volume, counted or not. A search
// finds those that are left, in order.
func TestSearchBehindGoneTexts(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		for n := range 40 {
			keep(t, s, "acme", said(fmt.Sprintf("v%02d", n), "en", slicesOf("word here", 40-n)...))
		}
		bind(t, s, "acme", 40)
		for n := range 10 {
			removeText(t, s, "acme", fmt.Sprintf("v%02d", n))
		}
		raw.exec(t, "DELETE FROM library_rows WHERE external_id BETWEEN 'v10' AND 'v29'")
		for _, q := range []string{"word", `"word here"`, "word here", "wor*"} {
			found, err := s.Library.Search(t.Context(), db.Search{Account: "acme", Query: search.Parse(q), N: 2})
			require.NoError(t, err)
			require.Len(t, found, 2, q)
			assert.Equal(t, []int{10, 9}, []int{found[0].Hits, found[1].Hits}, q)
		}
	})
}

func slicesOf(text string, n int) []string {
	return strings.Split(strings.Repeat(text+"\n", n-1)+text, "\n")
}
