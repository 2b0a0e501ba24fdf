package db_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

// TestStatementsReadLittle sends each statement of the store to full tables, and asks the
// database for its plan. A statement that reads a whole table, or all rows of an account, fails
// the test unless the list permitted gives a reason.
func TestStatementsReadLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("fills tables with 100,000 rows: make test-all")
	}
	t.Parallel()
	var mu sync.Mutex
	var all []*statements
	t.Cleanup(func() {
		if len(all) == 2 { // a database alone does not send all
			assert.Empty(t, unseen(t, all...), "calls that have sent no statement: walkStore must reach them")
		}
	})
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		sent, through := watch()
		s, err := db.OpenThrough(t.Context(), o, through)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		raw := open(t, o)
		fillTables(t, raw, o, 100_000)
		facts := "x''"
		if s.Shared() {
			facts = "CAST('' AS bytea)"
		}
		raw.exec(t, "INSERT INTO sounds (extraction_id, facts) SELECT id, "+facts+" FROM extractions ORDER BY id LIMIT 5000") // of a later migration
		addColumns(t, raw, o)
		p := newPlans(t, raw, o)

		walkStore(t, s)
		mu.Lock()
		all = append(all, sent)
		mu.Unlock()
		for _, statement := range sent.kept {
			for _, wide := range p.wide(t, statement) {
				what := statement.from + " " + wide.what()
				if _, is := permitted[what]; !is {
					t.Errorf("%s: %s\n%s\n", what, wide.how, statement.text)
				}
			}
		}
	})
}

// addColumns adds a column to each table, as a newer version may do while processes of this version
// go on. Their statements pass over such columns.
func addColumns(t *testing.T, raw database, o db.Options) {
	t.Helper()
	for _, table := range raw.tables(t, o) {
		raw.exec(t, "ALTER TABLE "+table+" ADD COLUMN of_a_newer_version text")
	}
}

// sendNothing are the functions that take a context and send no statement.
var sendNothing = map[string]bool{
	"Enter": true, "Unhurried": true, "Cause": true, "WithValue": true, "WithTimeout": true, "WithoutCancel": true, "WarnContext": true,
}

