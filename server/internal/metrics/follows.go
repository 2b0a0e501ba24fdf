package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Look is the result of a check of an address that accounts follow.
type Look string

// The results of checks.
const (
	FoundNew  Look = "new"
	Unchanged Look = "unchanged"
	Failed    Look = "failed"
)

// followed counts the events of follows.
type followed struct {
	looks   counters[Look]
	items   prometheus.Counter
	failing prometheus.Counter
}

func newFollowed(f promauto.Factory) *followed {
	looks := f.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "follow_looks_total",
		Help: "Looks at the addresses that accounts follow. `new`: the look has found items. `unchanged`: it has found none. `failed`: the address could not be read.",
	}, []string{"outcome"})
	return &followed{
		looks: countersOf(looks, []Look{FoundNew, Unchanged, Failed}),
		items: f.NewCounter(prometheus.CounterOpts{
			Namespace: namespace, Name: "follow_items_total",
			Help: "New items of follows that the service has submitted as jobs, or answered from the cache.",
		}),
		failing: f.NewCounter(prometheus.CounterOpts{
			Namespace: namespace, Name: "follow_sources_failed_total",
			Help: "Followed addresses that could not be read for two days. An address counts once until a look succeeds. The log names the host.",
		}),
	}
}

// FollowLooked counts a check of an address that accounts follow.
func (f *followed) FollowLooked(outcome Look) { f.looks.inc(outcome) }

// FollowTaken counts a new item of a follow that was submitted.
func (f *followed) FollowTaken() { f.items.Inc() }

// FollowFailing counts an address that has begun to count as failing.
func (f *followed) FollowFailing() { f.failing.Inc() }
