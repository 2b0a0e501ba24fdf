package order

import (
	"net/http"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// recordPage describes the recordings that a visitor may make in the browser.
type recordPage struct {
	Longest int64        // seconds; 0: the service's own bound
	Keep    *web.Keeping // for how long they may be kept; nil: not at all
}

// wavSecond and wavHeader are the bytes of a second of sound, as the page records it, and of what
// precedes the sound in a file.
const wavSecond, wavHeader = 32_000, 44

// record shows the page that records in the browser. This page alone may use the microphone and the
// sound of a tab.
func (p orders) record(r *web.Request) error {
	r.W.Header().Set("Permissions-Policy", "camera=(), display-capture=(self), geolocation=(), microphone=(self), payment=(), usb=()")
	if !r.Visitor().Known() {
		return r.Show(http.StatusOK, "record", nil)
	}
	usage, err := p.API.Usage.Get(r.Context())
	switch {
	case err != nil:
		return err
	case !usage.Limits.Upload || !usage.Limits.ASR:
		return r.Show(http.StatusOK, "record", nil)
	}
	most := longest(usage.Limits)
	return r.Show(http.StatusOK, "record", &recordPage{most, web.KeepingOf(usage, max(most, 1)*wavSecond)})
}

// longest returns how many seconds of sound a plan takes.
func longest(l transcript.UsageLimits) (seconds int64) {
	if l.MaxDurationSec != nil {
		seconds = *l.MaxDurationSec
	}
	if l.MaxUploadBytes != nil {
		if fit := max(*l.MaxUploadBytes-wavHeader, 0) / wavSecond; seconds == 0 || fit < seconds {
			seconds = fit
		}
	}
	return seconds
}
