package db

import (
	"context"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// openRows selects the rows of work on one content with one list, of some accounts.
type openRows struct {
	platform   transcript.Platform
	externalID string
	languages  string
	kind       library.Kind // pending or failed
	accounts   []string
	jobs       []string // only the rows of these jobs; nil means the rows of all jobs
}

// openRowsOf selects the rows of jobs that wait for a piece of work.
func openRowsOf(e *Work, jobs []Job) openRows {
	w := openRows{platform: e.Platform, externalID: e.ExternalID, languages: e.Languages, kind: library.KindPending}
	for _, c := range jobs {
		w.accounts, w.jobs = append(w.accounts, c.Account), append(w.jobs, c.ID)
	}
	return w
}

// have is the condition that selects these rows as w. It repeats the condition of the
// index library_rows_open, because SQLite does not conclude the condition from the kind,
// and would read all rows of the account.
func (w openRows) have() schema.QueryWithArgs {
	of := bun.SafeQuery("w.account IN (?) AND w.platform = ? AND w.external_id = ? AND w.languages = ? AND w.kind <> 'transcript' AND w.kind = ?",
		bun.List(w.accounts), w.platform, w.externalID, w.languages, w.kind)
	if w.jobs == nil {
		return of
	}
	return bun.SafeQuery("? AND w.job_id IN (?)", of, bun.List(w.jobs))
}

// ShowJob shows a running job in the library of its account. The transaction has locked
// the work of the job. It reuses a row of the same list.
func (w LibraryTx) ShowJob(ctx context.Context, e *Work, j *Job) error {
	now := sqldb.Moment(time.Now())
	row := &LibraryRow{
		Account: j.Account, Kind: library.KindPending, Platform: e.Platform, ExternalID: e.ExternalID,
		Lang: firstLanguage(e.Languages), Languages: e.Languages, JobID: j.ID, SourceURL: e.SourceURL, Metadata: e.Metadata,
		CreatedAt: now, UpdatedAt: now,
	}
	if err := sqldb.NewID(&row.ID); err != nil {
		return err
	}
	row.findBy(row.Metadata.Title, row.Metadata.Channel, row.Metadata.CreatorHandle)
	q := w.db.NewInsert().Model(row).
		On("CONFLICT (account, platform, external_id, languages) WHERE kind <> 'transcript' DO UPDATE").
		Set("kind = excluded.kind, job_id = excluded.job_id, error_code = NULL, updated_at = excluded.updated_at").
		Where("library_row.job_id <> excluded.job_id OR library_row.kind <> excluded.kind")
	if !e.Metadata.IsZero() { // otherwise the earlier facts stay
		q.Set("metadata = excluded.metadata, folded_title = excluded.folded_title, folded_channel = excluded.folded_channel, creator = excluded.creator")
	}
	_, err := q.Exec(ctx)
	return wrap("library row of job "+j.ID, err)
}

// firstLanguage returns the first language of a canonical list; "und" if the language
// must be detected.
func firstLanguage(list string) string {
	first := transcript.LanguageList{{}}
	if list != "" {
		if all, err := transcript.ParseLanguageList(list); err == nil { // only valid lists are stored
			first = all
		}
	}
	if first[0].Tag == "" {
		return "und"
	}
	return first[0].Tag
}

// DescribeJobs stores the known facts about the content of a piece of work in the libraries
// of the accounts that wait for it.
func (w LibraryTx) DescribeJobs(ctx context.Context, e *Work, m transcript.Metadata) error {
	row := LibraryRow{Metadata: Clean(m)}
	row.findBy(row.Metadata.Title, row.Metadata.Channel, row.Metadata.CreatorHandle)
	_, err := w.db.NewUpdate().Model(&row).
		Column("metadata", "folded_title", "folded_channel", "creator").
		Where("account IN (SELECT account FROM jobs WHERE extraction_id = ? AND "+running+")", e.ID).
		Where("platform = ? AND external_id = ? AND languages = ? AND kind <> 'transcript' AND kind = 'pending'", e.Platform, e.ExternalID, e.Languages).
		Exec(ctx)
	return wrap("library rows of extraction "+e.ID, err)
}

// EndJobs changes the library rows of jobs that end. It does not restore a row that an
// account has removed.
func (w LibraryTx) EndJobs(ctx context.Context, e *Work, jobs []Job, end End) error {
	if len(jobs) == 0 {
		return nil
	}
	open := openRowsOf(e, jobs)
	switch end.Status {
	case transcript.JobSuccess:
		text, err := w.textRow(ctx, end.TranscriptID)
		if err != nil {
			return err
		}
		_, err = w.become(ctx, open, text)
		return err
	case transcript.JobFailed:
		_, err := w.db.NewRaw(`UPDATE library_rows AS w SET kind = 'failed', error_code = ?, updated_at = ? WHERE ?`,
			end.Error.Code, sqldb.Moment(time.Now()), open.have()).Exec(ctx)
		return wrap("failed work in libraries", err)
	default:
		_, err := w.removeOpen(ctx, open)
		return err
	}
}

func (w LibraryTx) removeOpen(ctx context.Context, open openRows) (int64, error) {
	res, err := w.db.NewRaw("DELETE FROM library_rows AS w WHERE ?", open.have()).Exec(ctx)
	n, err := affected(res, err)
	return n, wrap("remove work from libraries", err)
}
