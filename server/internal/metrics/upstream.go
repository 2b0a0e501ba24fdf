package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Source is a part of a platform that the service visits.
type Source string

// The sources of a platform.
const (
	Captions  Source = "captions"
	Audio     Source = "audio"
	Discovery Source = "discovery"
)

// sourcesOf returns the sources of a platform.
func sourcesOf(p transcript.Platform) []Source {
	if p == transcript.VideoSite {
		return []Source{Captions, Audio, Discovery}
	}
	return []Source{Captions, Audio}
}

// Class is the kind of a platform's answer.
type Class string

// The classes of answers.
const (
	OK      Class = "ok"
	Empty   Class = "empty"   // the platform has no such content, or none without a login
	Blocked Class = "blocked" // the platform refuses the service
	POT     Class = "pot"     // the platform demands a token that the service does not have
	Fault   Class = "fault"   // the platform failed, or its answer cannot be understood
)

// upstreams counts the answers of platforms.
type upstreams struct {
	answers  map[Visited]counters[Class]
	heldBack counters[transcript.Platform]
	disagree counters[transcript.Platform]
}

// Visited is a source of a platform.
type Visited struct {
	Platform transcript.Platform
	Source   Source
}

// platforms returns the platforms that the service visits. Upload stands for the hosts of direct
// links.
func platforms() []transcript.Platform { return transcript.Platforms() }

func newUpstreams(f promauto.Factory) *upstreams {
	answers := f.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "upstream_answers_total",
		Help: "Answers of platforms to visits; the platform `upload` stands for the hosts of links to recordings. `source` is `captions`, `audio` or `discovery` (of the video site, with its data API). `ok`: the platform answered. `empty`: the content does not exist, or needs a login. `blocked`: the platform turned the service away. `pot`: the platform asked for a token. `fault`: any other failure.",
	}, []string{"platform", "source", "class"})
	heldBack := f.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "upstream_held_back_total",
		Help: "Visits that the service did not make, because the limit of the rate or an open circuit did not permit them.",
	}, []string{"platform"})
	disagree := f.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "caption_sources_disagree_total",
		Help: "Contents that have captions by one caption source, and have none or are gone by another. The log names the content and both sources. Often a source is too old for the platform.",
	}, []string{"platform"})
	u := &upstreams{
		answers:  map[Visited]counters[Class]{},
		heldBack: countersOf(heldBack, platforms()), disagree: countersOf(disagree, platforms()),
	}
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

// HeldBack counts a visit that the pace or an open circuit did not permit.
func (u *upstreams) HeldBack(p transcript.Platform) { u.heldBack.inc(p) }

// SourcesDisagree counts a content with captions by one caption source, and without captions, or
// gone, by another.
func (u *upstreams) SourcesDisagree(p transcript.Platform) { u.disagree.inc(p) }
