package e2e_test

import (
	"crypto/rand"
	"database/sql"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/store/s3store"
)

// The benchmarks of this file check what the service would need for ten million transcripts a day
// in one database, on tables as it might have them then. docs/operate/tune.md says how to divide
// them among services, which needs no change. The service cannot do the following yet:
//
//   - Bodies in the object store: texts would hold a key. The packed text is half of a text's bytes
//     in the database, and takes 1.5 to 3 times as long to store as an object: 4 ms instead of 2.
//   - Partitions by day for jobs, their events and the items of batches: the primary keys would hold
//     the day. Dropping a day takes a tenth of the time of deleting its rows, without a vacuum.
//   - Read replicas, for lists, searches and stored texts: requests of an account that has just
//     written would go to the primary for the first second. A text is there within 30 ms in 99 of
//     100 cases.

// bodyBytes is the size of the packed text of an hour, as BenchmarkCapacity finds it.
const bodyBytes = 23_000

// textsOfDay is how many texts a day of these benchmarks has.
const textsOfDay = 4_000

// BenchmarkDays compares two ways to remove the texts of a day: to drop the partition of that day,
// and to delete the rows of a table without partitions, with the vacuum that gives their room back.
func BenchmarkDays(b *testing.B) {
	row := ratio.Row{Name: "plan: dropping the partition of a day, of deleting its rows", AtMost: 0.5}
	if !ratio.Wanted(row.Name) {
		return
	}
	raw := storetest.SQL(b, storetest.Postgres(b))
	exec := func(statement string, values ...any) {
		_, err := raw.ExecContext(b.Context(), statement, values...)
		require.NoError(b, err)
	}
	exec(`CREATE TABLE whole (transcript_id text PRIMARY KEY, segments bytea NOT NULL, day date NOT NULL)`)
	exec(`CREATE INDEX whole_day ON whole (day)`)
	exec(`CREATE TABLE by_day (transcript_id text NOT NULL, segments bytea NOT NULL, day date NOT NULL, PRIMARY KEY (transcript_id, day)) PARTITION BY RANGE (day)`)
	const days = 7
	for day := range days {
		from := time.Date(2026, 1, 1+day, 0, 0, 0, 0, time.UTC)
		exec(fmt.Sprintf(`CREATE TABLE day_%d PARTITION OF by_day FOR VALUES FROM ('%s') TO ('%s')`, day, from.Format(time.DateOnly), from.AddDate(0, 0, 1).Format(time.DateOnly)))
		for _, table := range []string{"whole", "by_day"} {
			fillDay(b, raw, table, from)
		}
	}
	day := 0
	for b.Loop() {
		for range days - 1 {
			exec(`CHECKPOINT`) // writes what was inserted
			began := time.Now()
			exec(`DELETE FROM whole WHERE day = $1`, time.Date(2026, 1, 1+day, 0, 0, 0, 0, time.UTC))
			exec(`VACUUM whole`)
			deleted := time.Since(began)
			exec(`CHECKPOINT`)
			began = time.Now()
			exec(fmt.Sprintf(`DROP TABLE day_%d`, day))
			dropped := time.Since(began)
			day++
			row.Ratios = append(row.Ratios, float64(dropped)/float64(deleted))
			row.Note = fmt.Sprintf("%d texts: %v, %v", textsOfDay, dropped.Round(time.Millisecond), deleted.Round(time.Millisecond))
		}
		row.Report(b)
	}
}

// fillDay inserts the texts of a day, in transactions of 100.
func fillDay(b *testing.B, raw *sql.DB, table string, day time.Time) {
	b.Helper()
	for n := 0; n < textsOfDay; n += 100 {
		tx, err := raw.BeginTx(b.Context(), nil)
		require.NoError(b, err)
		for k := range 100 {
			_, err := tx.ExecContext(b.Context(), `INSERT INTO `+table+` VALUES ($1, $2, $3)`, fmt.Sprint(day.Unix(), n+k), body(b), day)
			require.NoError(b, err)
		}
		require.NoError(b, tx.Commit())
	}
}

