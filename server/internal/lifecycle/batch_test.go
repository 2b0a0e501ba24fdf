package lifecycle_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestMovesOfABatch(t *testing.T) {
	t.Parallel()
	all := []batch.Status{"", batch.Pending, batch.Processing, batch.Completed, batch.Failed, batch.Cancelled}
	may := map[batch.Status][]batch.Status{
		"":               {batch.Pending},
		batch.Pending:    {batch.Processing, batch.Completed, batch.Failed, batch.Cancelled},
		batch.Processing: {batch.Completed, batch.Failed, batch.Cancelled},
		batch.Completed:  {batch.Processing},
		batch.Failed:     {batch.Processing},
	}
	for _, from := range all {
		for _, to := range all {
			assert.Equal(t, slices.Contains(may[from], to), lifecycle.CanMoveBatch(from, to), "%q to %q", from, to)
		}
	}
}

func TestMovesOfAnItem(t *testing.T) {
	t.Parallel()
	all := []batch.ItemStatus{"", batch.ItemPending, batch.ItemProcessing, batch.ItemSuccess, batch.ItemFailed, batch.ItemSkipped}
	may := map[batch.ItemStatus][]batch.ItemStatus{
		"":                   {batch.ItemPending, batch.ItemFailed, batch.ItemSkipped},
		batch.ItemPending:    {batch.ItemProcessing, batch.ItemSuccess, batch.ItemFailed, batch.ItemSkipped},
		batch.ItemProcessing: {batch.ItemPending, batch.ItemSuccess, batch.ItemFailed},
		batch.ItemFailed:     {batch.ItemPending},
	}
	for _, from := range all {
		for _, to := range all {
			assert.Equal(t, slices.Contains(may[from], to), lifecycle.CanMoveItem(from, to), "%q to %q", from, to)
		}
	}
}

func TestBatchEnd(t *testing.T) {
	t.Parallel()
	for n, want := range map[batch.Counts]batch.Status{
		{}:                                batch.Completed, // an empty list
		{Total: 2}:                        batch.Completed, // all skipped
		{Total: 3, Success: 1, Failed: 2}: batch.Completed,
		{Total: 3, Failed: 1}:             batch.Failed,
	} {
		assert.Equal(t, want, lifecycle.BatchEnd(n), "%+v", n)
	}
}

func TestCheckBatch(t *testing.T) {
	t.Parallel()
	good := func() *batch.Job {
		return &batch.Job{
			Total: 7, Done: 5, Failed: 2, Status: batch.Processing,
			Counts: batch.Counts{Total: 7, Pending: 2, Success: 1, Failed: 2},
		}
	}
	assert.NoError(t, lifecycle.CheckBatch(good()))
	for name, spoil := range map[string]func(*batch.Job){
		"total":           func(j *batch.Job) { j.Total++ },
		"done":            func(j *batch.Job) { j.Done-- },
		"failed":          func(j *batch.Job) { j.Failed-- },
		"negative":        func(j *batch.Job) { j.Counts.Success, j.Done = -1, 3 },
		"more than total": func(j *batch.Job) { j.Counts.Pending, j.Done = 5, 2 },
		"ended early":     func(j *batch.Job) { j.Status = batch.Completed },
		"no state":        func(j *batch.Job) { j.Status = "" },
		"error":           func(j *batch.Job) { j.Error = transcript.Errorf(transcript.Unavailable, "Gone.") },
	} {
		job := good()
		spoil(job)
		assert.Error(t, lifecycle.CheckBatch(job), name)
	}
}
