package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// listed are all rows of an account's library.
func (b *bench) listed(t *testing.T, account string) []library.Item {
	t.Helper()
	page, err := b.Library.Page(t.Context(), account, library.Query{View: library.History, Sort: library.Recent, Page: 1, PageSize: 100})
	require.NoError(t, err)
	require.Equal(t, len(page.Transcripts), page.Total)
	return page.Transcripts
}

func (b *bench) onlyRow(t *testing.T, account string) library.Item {
	t.Helper()
	rows := b.listed(t, account)
	require.Len(t, rows, 1)
	return rows[0]
}

func videoKey(id, lang string) library.Key {
	return library.Key{Platform: transcript.VideoSite, ExternalID: id, Language: lang}
}

// The row of work stays the same from the first failure to the text, with its star.
func TestLibraryRowOfWork(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		sites := newPlatforms(t, manual("en"))
		sites.captions = refusing(transcript.Unavailable)
		b := prepareLinks(t, s, sites)
		out, err := b.Submit(t.Context(), link("v1", "de,en"))
		require.NoError(t, err)
		first := b.onlyRow(t, acme)
		assert.Equal(t, library.KindPending, first.Kind)
		assert.Equal(t, out.Job.JobID, first.JobID)
		assert.Equal(t, "pending", first.JobStatus)
		assert.Equal(t, "de", first.Lang)
		assert.Equal(t, "https://video.example/watch?v=v1", *first.SourceURL)
		assert.Nil(t, first.ErrorCode)
		_, err = b.Library.Saved(t.Context(), acme, videoKey("v1", ""))
		require.ErrorIs(t, err, transcript.StateConflict)
		var busy *transcript.Error
		require.ErrorAs(t, err, &busy)
		assert.Equal(t, out.Job.JobID, busy.Details["jobId"])
		require.NoError(t, b.Library.Star(t.Context(), acme, videoKey("v1", ""), true))

		b.startOne(t)
		_, err = b.Jobs.Wait(t.Context(), acme, out.Job.JobID, nil)
		require.NoError(t, err)
		failed := b.onlyRow(t, acme)
		assert.Equal(t, []any{library.KindFailed, first.ID, "failed", transcript.Unavailable, true},
			[]any{failed.Kind, failed.ID, failed.JobStatus, *failed.ErrorCode, failed.Starred})
		_, err = b.Library.Saved(t.Context(), acme, videoKey("v1", ""))
		require.ErrorIs(t, err, transcript.NoTranscript)

		sites.set(func(p *platforms) { p.captions = nil })
		b.succeed(t, link("v1", "de,en"))
		text := b.onlyRow(t, acme)
		assert.Equal(t, []any{library.KindTranscript, first.ID, "en", true, ""}, []any{text.Kind, text.ID, text.Lang, text.Starred, text.JobID})
		assert.Nil(t, text.ErrorCode)
		assert.Positive(t, text.Words)
		page, err := b.Library.Page(t.Context(), acme, library.Query{View: library.Starred, Sort: library.Title, Page: 1, PageSize: 1})
		require.NoError(t, err)
		assert.Equal(t, []string{"en"}, page.Langs)
		assert.Equal(t, 1, page.Total)

		// Another list leads to the same text: its row is taken over, with its star.
		require.NoError(t, b.Library.Star(t.Context(), acme, videoKey("v1", "en"), false))
		again := link("v1", "fr,en")
		again.Plan.CacheTTL = time.Nanosecond
		starred := make(chan struct{}) // the job may not end before
		sites.set(func(p *platforms) { p.captions = func(context.Context, int) error { <-starred; return nil } })
		out, err = b.Submit(t.Context(), again)
		require.NoError(t, err)
		require.NotNil(t, out.Job)
		require.NoError(t, b.Library.Star(t.Context(), acme, videoKey("v1", "fr"), true))
		close(starred)
		_, err = b.Jobs.Wait(t.Context(), acme, out.Job.JobID, nil)
		require.NoError(t, err)
		merged := b.onlyRow(t, acme)
		assert.Equal(t, []any{first.ID, true}, []any{merged.ID, merged.Starred})
	})
}

