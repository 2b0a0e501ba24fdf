package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// tools counts the calls of tools by language models.
type tools struct{ calls *prometheus.CounterVec }

func newTools(f promauto.Factory) *tools {
	return &tools{f.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "mcp_calls_total",
		Help: "Calls of the tools at `/mcp`. `answered`: the call has its answer, or a job. `refused`: the answer says what is wrong.",
	}, []string{"tool", "outcome"})}
}

// Tool counts the calls of one tool.
type Tool struct{ answered, refused prometheus.Counter }

// Tool returns the counter of a tool. The name comes from the table of tools.
func (t *tools) Tool(name string) Tool {
	return Tool{t.calls.WithLabelValues(name, "answered"), t.calls.WithLabelValues(name, "refused")}
}

// Called counts a call. A call that has an error as its answer is refused.
func (t Tool) Called(refused bool) {
	if refused {
		t.refused.Inc()
		return
	}
	t.answered.Inc()
}
