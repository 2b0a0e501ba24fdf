package pipeline

// expandArgs is the step that lists what a batch is made from, and follows its short
// links.
type expandArgs struct {
	Batch string `json:"batch"`
}

func (expandArgs) Kind() string  { return "expand" }
func (expandArgs) Queue() string { return queueLists }

// feedArgs is the step that takes up items of a batch.
type feedArgs struct {
	Batch string `json:"batch"`
}

func (feedArgs) Kind() string  { return "feed" }
func (feedArgs) Queue() string { return queueBatches }

const (
	queueLists   = "lists"
	queueBatches = "batches"
)
