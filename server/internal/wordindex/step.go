package wordindex

// Queue is the queue of Step.
const Queue = "index"

// Step is the work of the queue for the index of an account.
type Step struct {
	Account string `json:"account"`
	Gone    bool   `json:"gone,omitempty"` // Purge, and not Bind
}

// Kind is the kind of the step.
func (Step) Kind() string { return "index" }

// Queue is the queue in which the step waits.
func (Step) Queue() string { return Queue }
