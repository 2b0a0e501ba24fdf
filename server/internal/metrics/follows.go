package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Look is the outcome of a look at an address that accounts follow.
type Look string

// The outcomes of looks.
const (
	FoundNew  Look = "new"
	Unchanged Look = "unchanged"
	Failed    Look = "failed"
)

// followed counts what follows do.
type followed struct {
	looks   counters[Look]
	items   prometheus.Counter
	failing prometheus.Counter
}

func newFollowed(f promauto.Factory) *followed {
	looks := f.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "follow_looks_total",
		Help: "Looks at addresses that accounts follow, by outcome: new, unchanged, failed.",
	}, []string{"outcome"})
	return &followed{
		looks: countersOf(looks, []Look{FoundNew, Unchanged, Failed}),
		items: f.NewCounter(prometheus.CounterOpts{
			Namespace: namespace, Name: "follow_items_total",
			Help: "New items of follows that were submitted.",
		}),
		failing: f.NewCounter(prometheus.CounterOpts{
			Namespace: namespace, Name: "follow_sources_failed_total",
			Help: "Followed addresses whose looks have failed for days. Each address counts once until a look succeeds.",
		}),
	}
}

// FollowLooked counts a look at an address that accounts follow.
func (f *followed) FollowLooked(outcome Look) { f.looks.inc(outcome) }

// FollowTaken counts a new item of a follow that was submitted.
func (f *followed) FollowTaken() { f.items.Inc() }

// FollowFailing counts an address that has begun to count as failing.
func (f *followed) FollowFailing() { f.failing.Inc() }
