package metrics

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// recognition counts recognized speech.
type recognition struct {
	factor      *prometheus.HistogramVec
	audio, work *prometheus.CounterVec
}

func newRecognition(f promauto.Factory) *recognition {
	engine := []string{"engine"}
	return &recognition{
		factor: f.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "asr_real_time_factor",
			Help:    "A histogram of the seconds of recognition for a second of audio, for each chunk.",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, .75, 1, 1.5, 2.5, 5, 10},
		}, engine),
		audio: f.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "asr_audio_seconds_total",
			Help: "Seconds of recognized audio, without silence. `engine` is the recognizer that heard the audio: `parakeet-cli` or `whisper-cli`, if the service chooses by the language.",
		}, engine),
		work: f.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "asr_work_seconds_total",
			Help: "Seconds that recognition took. The times of chunks that run at the same time add up.",
		}, engine),
	}
}

// Recognized counts a chunk of audio and the time that its recognition took. engine is the name
// that the recognizer reports.
func (r *recognition) Recognized(engine string, audio, work time.Duration) {
	engine = strings.ToValidUTF8(engine, "\uFFFD")
	audio, work = max(audio, 0), max(work, 0) // Prometheus panics if a counter goes down
	r.audio.WithLabelValues(engine).Add(audio.Seconds())
	r.work.WithLabelValues(engine).Add(work.Seconds())
	if audio > 0 {
		r.factor.WithLabelValues(engine).Observe(work.Seconds() / audio.Seconds())
	}
}
