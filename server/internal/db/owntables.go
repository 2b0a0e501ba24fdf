package db

import (
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
	"github.com/transcriptkit/transcriptkit/server/internal/wordindex"
)

// OwnTables declares the tables of this package, and those of packages on which it works.
func OwnTables() []tables.Table {
	id, expired := []string{"id"}, func(age time.Duration, rows string) *tables.Old { return &tables.Old{Rows: rows, Age: tables.For(age)} }
	all := []tables.Table{
		{
			Name: "accounts", Key: id, Owner: tables.OwnedBy("id"), With: "removals",
			Export: &tables.Export{Bool: []string{"suspended"}},
		},
		{Name: "removals", Key: []string{"account"}}, // retention.Removals begins and ends with these tables
		{
			Name: "keys", Key: id, Owner: tables.OwnedBy("account"), Removal: &tables.Removal{Turn: tables.Access},
			Export: &tables.Export{Omit: []string{"hash"}, JSON: []string{"scopes"}},
		},
		{
			Name: "recordings", Key: []string{"account", "external_id"}, Owner: tables.OwnedBy("account"), Blobs: blobsOfRecordings,
			Export:  &tables.Export{Omit: []string{"media_key", "copy_key"}},
			Removal: &tables.Removal{Turn: tables.Results, ByFeature: true},
		},
		{
			Name: "uploads", Key: id, Owner: tables.OwnedBy("account"), Blobs: blobsOfUploads,
			Export:  &tables.Export{Omit: []string{"sum", "digest"}, Bool: []string{"complete"}},
			Removal: &tables.Removal{Turn: tables.Sources, ByFeature: true}, Old: expired(UploadAge, "seen_at < (SELECT ?0)"),
		},
		{
			Name: "idempotency_keys", Key: []string{"account", "method", "route", "key"}, Owner: tables.OwnedBy("account"),
			Export:  &tables.Export{Omit: []string{"fingerprint", "token"}, Bool: []string{"done"}},
			Removal: &tables.Removal{Turn: tables.Counts},
			// PostgreSQL uses an index only for a time that a separate SELECT reads once.
			Old: &tables.Old{Rows: "taken_at < (SELECT ?0)", Age: func(k tables.Kept) time.Duration { return k.Answers }},
		},
		{
			Name: "usage", Key: []string{"account", "period"}, Owner: tables.OwnedBy("account"),
			Export: &tables.Export{}, Removal: &tables.Removal{Turn: tables.Counts},
		},
		{
			Name: "rate_windows", Key: []string{"account", "class", "seconds"}, OnPostgres: true,
			Owner:   "t.account IN (?0, ?0 || chr(1))", // see keyless
			Removal: &tables.Removal{Turn: tables.Counts},
			Old:     &tables.Old{Rows: "began + 2 * seconds < extract(epoch FROM clock_timestamp())"}, // clocks do not step back that far
		},
		{
			Name: "contents", Key: []string{"platform", "external_id"},
			Old: expired(contentAge, `asked_at < (SELECT ?0) AND NOT EXISTS (SELECT 1 FROM transcripts AS t
				WHERE t.owner = '' AND t.platform = contents.platform AND t.external_id = contents.external_id)`),
		},
		{Name: "blob_holds", Key: id, Old: expired(0, "until < (SELECT ?0)"), Lease: true},
		{Name: "measures", Key: []string{"name"}},
		{Name: "compatibility", Key: []string{"one"}},
	}
	return slices.Concat(all, wordindex.Tables(), tablesOfTexts(), tablesOfJobs(), queue.Tables())
}

// tablesOfTexts declares the tables of libraries and texts. The sweep deletes texts before the jobs
// that they name.
func tablesOfTexts() []tables.Table {
	id := []string{"id"}
	return []tables.Table{
		{
			Name: "library_rows", Key: id, Owner: tables.OwnedBy("account"),
			Export: &tables.Export{
				Order: []string{"created_at", "id"}, Omit: []string{"folded_title", "folded_channel", "volume"},
				JSON: []string{"metadata"}, Bool: []string{"edited", "starred"},
			},
			Removal: &tables.Removal{Turn: tables.Results}, // what Library.Remove leaves
		},
		{
			Name: "transcripts", Key: id, Owner: ownerAlone,
			Export: &tables.Export{Omit: []string{"prompt_sum"}, JSON: []string{"metadata"}, Bool: []string{"edited"}},
			Removal: &tables.Removal{
				Turn: tables.Results,
				Rows: "t.owner = ?0 AND NOT EXISTS (SELECT 1 FROM library_rows AS l WHERE l.transcript_id = t.id)",
			},
			Old: &tables.Old{
				Rows: `owner <> '' AND source <> 'manual' AND id IN (SELECT transcript_id FROM jobs WHERE ended_at < ?1)` + InNoLibrary,
				Age:  tables.ForJobs,
			},
		},
		{Name: "texts", Key: []string{"transcript_id"}, With: "transcripts"},
	}
}

// tablesOfJobs declares the tables of jobs and of the work for which they wait.
func tablesOfJobs() []tables.Table {
	id := []string{"id"}
	// Each half of the query has its own index.
	const jobsOf = `(SELECT id FROM jobs WHERE account = ?0 AND ended_at IS NOT NULL UNION ALL SELECT id FROM jobs WHERE account = ?0 AND ` + running + `)`
	return []tables.Table{
		{
			Name: "jobs", Key: id, Owner: "t.id IN " + jobsOf,
			Export: &tables.Export{
				JSON: []string{"progress", "error", "last_error", "limits"},
				Bool: []string{"asked", "batched", "cached", "omit_timestamp", "send_metadata", "stale"},
			},
			Removal: &tables.Removal{Turn: tables.Results, Rows: "t.account = ?0 AND t.ended_at IS NOT NULL"},
			Old:     &tables.Old{Rows: "ended_at < ?1", Age: tables.ForJobs},
		},
		{
			Name: "job_events", Key: []string{"job_id", "sequence"}, Owner: "t.job_id IN " + jobsOf, With: "jobs",
			Export: &tables.Export{JSON: []string{"last_error"}},
		},
		{
			Name: "extractions", Key: id, Owner: ownerAlone, Blobs: blobsOfWorks,
			Export: &tables.Export{Omit: []string{"media_key", "audio_ended_at"}, JSON: []string{"metadata", "tried", "last_error", "listening"}},
			Removal: &tables.Removal{Turn: tables.Results, ByFeature: true, Rows: ownerAlone + ` AND t.status NOT IN ('pending', 'processing')
				AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.extraction_id = t.id)`},
			Old: &tables.Old{
				Rows: `status NOT IN ('pending', 'processing') AND updated_at < ?1 AND audio_ended_at IS NULL
					AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.extraction_id = extractions.id)`,
				Age: tables.ForJobs,
			},
		},
		{Name: "chunks", Key: []string{"extraction_id", "n"}, With: "extractions", Blobs: blobsOfChunks},
		{Name: "sounds", Key: []string{"extraction_id"}, With: "extractions"},
		{Name: "speakers", Key: []string{"extraction_id", "name"}, With: "extractions"},
		{Name: "asr_places", Key: []string{"extraction_id"}, With: "extractions"},
	}
}

// ownerAlone is the condition of texts and work that belong to one account: those without an
// owner are shared.
const ownerAlone = "t.owner = ?0 AND t.owner <> ''"
