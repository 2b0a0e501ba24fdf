package lifecycle

import (
	"errors"
	"fmt"

	"github.com/transcriptkit/transcriptkit/batch"
)

// CanMoveBatch reports whether a batch may go from one state to another. The empty state is the
// state of a batch that does not exist yet.
func CanMoveBatch(from, to batch.Status) bool {
	switch from {
	case "":
		return to == batch.Pending
	case batch.Pending:
		return to == batch.Processing || to.Terminal()
	case batch.Processing:
		return to.Terminal()
	case batch.Completed, batch.Failed: // items are retried
		return to == batch.Processing
	}
	return false
}

// CanMoveItem reports whether an item of a batch may go from one state to another. The empty
// state is the state of an item that is not listed yet. An item that names no content, or that
// the batch already has, begins at its end.
func CanMoveItem(from, to batch.ItemStatus) bool {
	switch from {
	case "":
		return to == batch.ItemPending || to == batch.ItemFailed || to == batch.ItemSkipped
	case batch.ItemPending: // the cache may have the text, or the service may refuse the item
		return to == batch.ItemProcessing || to.Terminal()
	case batch.ItemProcessing: // back to the queue, if a worker is lost or must wait
		return to == batch.ItemPending || to == batch.ItemSuccess || to == batch.ItemFailed
	case batch.ItemFailed: // the item is retried
		return to == batch.ItemPending
	}
	return false
}

// BatchEnd returns the state of a batch whose items have all ended. The batch has failed if
// items have failed and no item has succeeded.
func BatchEnd(n batch.Counts) batch.Status {
	if n.Success == 0 && n.Failed > 0 {
		return batch.Failed
	}
	return batch.Completed
}

// CheckBatch returns an error if the members of a batch contradict each other: its counts, or
// its counts and its state.
func CheckBatch(j *batch.Job) error {
	n := j.Counts
	var faults []error
	must := func(ok bool, fault string) {
		if !ok {
			faults = append(faults, fmt.Errorf("lifecycle: %s: total %d, done %d, failed %d, %+v, %s", fault, j.Total, j.Done, j.Failed, n, j.Status))
		}
	}
	must(n.Total >= 0 && n.Pending >= 0 && n.Success >= 0 && n.Failed >= 0 && n.Skipped() >= 0, "a count is negative")
	must(j.Total == n.Total, "two totals")
	must(j.Failed == n.Failed, "two numbers of failed items")
	must(j.Done == n.Success+n.Failed+n.Skipped(), "done are not the items that have ended")
	switch j.Status {
	case batch.Pending, batch.Processing, batch.Cancelled:
	case batch.Completed, batch.Failed:
		must(n.Pending == 0, "ended before its items")
		must(j.Error != nil || j.Status == BatchEnd(n), "ended otherwise than its items")
	default:
		must(false, "no state")
	}
	must(j.Error == nil || j.Status == batch.Failed && n.Total == 0, "an error of a batch with items")
	return errors.Join(faults...)
}
