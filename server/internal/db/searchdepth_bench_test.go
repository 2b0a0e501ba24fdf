package db_test

import (
	"context"
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
	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/server/internal/wordindex"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var searchTexts = flag.Int("search-texts", 1000, "texts of an hour in the library of one account; 10000 texts have 10,000,000 segments")

const (
	segmentsOfText = 1000
	// longWait is how long a write may wait at most while texts are bound.
	longWait = 100 * time.Millisecond
	// removedTexts is how many texts the benchmark removes.
	removedTexts = 20
)

// deepQuery is a search with its goals: the time of the slowest in a hundred, which is meant for
// 10,000 texts, and the median time in the library, compared with a tenth of the library.
type deepQuery struct {
	name, q string
	goal    time.Duration // 0: none
	growth  float64
}

var deepQueries = []deepQuery{
	{"one word, the most common", spelled(0), 50 * time.Millisecond, 10},
	{"one word, the 100th", spelled(100), 50 * time.Millisecond, 10},
	{"one word, rare", spelled(20_000), 50 * time.Millisecond, 10},
	{"a word that is nowhere", "missing", 5 * time.Millisecond, 2},
	{"a phrase of two common words", `"` + spelled(0) + " " + spelled(1) + `"`, 150 * time.Millisecond, 12},
	{"two common words", spelled(0) + " " + spelled(1), 0, 12},
	{"two frequent words", spelled(200) + " " + spelled(300), 0, 12},
	{"a beginning", spelled(500)[:2] + "*", 0, 12},
}

// BenchmarkSearchDepth compares searches in a library of long texts with searches in a tenth of
// the library. The words of the texts are as often as words are in a language. It also compares
// the size of the index with the size of the texts, and removals of texts.
func BenchmarkSearchDepth(b *testing.B) {
	if !ratio.Wanted("depth of a search") {
		return
	}
	for _, database := range []struct {
		name string
		make func(testing.TB) db.Options
	}{{"sqlite", dbtest.SQLite}, {"postgres", dbtest.Postgres}} {
		b.Run(database.name, func(b *testing.B) {
			small, large := deepStore(b, database.make(b), *searchTexts/10), deepStore(b, database.make(b), *searchTexts)
			for _, query := range deepQueries {
				b.Run(query.name, func(b *testing.B) {
					for b.Loop() {
						query.report(b, database.name, small.Store, large.Store)
					}
				})
			}
			b.Run("size", func(b *testing.B) {
				for b.Loop() {
					ratio.Row{Name: "depth of a search: bytes of the index, of the text, " + database.name, Ratios: []float64{large.size}, AtMost: 1}.Report(b)
				}
			})
			b.Run("remove", func(b *testing.B) {
				saved, removed := large.save(b), large.remove(b)
				for b.Loop() {
					ratio.Row{
						Name: "depth of a search: removal of a text, to saving it, " + database.name, Ratios: []float64{float64(removed) / float64(saved)}, AtMost: 0.5,
						Note: fmt.Sprintf("medians: to save %v, to remove %v", saved, removed),
					}.Report(b)
				}
			})
			b.Run("wait", func(b *testing.B) { // for the volumes from which texts were removed
				for b.Loop() {
					longest, all := large.waitWhile(b, func(ctx context.Context) error { return large.PurgeTexts(ctx, "a0") })
					ratio.Row{
						Name: fmt.Sprintf("depth of a search: longest write while a volume is written, to %v, %s", longWait, database.name), Ratios: []float64{float64(longest) / float64(longWait)}, AtMost: 1,
						Note: fmt.Sprintf("%v, of %d writes", longest, all),
					}.Report(b)
				}
			})
		})
	}
}

func (q deepQuery) report(b *testing.B, database string, small, large *db.Store) {
	b.Helper()
	was, is := searchTimes(b, q.q, 100, small, large)
	ratio.Row{
		Name:   fmt.Sprintf("depth of a search: median in %d texts, in a tenth, %s/%s", *searchTexts, database, q.name),
		Ratios: []float64{float64(is.p50) / float64(was.p50)}, AtMost: q.growth,
		Note: fmt.Sprintf("%d found; a tenth %v, all %v", is.found, was.p50, is.p50),
	}.Report(b)
	if q.goal > 0 {
		_, is = searchTimes(b, q.q, 2000, large)
		ratio.Row{
			Name:   fmt.Sprintf("depth of a search: p99 in %d texts, to %v, %s/%s", *searchTexts, q.goal, database, q.name),
			Ratios: []float64{float64(is.p99) / float64(q.goal)}, AtMost: 1,
			Note: fmt.Sprintf("p50 %v p99 %v of 2000", is.p50, is.p99),
		}.Report(b)
	}
}

// waitWhile returns the longest time of a small write while do runs, and the number of writes.
func (d deep) waitWhile(b *testing.B, do func(ctx context.Context) error) (longest time.Duration, writes int) {
	b.Helper()
	done := make(chan error, 1)
	go func() { done <- do(b.Context()) }()
	for {
		select {
		case err := <-done:
			require.NoError(b, err)
			return longest, writes
		default:
		}
		began := time.Now()
		require.NoError(b, d.InTx(b.Context(), func(ctx context.Context, tx *db.Tx) error {
			key := library.Key{Platform: transcript.VideoSite, ExternalID: fmt.Sprintf("%08x-0000-7000-8000-000000000000", removedTexts+writes%10)}
			return tx.Library.Star(ctx, "a0", key, writes%2 == 0)
		}))
		longest, writes = max(longest, time.Since(began)), writes+1
	}
}

// spelled is the word of a rank: short for frequent words, as in English.
func spelled(rank int) string {
	const letters = "etaoinshrdlcumwfgypbvk"
	length := 7
	for i, below := range []int{8, 100, 400, 2000} {
		if rank < below {
			length = 2 + i
			break
		}
	}
	word := make([]byte, length)
	for i, n := 0, rank+1; i < length; i, n = i+1, n/22 {
		word[(i+rank)%length] = letters[(n+i*rank)%22]
	}
	return string(word)
}

// longText is a text of segments of nine words.
func longText(words *rand.Zipf) (segments []transcript.Segment, size int) {
	for at := range segmentsOfText {
		var text strings.Builder
		for range 9 {
			text.WriteString(spelled(int(words.Uint64())))
			text.WriteByte(' ')
		}
		size += text.Len()
		segments = append(segments, transcript.Segment{Text: text.String(), Start: float64(at)*3.6 + float64(words.Uint64()%300)/1000, Duration: 3})
	}
	return segments, size
}

type deep struct {
	*db.Store
	size float64 // of the index, to the size of the texts
}

// deepStore is a store of n texts in the library of one account.
func deepStore(b *testing.B, o db.Options, n int) deep {
	b.Helper()
	s, raw := dbtest.Open(b, o), open(b, o)
	words := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.3, 7, 200_000) //nolint:gosec // the same texts each time
	samples := make([]struct {
		blocks []search.Block
		json   []byte
	}, min(n, 997))
	bytes := 0
	for i := range samples {
		segments, size := longText(words)
		samples[i].blocks = search.Blocks(segments)
		if i < removedTexts {
			samples[i].json = packed.Pack(wire.AppendSegments(nil, segments)).Gzip()
		}
		bytes += size * n / len(samples)
	}
	for from := 0; from < n; from += 500 {
		tx, err := raw.BeginTx(b.Context(), nil)
		require.NoError(b, err)
		insert := func(q string, args ...any) {
			_, err := tx.ExecContext(b.Context(), q, args...)
			require.NoError(b, err)
		}
		for i := from; i < min(from+500, n); i++ {
			sample, id, at := samples[i%len(samples)], fmt.Sprintf("%08x-0000-7000-8000-000000000000", i), time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC)
			insert(`INSERT INTO transcripts (id, owner, platform, external_id, lang, source, status, duration, created_at, updated_at)
				VALUES ($1, '', 'video_site', $1, 'en', 'asr', 'ready', 0, $2, $2)`, id, at)
			insert(`INSERT INTO library_rows (id, account, kind, platform, external_id, lang, transcript_id, starred, created_at, updated_at)
				VALUES ($1, 'a0', 'transcript', 'video_site', $1, 'en', $1, false, $2, $2)`, id, at)
			if i < removedTexts {
				insert(`INSERT INTO texts (transcript_id, segments) VALUES ($1, $2)`, id, sample.json)
			}
			for _, block := range sample.blocks {
				insert(`INSERT INTO search_blocks (transcript_id, first_word, words, places) VALUES ($1, $2, $3, $4)`,
					id, block.First, append([]byte{}, block.Words...), append([]byte{}, block.Places...))
			}
		}
		require.NoError(b, tx.Commit())
		require.NoError(b, s.BindTexts(b.Context(), "a0", wordindex.Enough))
	}
	require.NoError(b, s.BindTexts(b.Context(), "a0", 1))
	return deep{s, float64(indexSize(b, raw, dialect(o))) / float64(bytes)}
}

