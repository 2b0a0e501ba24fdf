package db_test

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

var libraryRows = flag.Int("library-rows", 1_000_000, "rows of all libraries together, of which one has 10,000")

// BenchmarkLibrary compares lists of an account that has 10,000 rows and is alone with
// the same among the rows of others, which lie between its own, and fails where
// the slowest in a hundred take more than twice as long. TestStatementsReadLittle holds the
// plans of the other lists.
func BenchmarkLibrary(b *testing.B) {
	if !ratio.Wanted("p99 of a list") {
		return
	}
	lists := []struct {
		name   string
		change func(*library.Query)
	}{
		{"first page", func(*library.Query) {}},
		{"deep", func(q *library.Query) { q.Page = 400 }},
		{"starred", func(q *library.Query) { q.View = library.Starred }},
		{"q by title", func(q *library.Query) { q.Q, q.Sort = "talk 12", library.Title }},
	}
	for _, database := range []struct {
		name string
		make func(testing.TB) db.Options
	}{{"sqlite", dbtest.SQLite}, {"postgres", dbtest.Postgres}} {
		b.Run(database.name, func(b *testing.B) {
			alone, among := libraryStore(b, database.make(b), 10_000), libraryStore(b, database.make(b), *libraryRows)
			for _, list := range lists {
				q := library.Query{View: library.All, Sort: library.Recent, Page: 1, PageSize: 24}
				list.change(&q)
				b.Run(list.name, func(b *testing.B) {
					for b.Loop() {
						was, is := listTimes(b, q, alone, among)
						ratio.Row{
							Name:   fmt.Sprintf("p99 of a list among %d rows, of 10000 alone, %s/%s", *libraryRows, database.name, list.name),
							Ratios: []float64{float64(is.p99) / float64(was.p99)}, AtMost: 2, Samples: samplesOfList,
							Note: fmt.Sprintf("%d found; alone p50 %v p99 %v, among others p50 %v p99 %v", is.found, was.p50, was.p99, is.p50, is.p99),
						}.Report(b)
					}
				})
			}
		})
	}
}

const samplesOfList = ratio.MinSamples

// listTimes lists both libraries in turn, so that what else the machine does falls on
// both.
func listTimes(b *testing.B, q library.Query, alone, among *db.Store) (was, is searchTime) {
	b.Helper()
	const warm = 20
	var times [2][]time.Duration
	for round := range warm + samplesOfList {
		for i, s := range []*db.Store{alone, among} {
			began := time.Now()
			page, err := s.Library.Page(b.Context(), "a0", q)
			took := time.Since(began)
			require.NoError(b, err)
			if round >= warm {
				times[i] = append(times[i], took)
			}
			is.found = page.Total
		}
	}
	for i, t := range []*searchTime{&was, &is} {
		slices.Sort(times[i])
		t.p50, t.p99 = times[i][len(times[i])/2], times[i][len(times[i])*99/100]
	}
	return was, is
}

// libraryStore is a store of n rows in the libraries of accounts with 10,000 each, in
// turn. One in ten has failed, is on another platform, in German, or has a star.
func libraryStore(b *testing.B, o db.Options, n int) *db.Store {
	b.Helper()
	s := dbtest.Open(b, o)
	raw := open(b, o)
	series, id, at := `generate_series(0, %d) AS n`, `lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000'`, `timestamp '2026-01-01' + n * interval '1 second'`
	if dialect(o) == goose.DialectSQLite3 {
		series = `(WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s)`
		id, at = `printf('%08x-0000-7000-8000-000000000000', n)`, `datetime('2026-01-01', n || ' seconds')`
	}
	series = fmt.Sprintf(series, n-1)
	accounts := cmp.Or(n/10_000, 1)
	raw.exec(b, fmt.Sprintf(`INSERT INTO transcripts (id, owner, platform, external_id, lang, source, status, title, duration, created_at, updated_at)
		SELECT %[1]s, '', 'video_site', n, 'en', 'asr', 'ready', 'Talk', 0, %[2]s, %[2]s FROM %[3]s`, id, at, series))
	of := fmt.Sprintf("(n / %d)", accounts) // which row of its account it is
	raw.exec(b, fmt.Sprintf(`INSERT INTO library_rows (id, account, kind, platform, external_id, lang, transcript_id, error_code, job_id,
			folded_title, folded_channel, creator, starred, created_at, updated_at)
		SELECT %[1]s, 'a' || (n %% %[2]d), CASE WHEN %[5]s %% 10 = 1 THEN 'failed' ELSE 'transcript' END,
			CASE WHEN %[5]s %% 10 = 2 THEN 'photo_site' ELSE 'video_site' END, n, CASE WHEN %[5]s %% 10 = 3 THEN 'de' ELSE 'en' END,
			CASE WHEN %[5]s %% 10 = 1 THEN NULL ELSE %[1]s END, CASE WHEN %[5]s %% 10 = 1 THEN 'UNAVAILABLE' END, NULL,
			'a talk ' || (%[5]s * 7919 %% 10000) || ' about something that takes a line of text', 'channel ' || (%[5]s %% 50), '@c' || (%[5]s %% 50),
			%[5]s %% 10 = 4, %[3]s, %[3]s FROM %[4]s`, id, accounts, at, series, of))
	if dialect(o) == goose.DialectPostgres {
		raw.exec(b, `VACUUM ANALYZE`) // as its own housekeeping does; SQLite has none
	}
	return s
}