// body is a packed text: bytes that cannot be packed again.
func body(b *testing.B) []byte {
	b.Helper()
	made := make([]byte, bodyBytes)
	_, err := rand.Read(made)
	require.NoError(b, err)
	return made
}

// BenchmarkBodies compares two ways to store the text of an hour: as an object of an object store,
// with a row that names the object, and as a row.
func BenchmarkBodies(b *testing.B) {
	row := ratio.Row{Name: "plan: storing a body as an object and a row, of storing it as a row"}
	if !ratio.Wanted(row.Name) {
		return
	}
	raw := storetest.SQL(b, storetest.Postgres(b))
	bucket, err := blobs.Open(b.Context(), blobs.Options{Place: storetest.S3(b), OpenBucket: s3store.Open})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, bucket.Close()) })
	_, err = raw.ExecContext(b.Context(), `CREATE TABLE bodies (id bigserial PRIMARY KEY, segments bytea, key text)`)
	require.NoError(b, err)
	for b.Loop() {
		for round := range 5 {
			began := time.Now()
			for range 200 {
				_, err := raw.ExecContext(b.Context(), `INSERT INTO bodies (segments) VALUES ($1)`, body(b))
				require.NoError(b, err)
			}
			rows := time.Since(began)
			began = time.Now()
			for n := range 200 {
				key := fmt.Sprintf("bodies/%d-%d", round, n)
				_, err := bucket.Put(b.Context(), key, func(w io.Writer) error {
					_, err := w.Write(body(b))
					return err
				})
				require.NoError(b, err)
				_, err = raw.ExecContext(b.Context(), `INSERT INTO bodies (key) VALUES ($1)`, key)
				require.NoError(b, err)
			}
			objects := time.Since(began)
			row.Ratios = append(row.Ratios, float64(objects)/float64(rows))
			row.Note = fmt.Sprintf("%v a body, %v", (objects / 200).Round(10*time.Microsecond), (rows / 200).Round(10*time.Microsecond))
		}
		row.Report(b)
	}
}

// BenchmarkReplica measures how long after its commit a text is on a read replica, while texts of an
// hour are stored one after the other. The slowest in a hundred counts, as a share of a second.
func BenchmarkReplica(b *testing.B) {
	row := ratio.Row{Name: "plan: p99 until a text is on a read replica, of a second", AtMost: 1, Samples: ratio.MinSamples}
	if !ratio.Wanted(row.Name) {
		return
	}
	o := storetest.Postgres(b)
	raw := storetest.SQL(b, o)
	_, err := raw.ExecContext(b.Context(), `CREATE TABLE bodies (id bigint PRIMARY KEY, segments bytea)`)
	require.NoError(b, err)
	replica := storetest.SQL(b, storetest.Replica(b, o))
	for b.Loop() {
		late := make([]time.Duration, ratio.MinSamples)
		for n := range late {
			_, err := raw.ExecContext(b.Context(), `INSERT INTO bodies VALUES ($1, $2)`, n, body(b))
			require.NoError(b, err)
			for began := time.Now(); !there(b, replica, n); {
				late[n] = time.Since(began)
			}
		}
		slices.Sort(late)
		p99 := late[len(late)*99/100]
		row.Ratios = []float64{p99.Seconds()}
		row.Note = fmt.Sprintf("p50 %v, p99 %v, the slowest %v", late[len(late)/2], p99, late[len(late)-1])
		row.Report(b)
	}
}

func there(b *testing.B, replica *sql.DB, id int) (found bool) {
	b.Helper()
	require.NoError(b, replica.QueryRowContext(b.Context(), `SELECT EXISTS (SELECT FROM bodies WHERE id = $1)`, id).Scan(&found))
	return found
}
