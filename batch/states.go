package batch

import (
	"errors"
	"fmt"
)

// CanMove reports whether a batch may go from one state to another. The empty state is
// that before it was made.
func (s Status) CanMove(to Status) bool {
	switch s {
	case "":
		return to == Pending
	case Pending:
		return to == Processing || to.Terminal()
	case Processing:
		return to.Terminal()
	case Completed, Failed: // items are retried
		return to == Processing
	}
	return false
}

// CanMove reports whether an item may go from one state to another. The empty state is
// that before it was listed; what names no content, or is listed twice, begins at its
// end.
func (s ItemStatus) CanMove(to ItemStatus) bool {
	switch s {
	case "":
		return to == ItemPending || to == ItemFailed || to == ItemSkipped
	case ItemPending: // the cache may have the text, or it may be refused
		return to == ItemProcessing || to.Terminal()
	case ItemProcessing: // back to the queue, if a worker is lost or must wait
		return to == ItemPending || to == ItemSuccess || to == ItemFailed
	case ItemFailed: // it is retried
		return to == ItemPending
	}
	return false
}

// Outcome is how a batch ends whose items have all ended: it has failed where some
// failed and none succeeded.
func (n Counts) Outcome() Status {
	if n.Success == 0 && n.Failed > 0 {
		return Failed
	}
	return Completed
}

// Skipped is how many items were skipped.
func (n Counts) Skipped() int { return n.Total - n.Pending - n.Success - n.Failed }

// Check returns an error if the members of the batch contradict each other: its counts,
// or its counts and its state.
func (j *Job) Check() error {
	n := j.Counts
	var faults []error
	must := func(ok bool, fault string) {
		if !ok {
			faults = append(faults, fmt.Errorf("batch: %s: total %d, done %d, failed %d, %+v, %s", fault, j.Total, j.Done, j.Failed, n, j.Status))
		}
	}
	must(n.Total >= 0 && n.Pending >= 0 && n.Success >= 0 && n.Failed >= 0 && n.Skipped() >= 0, "a count is negative")
	must(j.Total == n.Total, "two totals")
	must(j.Failed == n.Failed, "two numbers of failed items")
	must(j.Done == n.Success+n.Failed+n.Skipped(), "done are not the items that have ended")
	switch j.Status {
	case Pending, Processing, Cancelled:
	case Completed, Failed:
		must(n.Pending == 0, "ended before its items")
		must(j.Error != nil || j.Status == n.Outcome(), "ended otherwise than its items")
	default:
		must(false, "no state")
	}
	must(j.Error == nil || j.Status == Failed && n.Total == 0, "an error of a batch with items")
	return errors.Join(faults...)
}
