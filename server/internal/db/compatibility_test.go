package db_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// madeBy tells for each of our migrations from the second on what the table compatibility holds
// after it, and the last migration of River in the programs of that version.
//
// A new migration gets a row. Its oldest grows only if programs before it cannot work on the new
// tables. A new migration of River also needs a migration of ours, even an empty one: only ours
// tell the programs before what they may use.
var madeBy = []struct {
	migration, oldest int64
	release           string
	river             int64
}{
	{2, 1, "v0.1.0", 8},
	{3, 1, "v0.1.0", 8},
	{4, 1, "v0.1.0", 8},
	{5, 1, "v0.1.0", 8},
	{6, 1, "v0.1.0", 8},
	{7, 1, "v0.1.0", 8},
	{8, 1, "v0.1.0", 8},
	{9, 1, "v0.1.0", 8},
	{10, 1, "v0.1.0", 8},
}

func TestEachMigrationTellsWhoMayWork(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		last, river := allMigrations(t, o)
		require.Equal(t, last, madeBy[len(madeBy)-1].migration, "madeBy has a row for each migration")
		require.Equal(t, river, madeBy[len(madeBy)-1].river, "River has a migration that none of ours announces")

		raw := open(t, o)
		goBack(t, raw, o, 1)
		for _, made := range madeBy {
			goForth(t, raw, o, made.migration)
			var oldest int64
			var release string
			require.NoError(t, raw.QueryRowContext(t.Context(), `SELECT oldest, release FROM compatibility`).Scan(&oldest, &release))
			assert.Equal(t, made.oldest, oldest, "migration %d", made.migration)
			assert.Equal(t, made.release, release, "migration %d", made.migration)
		}
	})
}

// TestTablesThatRuleOut lets a newer version say that older programs cannot work on its tables. A
// program that starts refuses the tables and changes nothing. A program that runs is not ready any
// more.
func TestTablesThatRuleOut(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		s := dbtest.Open(t, o)
		raw := open(t, o)
		last, _ := allMigrations(t, o)
		raw.exec(t, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (1000, true)`)
		raw.exec(t, `UPDATE compatibility SET oldest = 1000, release = 'v9.9.9'`)
		before := raw.dump(t, o)

		_, err := db.Open(t.Context(), o)
		require.ErrorIs(t, err, db.ErrNewer)
		assert.ErrorContains(t, err, "the tables are of version v9.9.9, and this program is too old for them")
		assert.ErrorContains(t, err, "install v9.9.9 or a later version, or restore the backup from before the upgrade")
		require.ErrorIs(t, s.Ping(t.Context()), db.ErrNewer)
		require.Equal(t, before, raw.dump(t, o))

		for _, found := range db.Examine(t.Context(), o) {
			if found.Name == "database" {
				assert.Contains(t, found.Found, "version v9.9.9")
				assert.Contains(t, found.Cure, "install v9.9.9")
			}
		}

		raw.exec(t, fmt.Sprintf(`UPDATE compatibility SET oldest = %d`, last))
		require.NoError(t, s.Ping(t.Context()))
		requireThere(t, dbtest.Open(t, o))
	})
}

// wholeRows are the tables whose rows the programs of the first migration read whole. Those
// programs refuse a column that they do not know.
var wholeRows = []string{
	"batch_items", "batches", "follow_entries", "follow_sources", "idempotency_keys", "keys", "shares", "transcripts", "uploads",
}

// TestTablesThatStayWhole adds no column to these tables while the programs of the first migration
// may work on them. A new migration puts such a column into a table of its own.
func TestTablesThatStayWhole(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		raw := open(t, o)
		var oldest int
		require.NoError(t, raw.QueryRowContext(t.Context(), `SELECT oldest FROM compatibility`).Scan(&oldest))
		if oldest > 1 {
			return
		}
		now := map[string][]string{}
		for _, table := range wholeRows {
			now[table] = raw.columnsOf(t, table)
		}
		goBack(t, raw, o, 1)
		first := open(t, o)
		for _, table := range wholeRows {
			assert.Equal(t, first.columnsOf(t, table), now[table], table)
		}
	})
}

// kindsOfSteps are the kinds that the last version works on, in queues that all versions read.
var kindsOfSteps = []string{
	"batch_hook", "captions", "expand", "feed", "follow_hook", "follows", "index", "job_hook", "playing_copy", "prepare",
	"publish", "question", "recognize", "start", "sweep", "webhook", "webhook_sweep",
}

// newKinds are those that the last version does not know. They stand in queues of their own.
var newKinds = []string{"speakers"}

// TestKindsOfSteps finds the kinds in the source. A process that takes a step of a kind that it does
// not know fails the step. So a step of a new kind gets a queue of its own, and stands here only
// after the next version.
func TestKindsOfSteps(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../*/*.go")
	require.NoError(t, err)
	var kinds []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, kind := range regexp.MustCompile(`\) Kind\(\) +string +\{ return "(\w+)" \}`).FindAllSubmatch(source, -1) {
			kinds = append(kinds, string(kind[1]))
		}
	}
	assert.ElementsMatch(t, slices.Concat(kindsOfSteps, newKinds), kinds)
}

// TestColumnsAddedMeanwhile adds a column to the tables of an open store, as a newer version does
// while the processes of this version go on. Prepared statements read the tables before and after.
func TestColumnsAddedMeanwhile(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		s := dbtest.Open(t, o)
		upload := &db.Upload{Account: "acme", Sum: []byte{1}}
		require.NoError(t, s.Uploads.Begin(t.Context(), upload, 1, db.Unfinished{Count: 10, Bytes: -1}))
		read := func() {
			t.Helper()
			_, err := s.Uploads.Take(t.Context(), "acme", upload.ID)
			require.NoError(t, err)
			_, err = s.Contents.Shelf(t.Context(), "", "acme", transcript.VideoSite, "v1")
			require.NoError(t, err)
		}
		read()
		raw := open(t, o)
		addColumns(t, raw, o)
		for range 20 { // more than there are connections
			read()
		}
	})
}