// elsewhere are the calls that send no statement of the store in this test, with the reason.
var elsewhere = map[string]string{
	"queue/begunruns.go during work":               workerRuns,
	"queue/freshheartbeat.go before run":           workerRuns,
	"queue/freeworkers.go during run":              workerRuns,
	"queue/steps.go Work do":                       workerRuns,
	"queue/freeworkers.go during wait":             noneFree,
	"queue/freeworkers.go wait SingleWaits":        noneFree,
	"queue/freeworkers.go wait InTx":               noneFree,
	"queue/freeworkers.go wait Requeue":            noneFree,
	"queue/runner.go wakeWaiting WakeWaiting":      "walkStore calls it itself",
	"queue/runner.go Start Leave":                  "only if River does not start; walkStore calls Leave",
	"queue/runner.go Start followTakes":            queues,
	"queue/runner.go Start leaveQueues":            queues,
	"queue/takenqueues.go followTakes leaveQueues": queues,
	"queue/runner.go Stop StopAndCancel":           queues,
	"db/ratewindows.go CountRequest Add":           "the statement has a context of its own: countRound",
	"db/idempotency.go earlier Release":            "only after the end of another process; walkStore calls Release",
	"db/migrate.go migrate changeTables":           newTables,
	"db/migrate.go changeTables GetVersions":       newTables,
	"db/migrate.go changeTables Up":                newTables,
	"db/migrate.go changeTables Migrate":           newTables,
	"queue/rivertables.go Migrate Migrate":         newTables,
	"queue/rivertables.go Migrate isIn":            newTables,
	"queue/rivertables.go Migrate RunInTx":         newTables,
	"queue/rivertables.go Migrate ExecContext":     newTables,
	"db/store.go Open OpenThrough":                 "the walk calls OpenThrough itself",
	"db/store.go OpenThrough Open":                 "it opens the place of the blobs",
	"db/store.go OpenThrough Explain":              "it puts an error into words",
	"wordindex/plan.go planOfVolumes blocksOf":     "it returns a function that reads",
	"db/migrate.go upToDate compatible":            newer,
	"db/compatibility.go compatible Scan":          newer,
	"db/accountrows.go LongSnapshot Exec":          "a setting of the transaction",
	"db/accountrows.go LongSnapshot read":          "the caller's own code; walkStore calls Rows",
	"db/examine.go Examine Examine":                examine,
	"db/pending.go Migrations Look":                dryRun,
	"db/pending.go Migrations read":                dryRun,
	"db/pending.go read doneIn":                    dryRun,
	"db/pending.go read compatible":                dryRun,
	"db/pending.go read Scan":                      dryRun,
	"db/pending.go doneIn HasTable":                dryRun,
	"db/pending.go doneIn Scan":                    dryRun,
	"db/examine.go Examine upToDate":               examine,

	"db/blobholds.go DeleteBlobs Delete":          stored,
	"db/blobholds.go HoldBlobs WithCancelCause":   "it makes a context",
	"db/blobholds.go beat Do":                     "only after five seconds, on the row of the primary key",
	"db/backup.go Dump Dump":                      whole,
	"db/backup.go Dump read":                      whole,
	"db/backup.go Load Load":                      whole,
	"db/backup.go Load Open":                      whole,
	"db/backup.go Load BeginAnew":                 whole,
	"db/backup.go OpenEmpty Empty":                whole,
	"db/backup.go OpenEmpty Open":                 whole,
	"db/librarysearch.go VerifyIndex Verify":      whole,
	"wordindex/verify.go Verify someTexts":        whole,
	"wordindex/verify.go Verify nextVolume":       whole,
	"wordindex/verify.go Verify namedVolumes":     whole,
	"wordindex/verify.go someTexts Snapshot":      whole,
	"wordindex/verify.go someTexts Scan":          whole,
	"wordindex/verify.go someTexts sumsOfTexts":   whole,
	"wordindex/verify.go sumsOfTexts Scan":        whole,
	"wordindex/verify.go nextVolume Snapshot":     whole,
	"wordindex/verify.go nextVolume Scan":         whole,
	"wordindex/verify.go nextVolume sumsOfVolume": whole,
	"wordindex/verify.go nextVolume rowsOf":       whole,
	"wordindex/verify.go sumsOfVolume Scan":       whole,
	"wordindex/verify.go sumsOfVolume blocksOf":   whole,
	"wordindex/verify.go rowsOf Scan":             whole,
	"wordindex/verify.go namedVolumes Scan":       whole,
	"db/migrate.go migrate upToDate":              examine,
}

const (
	workerRuns = "a worker's own code"
	noneFree   = "only if no worker is free; walkStore calls SingleWaits and Requeue"
	queues     = "statements of River"
	stored     = "blobs are files; walkStore calls NeedMedia"
	whole      = "a backup and a verification read everything; package backup tests them"
	newTables  = "statements that make tables"
	dryRun     = "it opens no store, and reads the tables of the migrations"
	newer      = "only on tables of a newer version, whose row says what they need"
	examine    = "it opens no store; walkStore calls Ping, which asks the same"
)

// small are the tables that do not grow with accounts, with the reason.
var small = map[string]string{
	"processes":        "a row for each process",
	"blob_holds":       "a row for each backup that is being made",
	"hooks":            "a row for each kind of hook",
	"measures":         "a row for each kind of blob",
	"removals":         "a row for each account that was removed within the last day",
	"asr_places":       "a row for each recording that is to be recognized now",
	"river_leader":     "a row for the process that leads",
	"river_migration":  "a row for each change of the tables",
	"goose_db_version": "a row for each change of the tables",
}

const (
	oneOfAccount = "an account has one row"
	tenOfAccount = "an account has at most ten"

	exported  = "all rows of an account are wanted, at most 200 in each statement"
	ofRemoved = "all rows of an account that is removed are wanted, at most 200 in each transaction"

	runsNow = "what runs now, by an index without what has ended"
	inQueue = "the rows of the queue: what waits, and what has ended in the last hour"
)

