package db

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/labels"
	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Page returns a page of an account's library. All members of the query except the
// filters must be set. Page makes several queries: see Store.Snapshot.
func (r Library) Page(ctx context.Context, account string, q library.Query) (*library.Page, error) {
	page := &library.Page{Page: q.Page, PageSize: q.PageSize}
	var err error
	if page.Transcripts, err = r.items(ctx, r.listed(account, q).
		OrderExpr(orders[q.Sort]).Limit(int64(q.PageSize)).Offset(int64(q.Page-1)*int64(q.PageSize)), q.Sort); err != nil {
		return nil, wrap("library of "+account, err)
	}
	total, err := r.listed(account, q).Count(ctx)
	if err != nil {
		return nil, wrap("size of the library of "+account, err)
	}
	page.Total = int(total)
	if page.Langs, err = r.langs(ctx, account); err != nil {
		return nil, wrap("languages of the library of "+account, err)
	}
	return page, nil
}

// Related returns at most n texts in the library of an account by the creator of a row, newest
// first, without the texts of the row's own content. It returns none if the creator is not known.
func (r Library) Related(ctx context.Context, of *LibraryRow, n int) ([]library.Item, error) {
	if of.Creator == "" {
		return []library.Item{}, nil
	}
	rows := r.db.NewSelect().Model((*LibraryRow)(nil)).ModelTableExpr("library_rows AS l").Column("l.id").
		Where("l.account = ? AND l.platform = ? AND l.creator = ? AND l.kind = 'transcript'", of.Account, of.Platform, of.Creator).
		Where("l.external_id <> ?", of.ExternalID).
		OrderExpr(orders[library.Recent]).Limit(int64(n))
	items, err := r.items(ctx, rows, library.Recent)
	return items, wrap("related to "+of.ExternalID, err)
}

// orders use columns that follow the account in an index.
var orders = map[library.Sort]string{
	library.Recent: "l.created_at DESC, l.id DESC",
	library.Oldest: "l.created_at, l.id",
	library.Title:  "(l.folded_title = ''), l.folded_title, l.id",
}

// listed returns the ids of the rows that a query lists. The indexes that begin with the
// account answer the query, so that only the rows of the page are read.
func (r Library) listed(account string, q library.Query) *bun.SelectQuery {
	rows := r.db.NewSelect().Model((*LibraryRow)(nil)).ModelTableExpr("library_rows AS l").Column("l.id")
	if q.ExternalID == "" {
		rows.Where("l.account = ?", account)
	} else { // without the account here, because SQLite would read all rows of the account
		rows.Where("l."+listedContent, account, bun.List(platformsOf(q)), q.ExternalID)
	}
	switch q.View {
	case library.All:
		rows.Where("l.kind <> 'failed'")
	case library.Starred:
		rows.Where("l.starred")
	}
	switch q.Platform {
	case "":
	case library.Batches:
		rows.Where("l.kind = 'batch'")
	default:
		rows.Where("l.platform = ? AND l.kind <> 'batch'", q.Platform)
	}
	if q.Lang != "" {
		rows.Where("l.lang = ?", q.Lang)
	}
	if q.Q != "" {
		folded := search.Fold(sqldb.Text(q.Q))
		rows.Where("? <> ''", folded) // no title contains a text of marks only, although each contains the empty text
		rows.Where("(l.folded_title LIKE ?0 ESCAPE '!' OR l.folded_channel LIKE ?0 ESCAPE '!')", search.Containing(folded))
	}
	if len(q.Tags) > 0 {
		rows.Where("?", labels.Tagged(account, q.Tags))
	}
	return rows
}

// listedContent is contentRows for several platforms, including batches.
const listedContent = `id IN (
	SELECT id FROM library_rows WHERE account = ?0 AND platform IN (?1) AND external_id = ?2 AND kind = 'transcript' UNION ALL
	SELECT id FROM library_rows WHERE account = ?0 AND platform IN (?1) AND external_id = ?2 AND kind <> 'transcript')`

// platformsOf returns the platforms on which a query looks for a content.
func platformsOf(q library.Query) []transcript.Platform {
	if q.Platform == "" || q.Platform == library.Batches {
		return transcript.Platforms()
	}
	return []transcript.Platform{transcript.Platform(q.Platform)}
}

// langs returns the languages of an account's texts, sorted. The index is searched once
// for each language, and not read completely.
func (r Library) langs(ctx context.Context, account string) ([]string, error) {
	langs := []string{}
	err := r.db.NewRaw(`WITH RECURSIVE next (lang) AS (
			SELECT min(lang) FROM library_rows WHERE account = ?0 AND kind = 'transcript'
			UNION ALL
			SELECT (SELECT min(l.lang) FROM library_rows AS l WHERE l.account = ?0 AND l.kind = 'transcript' AND l.lang > next.lang)
			FROM next WHERE next.lang IS NOT NULL)
		SELECT lang FROM next WHERE lang IS NOT NULL`, account).Scan(ctx, &langs)
	slices.Sort(langs)
	return langs, err
}