// indexSize returns the bytes of all tables of the index, without what PostgreSQL has freed.
func indexSize(b *testing.B, raw database, kind goose.Dialect) (size int64) {
	b.Helper()
	for _, table := range []string{"search_blocks", "search_volumes", "search_volume_texts", "search_volume_blocks"} {
		q := "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = '" + table + "' OR name LIKE 'sqlite_autoindex_" + table + "_%'"
		if kind != goose.DialectSQLite3 {
			raw.exec(b, "VACUUM FULL ANALYZE "+table)
			q = "SELECT pg_total_relation_size('" + table + "')"
		}
		var n int64
		require.NoError(b, raw.QueryRowContext(b.Context(), q).Scan(&n))
		size += n
	}
	if kind == goose.DialectSQLite3 {
		raw.exec(b, "ANALYZE")
	}
	return size
}

// save returns the median time of saving a text.
func (d deep) save(b *testing.B) time.Duration {
	b.Helper()
	words := rand.NewZipf(rand.New(rand.NewPCG(3, 4)), 1.3, 7, 200_000) //nolint:gosec // the same texts each time
	return median(func(i int) {
		segments, _ := longText(words)
		text := said(fmt.Sprint("new", i), "en")
		text.SegmentsJSON = packed.Pack(wire.AppendSegments(nil, segments))
		keep(b, d.Store, "a0", text)
	})
}

// remove returns the median time of removing a text from the library.
func (d deep) remove(b *testing.B) time.Duration {
	b.Helper()
	return median(func(i int) {
		require.NoError(b, d.InTx(b.Context(), func(ctx context.Context, tx *db.Tx) error {
			return tx.Library.Remove(ctx, "a0", library.Key{Platform: transcript.VideoSite, ExternalID: fmt.Sprintf("%08x-0000-7000-8000-000000000000", i)})
		}))
	})
}

func median(do func(i int)) time.Duration {
	var times []time.Duration
	for i := range removedTexts {
		began := time.Now()
		do(i)
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	return times[len(times)/2]
}