// What is removed while it is on its way is not saved, unless it is asked for again; and
// nobody else's library changes.
func TestRemovedWhileOnItsWay(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b := prepareLinks(t, s, newPlatforms(t, manual("en")))
		var jobs []string
		for _, account := range []string{acme, "other", "again"} {
			request := link("v1", "en")
			request.Account = account
			out, err := b.Submit(t.Context(), request)
			require.NoError(t, err)
			jobs = append(jobs, out.Job.JobID)
			if account == "other" {
				continue
			}
			require.NoError(t, b.Library.Remove(t.Context(), account, videoKey("v1", "")))
			require.Empty(t, b.listed(t, account))
			require.ErrorIs(t, b.Library.Remove(t.Context(), account, videoKey("v1", "")), transcript.NoTranscript)
			if account == "again" {
				out, err = b.Submit(t.Context(), request)
				require.NoError(t, err)
				require.Equal(t, jobs[2], out.Job.JobID)
			}
		}
		b.startOne(t)
		for i, account := range []string{acme, "other", "again"} {
			job, err := b.Jobs.Wait(t.Context(), account, jobs[i], nil)
			require.NoError(t, err)
			assert.NotNil(t, job.Result, "the job itself goes on")
			assert.Len(t, b.listed(t, account), []int{0, 1, 1}[i], account)
		}
		// Two have it, one removes it.
		require.NoError(t, b.Library.Remove(t.Context(), "other", videoKey("v1", "en")))
		_, err := b.Library.Saved(t.Context(), "other", videoKey("v1", ""))
		require.ErrorIs(t, err, transcript.NoTranscript)
		_, err = b.Library.Saved(t.Context(), "again", videoKey("v1", ""))
		require.NoError(t, err)
		// What stands in the cache is not listed until it is asked for.
		assert.Empty(t, b.listed(t, acme))
		out, err := b.Submit(t.Context(), link("v1", "en"))
		require.NoError(t, err)
		require.NotNil(t, out.Result)
		assert.Len(t, b.listed(t, acme), 1)
	})
}

// The text of an upload goes with its last row, and is made anew when the file comes
// again.
func TestRemovedUpload(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		e := &script{}
		b := start(t, s, e)
		file := recording(t, 5, 1)
		done := b.end(t, b.job(t, file).JobID)
		require.Equal(t, transcript.JobSuccess, done.Status, "%v", done.Error)
		row := b.onlyRow(t, acme)
		assert.Equal(t, transcript.Upload, row.Platform)
		key := library.Key{Platform: transcript.Upload, ExternalID: row.ExternalID}
		out, err := b.submit(t, acme, file, "")
		require.NoError(t, err)
		require.NotNil(t, out.Result, "cached")
		calls := e.calls()

		require.NoError(t, b.Library.Remove(t.Context(), acme, key))
		assert.Empty(t, b.listed(t, acme))
		_, err = s.Transcripts.ByID(t.Context(), done.TranscriptRef)
		require.ErrorIs(t, err, db.ErrNotFound)
		job, err := b.Jobs.Job(t.Context(), acme, done.JobID, nil)
		require.NoError(t, err)
		assert.Nil(t, job.Result)

		again := b.end(t, b.job(t, file).JobID)
		require.Equal(t, transcript.JobSuccess, again.Status)
		assert.Greater(t, e.calls(), calls)
		assert.NotEqual(t, row.ID, b.onlyRow(t, acme).ID)
	})
}

