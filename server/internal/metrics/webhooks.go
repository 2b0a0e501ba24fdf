package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// attempt is the result of an attempt to deliver an event to a webhook.
type attempt string

const (
	delivered attempt = "delivered"
	failed    attempt = "failed"
)

// webhooked counts the events of webhooks.
type webhooked struct {
	attempts counters[attempt]
	disabled prometheus.Counter
}

func newWebhooked(f promauto.Factory) *webhooked {
	attempts := f.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "webhook_attempts_total",
		Help: "Attempts to deliver events to webhooks. `delivered`: the receiver has answered with a 2xx status. `failed`: it has not, or the service sends nothing to the address.",
	}, []string{"outcome"})
	return &webhooked{
		attempts: countersOf(attempts, []attempt{delivered, failed}),
		disabled: f.NewCounter(prometheus.CounterOpts{
			Namespace: namespace, Name: "webhooks_disabled_total",
			Help: "Webhooks that the service has switched off, after days of failure or the answer 410. The log names the webhook and its account.",
		}),
	}
}

// WebhookAttempted counts an attempt to deliver an event.
func (w *webhooked) WebhookAttempted(ok bool) {
	if ok {
		w.attempts.inc(delivered)
	} else {
		w.attempts.inc(failed)
	}
}

// WebhookDisabled counts a webhook that was disabled.
func (w *webhooked) WebhookDisabled() { w.disabled.Inc() }