// permitted are the statements that may read much, with the reason: the method of the store, and
// the table of which it reads much.
var permitted = map[string]string{
	"Accounts.All accounts":           "the operator lists all accounts",
	"Keys.All keys":                   "the operator lists all keys",
	"Keys.OwnedBy keys of an account": "an account has few keys, and the list has all of them",
	"KeysTx.Count keys of an account": "an account has few keys",

	"Reader.NamedBlobs uploads":        "a backup reads all of them, some hundred rows at a time",
	"Reader.NamedBlobs chunks":         "a backup reads all of them, some hundred rows at a time",
	"Reader.NamedBlobs extractions":    runsNow,
	"Store.BeginAnew idempotency_keys": "once, after a database was restored: the keys of one day",

	"Batches.Page batches":                                  "the rows of the page, which has the name of the table in the statement",
	"Batches.Page batches of an account":                    "a page in the order of the index; it ends with the page",
	"Library.Page library_rows of an account":               "the number of rows that match, from a covering index; the rows of a page in the order of the index; the languages, each by one entry",
	"Library.Page labels of an account":                     "the labels of the account, once in a list of tags",
	"Library.All library_rows of an account":                "all rows are wanted",
	"Library.Search search_volumes of an account":           "an account has few volumes",
	"Store.BindTexts search_volumes of an account":          "an account has few volumes",
	"Store.PurgeTexts search_volumes of an account":         "an account has few volumes",
	"LibraryTx.Remove idempotency_keys of an account":       "the keys of one day, when an account removes a text of its own: another index would slow down each request with a key",
	"Uploads.Begin uploads of an account":                   "the uploads without an answer, by an index without the others: the pipeline permits 32",
	"Places.NextOutside jobs of an account":                 "the running claims of the account in the order of the index, to the first that waits outside",
	"follower.Follows.Create follow_accounts of an account": oneOfAccount,
	"follower.Follows.Delete follow_accounts of an account": oneOfAccount,
	"follower.Follows.Pause follow_accounts of an account":  oneOfAccount,
	"follower.Follows.Work follow_accounts of an account":   oneOfAccount,
	"follower.some[...] follow_accounts of an account":      oneOfAccount,
	"follower.Follows.List follows of an account":           "a page in the order of the index; it ends with the page",
	"follower.Follows.List follows":                         "a page in the order of the index; it ends with the page",
	"follower.Follows.Work follows":                         "the follows with entries to submit, in the order of the index, at most 32",
	"follower.some[...] follow_items":                       "the items that wait, by an index without the others",

	"Store.Status webhook_deliveries":                           "the first row of the index of those that wait",
	"delivery.Store.Create webhook_endpoints of an account":     tenOfAccount,
	"delivery.Store.JobsEnded webhook_endpoints of an account":  tenOfAccount,
	"delivery.Store.BatchEnded webhook_endpoints of an account": tenOfAccount,
	"delivery.Store.List webhook_endpoints of an account":       tenOfAccount,
	"delivery.Store.Sweep webhook_deliveries":                   "now and then, 500 rows that it removes; PostgreSQL reads the table only if most of it is old",
	"delivery.Store.Sweep webhook_rates":                        "now and then, the rows that it removes; PostgreSQL reads the table only if most of it is old",
	"delivery.Store.Sweep webhook_endpoints of an account":      "the deleted ones, which no account has",

	"shares.Shares.checkRoom shares of an account":      "an account has at most 1,000 links that have not ended",
	"textfeed.Feeds.Of text_feeds of an account":        "an account has one feed",
	"textfeed.Feeds.Delete text_feeds of an account":    "an account has one feed",
	"textfeed.Feeds.Entries library_rows of an account": "500 rows in the order of the index",
	"Works.NeedMedia extractions":                       "what runs now, by an index without what has ended; for blobs that are a day old",
	"Idempotency.freeAll idempotency_keys":              "once, when a process starts to serve a file",
	"Store.Serve idempotency_keys":                      "once, when a process starts to serve a file",
	"Recordings.Kept recordings of an account":          "the plan bounds the bytes that an account keeps",
	"Recordings.MediaKept extractions":                  runsNow,
	"Recordings.Promised extractions":                   runsNow,
	"retention.Old recordings":                          "it measures what all accounts keep, once an hour",
	"Reader.Stranded extractions":                       runsNow,
	"Reader.Stranded batches":                           runsNow,
	"Reader.Stranded batch_items":                       runsNow,
	"Reader.Stranded jobs":                              runsNow,
	"Reader.Stranded river_job":                         inQueue,
	"Tx.WorkStranded river_job":                         inQueue + "; only for work that Stranded has found",
	"Tx.BatchStranded river_job":                        inQueue + "; only for work that Stranded has found",
	"queue.Queue.SingleWaits river_job":                 "it ends with the first step; PostgreSQL reads the table only if it expects one at once",
	"Works.NeedMedia chunks":                            "chunks are of what runs now; for blobs that are a day old",
	"retention.Old jobs":                                "now and then; PostgreSQL may look for the extractions without jobs in one pass",
	"retention.Old rate_windows":                        "now and then; an index would slow down each request",
	"Store.Status river_job":                            inQueue,
	"Store.Status jobs":                                 runsNow,
	"joblist.Running jobs":                              runsNow,
	"joblist.Failed jobs":                               "the last 1,000 rows of an index, for an operator",

	"tables.Table.Rows keys of an account":                 exported,
	"tables.Table.Rows usage of an account":                exported,
	"tables.Table.Rows library_rows of an account":         exported,
	"tables.Table.Rows revisions of an account":            exported,
	"tables.Table.Rows labels of an account":               exported,
	"tables.Table.Rows transcripts of an account":          exported,
	"tables.Table.Rows recordings of an account":           exported,
	"tables.Table.Rows uploads of an account":              exported,
	"tables.Table.Rows jobs of an account":                 exported,
	"tables.Table.Rows job_events of an account":           exported,
	"tables.Table.Rows extractions of an account":          exported,
	"tables.Table.Rows batches of an account":              exported,
	"tables.Table.Rows batch_items of an account":          exported,
	"tables.Table.Rows follows of an account":              exported,
	"tables.Table.Rows follow_items of an account":         exported,
	"tables.Table.Rows webhook_endpoints of an account":    exported,
	"tables.Table.Rows webhook_deliveries of an account":   exported,
	"tables.Table.Rows shares of an account":               exported,
	"tables.Table.Rows text_feeds of an account":           exported,
	"tables.Table.Rows idempotency_keys of an account":     exported,
	"Reader.TextsOf library_rows of an account":            exported,
	"Reader.TextsOf transcripts of an account":             exported,
	"Reader.RecordingsOf recordings of an account":         exported,
	"retention.Expiry.Report recordings of an account":     "the plan bounds the bytes that an account keeps",
	"retention.Expiry.Report accounts":                     "each account has a plan",
	"retention.Expiry.Sweep accounts":                      "each account has a plan",
	"RemovalsTx.DeleteSome follow_lines of an account":     ofRemoved,
	"retention.Expiry.Report batches":                      runsNow,
	"retention.Expiry.Sweep batches":                       runsNow,
	"batcher.RemoveEnded library_rows of an account":       "the rows of batches of an account, by an index of their own",
	"batcher.Batches.RemoveAll library_rows of an account": "the rows of batches of an account that is removed, by an index of their own",
	"Store.InTx library_sizes of an account":               oneOfAccount,
	"RemovalsTx.DeleteSome keys of an account":             ofRemoved,
	"RemovalsTx.DeleteSome shares of an account":           ofRemoved,
	"RemovalsTx.DeleteSome text_feeds of an account":       ofRemoved,
	"RemovalsTx.DeleteSome search_volumes of an account":   ofRemoved,
	"RemovalsTx.DeleteSome library_rows of an account":     ofRemoved,
	"RemovalsTx.DeleteSome labels of an account":           ofRemoved,
	"RemovalsTx.DeleteSome transcripts of an account":      ofRemoved,
	"RemovalsTx.DeleteSome jobs of an account":             ofRemoved,
	"RemovalsTx.DeleteSome extractions of an account":      ofRemoved,
	"RemovalsTx.DeleteSome idempotency_keys of an account": ofRemoved,
	"RemovalsTx.DeleteSome usage of an account":            ofRemoved,
	"RemovalsTx.DeleteSome library_sizes of an account":    oneOfAccount,
	"RemovalsTx.DeleteSome follow_accounts of an account":  ofRemoved,
	"RemovalsTx.DeleteSome rate_windows of an account":     ofRemoved,
	"RemovalsTx.DeleteSome fair_shares":                    "once, when an account is removed; the few queues of the accounts that have worked lately",
	"queue.Tx.DeleteOf river_job":                          inQueue + "; once, when an account is removed",
	"RecordingsTx.DeleteSome recordings of an account":     ofRemoved,
	"Jobs.RunningOf jobs of an account":                    ofRemoved,
	"Library.Contents library_rows of an account":          ofRemoved,
	"Uploads.IDs uploads of an account":                    ofRemoved,
	"batcher.Batches.RemoveAll batches of an account":      ofRemoved,
	"retention.Old fair_shares":                            "now and then, the few queues of the accounts that have worked lately",
}
