package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Source is what of a platform is visited.
type Source string

// The sources of a platform.
const (
	Captions  Source = "captions"
	Audio     Source = "audio"
	Discovery Source = "discovery"
)

// sourcesOf are those of a platform.
func sourcesOf(p transcript.Platform) []Source {
	if p == transcript.VideoSite {
		return []Source{Captions, Audio, Discovery}
	}
	return []Source{Captions, Audio}
}

// Class is how a platform has answered.
type Class string

// The classes of answers.
const (
	OK      Class = "ok"
	Empty   Class = "empty"   // there is nothing, or nothing for us: no captions, gone, behind a login
	Blocked Class = "blocked" // it turns the service away
	POT     Class = "pot"     // it wants a token that the service does not have
	Fault   Class = "fault"   // it has failed, or cannot be understood
)

// upstreams are the counters of what platforms answer.
type upstreams struct {
	answers  map[Visited]counters[Class]
	heldBack counters[transcript.Platform]
}

// Visited is a source of a platform.
type Visited struct {
	Platform transcript.Platform
	Source   Source
}

// platforms are those that are visited.
func platforms() []transcript.Platform {
	return slices.DeleteFunc(transcript.Platforms(), func(p transcript.Platform) bool { return p == transcript.Upload })
}

func newUpstreams(f promauto.Factory) *upstreams {
	answers := f.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "upstream_answers_total",
		Help: "Answers of platforms that were visited: ok; empty (there is nothing, or nothing for us); blocked; pot (a token is wanted); fault.",
	}, []string{"platform", "source", "class"})
	heldBack := f.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "upstream_held_back_total",
		Help: "Visits to platforms that the pace or an open circuit did not permit. The work comes again.",
	}, []string{"platform"})
	u := &upstreams{answers: map[Visited]counters[Class]{}, heldBack: countersOf(heldBack, platforms())}
	for _, platform := range platforms() {
		for _, source := range sourcesOf(platform) {
			of := answers.MustCurryWith(prometheus.Labels{"platform": string(platform), "source": string(source)})
			u.answers[Visited{platform, source}] = countersOf(of, []Class{OK, Empty, Blocked, POT, Fault})
		}
	}
	return u
}

// UpstreamAnswered counts the answer of a platform to a visit.
func (u *upstreams) UpstreamAnswered(p transcript.Platform, s Source, c Class) {
	u.answers[Visited{p, s}].inc(c)
}

// HeldBack counts a visit that was not made.
func (u *upstreams) HeldBack(p transcript.Platform) { u.heldBack.inc(p) }
