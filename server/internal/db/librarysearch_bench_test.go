package db_test

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/server/internal/wordindex"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var searchRows = flag.Int("search-rows", 1_000_000, "rows of all libraries together, of which one has 10,000")

// BenchmarkSearch compares searches of an account that has saved 10,000 texts and is
// alone with the same among the rows of others, and fails where the median takes more than twice
// as long. BenchmarkSearchDepth has the slowest in a hundred. The texts have 50 words, as often as words are.
func BenchmarkSearch(b *testing.B) {
	if !ratio.Wanted("median of a search") {
		return
	}
	queries := []struct{ name, q string }{
		{"common", "w0"}, {"frequent", "w10"}, {"rare", "w1000"}, {"none", "nothing"}, {"words", "w0 w3"}, {"phrase", `"w0 w1"`}, {"prefix", "w12*"},
	}
	for _, database := range []struct {
		name string
		make func(testing.TB) db.Options
	}{{"sqlite", dbtest.SQLite}, {"postgres", dbtest.Postgres}} {
		b.Run(database.name, func(b *testing.B) {
			alone, among := searchStore(b, database.make(b), 10_000), searchStore(b, database.make(b), *searchRows)
			for _, query := range queries {
				b.Run(query.name, func(b *testing.B) {
					for b.Loop() {
						was, is := searchTimes(b, query.q, 41, alone, among)
						ratio.Row{
							Name:   fmt.Sprintf("median of a search among %d rows, of 10000 alone, %s/%s", *searchRows, database.name, query.name),
							Ratios: []float64{float64(is.p50) / float64(was.p50)}, AtMost: 2,
							Note: fmt.Sprintf("%d found; alone %v, among others %v", is.found, was.p50, is.p50),
						}.Report(b)
					}
				})
			}
		})
	}
}

type searchTime struct {
	found    int
	p50, p99 time.Duration
}

// searchTimes searches the stores n times in turn, so that what else the machine does falls on all.
// It returns the times in the first store, and in the last.
func searchTimes(b *testing.B, q string, n int, stores ...*db.Store) (first, last searchTime) {
	b.Helper()
	all := make([]searchTime, len(stores))
	times := make([][]time.Duration, len(stores))
	for range n {
		for i, s := range stores {
			began := time.Now()
			found, err := s.Library.Search(b.Context(), db.Search{Account: "a0", Query: search.Parse(q), N: 20})
			times[i] = append(times[i], time.Since(began))
			require.NoError(b, err)
			all[i].found = len(found)
		}
	}
	for i, t := range times {
		slices.Sort(t)
		all[i].p50, all[i].p99 = t[len(t)/2], t[len(t)*99/100]
	}
	return all[0], all[len(all)-1]
}

// searchStore is a store of n rows in the libraries of accounts with 10,000 each, in turn.
func searchStore(b *testing.B, o db.Options, n int) *db.Store {
	b.Helper()
	s := dbtest.Open(b, o)
	raw := open(b, o)
	const samples = 997                                                // prime, so that every account has all of them
	words := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.1, 4, 20_000) //nolint:gosec // the same texts each time
	raw.exec(b, `CREATE TABLE samples AS SELECT transcript_id AS id, first_word, words, places FROM search_blocks`)
	for i := range samples {
		var segments []transcript.Segment
		for at := range 5 {
			var text strings.Builder
			for range 10 {
				fmt.Fprintf(&text, "w%d ", words.Uint64())
			}
			segments = append(segments, transcript.Segment{Text: text.String(), Start: float64(at) * 4, Duration: 4})
		}
		for _, block := range search.Blocks(segments) {
			_, err := raw.ExecContext(b.Context(), `INSERT INTO samples VALUES ($1, $2, $3, $4)`, fmt.Sprint(i), block.First, block.Words, block.Places)
			require.NoError(b, err)
		}
	}
	series, id, at := `generate_series(0, %d) AS n`, `lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000'`, `timestamp '2026-01-01' + n * interval '1 second'`
	if dialect(o) == goose.DialectSQLite3 {
		series = `(WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s)`
		id, at = `printf('%08x-0000-7000-8000-000000000000', n)`, `datetime('2026-01-01', n || ' seconds')`
	}
	series = fmt.Sprintf(series, n-1)
	accounts := cmp.Or(n/10_000, 1)
	raw.exec(b, fmt.Sprintf(`INSERT INTO transcripts (id, owner, platform, external_id, lang, source, status, duration, created_at, updated_at)
		SELECT %[1]s, '', 'video_site', n, 'en', 'asr', 'ready', 0, %[2]s, %[2]s FROM %[3]s`, id, at, series))
	raw.exec(b, fmt.Sprintf(`INSERT INTO library_rows (id, account, kind, platform, external_id, lang, transcript_id, starred, created_at, updated_at)
		SELECT %[1]s, 'a' || (n %% %[2]d), 'transcript', 'video_site', n, 'en', %[1]s, false, %[3]s, %[3]s FROM %[4]s`, id, accounts, at, series))
	raw.exec(b, fmt.Sprintf(`INSERT INTO search_blocks (transcript_id, first_word, words, places)
		SELECT %s, first_word, words, places FROM %s JOIN samples ON samples.id = CAST(n %% %d AS text) ORDER BY n`, id, series, samples))
	require.NoError(b, s.BindTexts(b.Context(), "a0", wordindex.Enough))
	if dialect(o) == goose.DialectPostgres {
		raw.exec(b, `VACUUM ANALYZE`) // as its own housekeeping does; SQLite has none
	}
	return s
}