// itemRow is a row of the library with the rows to which it points.
type itemRow struct {
	Row  LibraryRow `bun:"embed:l_"`
	Text struct {
		SourceURL, Title, Channel, ThumbnailURL *string
		Source                                  transcript.Origin
		WordCount                               int
		Duration                                float64
	} `bun:"embed:t_"`
	Label     labels.Label `bun:"embed:b_"`
	Beginning []byte       // of a text without a title
	JobStatus string
}

// items reads the rows with the ids, in an order.
func (r Library) items(ctx context.Context, ids *bun.SelectQuery, sort library.Sort) ([]library.Item, error) {
	var rows []itemRow
	q := r.db.NewSelect().TableExpr("(?) AS page", ids).
		Join("JOIN library_rows AS l ON l.id = page.id").
		Join("LEFT JOIN transcripts AS t ON t.id = l.transcript_id").
		Join("LEFT JOIN labels AS b ON b.account = l.account AND b.platform = l.platform AND b.external_id = l.external_id").
		Join("LEFT JOIN texts AS x ON x.transcript_id = t.id AND t.title IS NULL").
		Join("LEFT JOIN jobs AS j ON j.id = l.job_id AND j.account = l.account")
	for _, c := range []string{
		"id", "account", "kind", "platform", "external_id", "lang", "languages", "job_id", "error_code", "source_url", "metadata", "starred", "created_at", "revision",
	} {
		q.ColumnExpr("l.? AS ?", bun.Ident(c), bun.Ident("l_"+c))
	}
	for _, c := range []string{"source_url", "title", "channel", "thumbnail_url", "source", "word_count", "duration"} {
		q.ColumnExpr("t.? AS ?", bun.Ident(c), bun.Ident("t_"+c))
	}
	q.ColumnExpr("b.title AS b_title, b.tags AS b_tags, substr(x.segments, 1, ?) AS beginning", labels.BytesOfBeginning)
	if err := q.ColumnExpr("j.status AS job_status").OrderExpr(orders[sort]).Scan(ctx, &rows); err != nil {
		return nil, err
	}
	items := make([]library.Item, len(rows))
	for i := range rows {
		items[i] = rows[i].item()
		rows[i].Label.Show(&items[i].Title, &items[i].Tags)
	}
	return items, r.fillBatches(ctx, items)
}

// item returns the row's own fields. The fields of a batch are added later.
func (r *itemRow) item() library.Item {
	l := &r.Row
	item := library.Item{
		Kind: l.Kind, ID: l.ID, Platform: l.Platform, ExternalID: l.ExternalID, Lang: l.Lang,
		Starred: l.Starred, CreatedAt: transcript.At(l.CreatedAt),
	}
	switch l.Kind {
	case library.KindTranscript:
		item.SourceURL, item.Title, item.Channel, item.ThumbnailURL = r.Text.SourceURL, r.Text.Title, r.Text.Channel, r.Text.ThumbnailURL
		item.Source, item.Words, item.DurationSec, item.Revision = &r.Text.Source, r.Text.WordCount, known(r.Text.Duration), l.Revision
		if item.Title == nil {
			item.Title = known(labels.FirstLine(r.Beginning))
		}
		return item
	case library.KindBatch:
		item.BatchID = l.ExternalID
	case library.KindPending:
		item.JobID, item.JobStatus = l.JobID, r.JobStatus
	case library.KindFailed:
		item.JobStatus, item.ErrorCode = string(transcript.JobFailed), &l.ErrorCode
		if r.JobStatus != "" { // the job still exists
			item.JobID = l.JobID
		}
	}
	m := l.Metadata
	item.SourceURL, item.Title, item.Channel, item.ThumbnailURL = known(l.SourceURL), known(m.Title), known(m.Channel), known(m.ThumbnailURL)
	item.DurationSec = known(m.Duration)
	return item
}

// known returns nil for an unknown value.
func known[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}

// fillBatches adds the state of the batches among items.
func (r Library) fillBatches(ctx context.Context, items []library.Item) error {
	var ids []string
	for _, item := range items {
		if item.Kind == library.KindBatch {
			ids = append(ids, item.BatchID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	states, err := Batches(r).states(ctx, r.db.NewSelect().Model((*Batch)(nil)).Where("b.id IN (?)", bun.List(ids)))
	if err != nil {
		return err
	}
	byID := map[string]*BatchState{}
	for i := range states {
		byID[states[i].ID] = &states[i]
	}
	for i := range items {
		if b := byID[items[i].BatchID]; b != nil {
			items[i].BatchStatus, items[i].ItemCount, items[i].FailedCount = string(b.Shown), &b.Counts.Total, &b.Counts.Failed
		}
	}
	return nil
}