// A failed row has its star, and goes, without the text beside it in the same language.
func TestRemovedFailure(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		sites := newPlatforms(t, manual("en"))
		sites.captions = refusing(transcript.Unavailable)
		b := startLinks(t, s, &script{}, sites)
		out, err := b.Submit(t.Context(), link("v1", "en,de"))
		require.NoError(t, err)
		_, err = b.Jobs.Wait(t.Context(), acme, out.Job.JobID, nil)
		require.NoError(t, err)
		failed := b.onlyRow(t, acme)
		require.Equal(t, library.KindFailed, failed.Kind)
		sites.set(func(p *platforms) { p.captions = nil })
		b.succeed(t, link("v1", "en"))
		b.succeed(t, link("v2", "en"))
		list := func(view library.View) []library.Item {
			page, err := b.Library.Page(t.Context(), acme, library.Query{
				View: view, Platform: library.PlatformFilter(transcript.VideoSite), ExternalID: "v1", Sort: library.Recent, Page: 1, PageSize: 100,
			})
			require.NoError(t, err)
			return page.Transcripts
		}
		require.Len(t, list(library.History), 2)
		key := videoKey("v1", "")
		key.Row = failed.ID
		require.NoError(t, b.Library.Star(t.Context(), acme, key, true))
		require.Len(t, list(library.Starred), 1)
		require.ErrorIs(t, b.Library.Remove(t.Context(), "other", key), transcript.NoTranscript)
		require.NoError(t, b.Library.Remove(t.Context(), acme, key))
		left := list(library.History)
		require.Len(t, left, 1)
		assert.Equal(t, library.KindTranscript, left[0].Kind)
		require.ErrorIs(t, b.Library.Remove(t.Context(), acme, key), transcript.NoTranscript)
	})
}

func TestRelated(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b := startLinks(t, s, &script{}, newPlatforms(t, manual("en")))
		for _, id := range []string{"v1", "v2", "v3"} {
			b.succeed(t, link(id, "en"))
		}
		other := link("v4", "en")
		other.Account = "other"
		b.succeed(t, other)
		ids := func(account string, n int) []string {
			items, err := b.Library.Related(t.Context(), account, videoKey("v1", ""), n)
			require.NoError(t, err)
			all := []string{}
			for _, item := range items {
				all = append(all, item.ExternalID)
			}
			return all
		}
		assert.Equal(t, []string{"v3", "v2"}, ids(acme, 10))
		assert.Equal(t, []string{"v3"}, ids(acme, 1))
		_, err := b.Library.Related(t.Context(), "other", videoKey("v1", ""), 10)
		require.ErrorIs(t, err, transcript.NoTranscript)
	})
}

// A batch has a row of its own, which says how it stands, until it is deleted.
func TestBatchInTheLibrary(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b := startLinks(t, s, &script{}, newPlatforms(t, manual("en")))
		made, err := b.Batches.Create(t.Context(), batchOf(entries(2)...))
		require.NoError(t, err)
		b.ended(t, acme, made.ID)
		page := func(q library.Query) []library.Item {
			q.Sort, q.Page, q.PageSize = library.Recent, 1, 10
			p, err := b.Library.Page(t.Context(), acme, q)
			require.NoError(t, err)
			return p.Transcripts
		}
		rows := page(library.Query{View: library.All, Platform: library.Batches})
		require.Len(t, rows, 1)
		row := rows[0]
		assert.Equal(t, []any{library.KindBatch, made.ID, made.ID, "completed", transcript.VideoSite},
			[]any{row.Kind, row.BatchID, row.ExternalID, row.BatchStatus, row.Platform})
		assert.Equal(t, 2, *row.ItemCount)
		assert.Equal(t, 0, *row.FailedCount)
		assert.Len(t, page(library.Query{View: library.All}), 3)
		assert.Len(t, page(library.Query{View: library.All, Platform: "video_site"}), 2)
		require.NoError(t, b.Batches.Delete(t.Context(), acme, made.ID))
		assert.Len(t, page(library.Query{View: library.All}), 2)
	})
}
