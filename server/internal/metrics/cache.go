package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Asker is the part of the service that asks the cache.
type Asker string

// The askers of the cache.
const (
	ForTranscript Asker = "transcript" // POST /v1/transcript
	ForCaptions   Asker = "captions"   // GET /v1/video_site/captions
	ForInfo       Asker = "info"       // GET /v1/transcript/info
	ForJob        Asker = "job"        // a job, which asks again before it does the work
)

// cache counts the lookups of stored texts and track lists.
type cache struct {
	hits, misses, stale counters[Asker]
}

func newCache(f promauto.Factory) *cache {
	lookups := f.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "cache_lookups_total",
		Help: "Lookups in the cache of texts. `hit`: the cache has the text. `miss`: it does not. `stale`: the text has expired, and the service serves it because the platform does not answer. With the asker `job`, only `hit` and `stale` count.",
	}, []string{"asker", "result"})
	of := func(result string) counters[Asker] {
		return countersOf(lookups.MustCurryWith(prometheus.Labels{"result": result}), []Asker{ForTranscript, ForCaptions, ForInfo, ForJob})
	}
	return &cache{hits: of("hit"), misses: of("miss"), stale: of("stale")}
}

// CacheAsked counts a lookup.
func (c *cache) CacheAsked(by Asker, hit bool) {
	if hit {
		c.hits.inc(by)
		return
	}
	c.misses.inc(by)
}

// ServedStale counts an expired text that the service served because the platform could not be
// asked.
func (c *cache) ServedStale(to Asker) { c.stale.inc(to) }
