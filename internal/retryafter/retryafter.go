// Package retryafter reads the header Retry-After.
package retryafter

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Parse reads the header in both of its forms (RFC 9110, 10.2.3): seconds, which
// some write with a fraction, and a date. The pause is 0 at least and most at most.
// ok is false when the header is absent or neither.
func Parse(h http.Header, most time.Duration) (pause time.Duration, ok bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && !math.IsNaN(seconds) {
		seconds = min(max(seconds, 0), most.Seconds()) // so that no number overflows a duration
		return time.Duration(seconds * float64(time.Second)), true
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(time.Until(at), 0), most), true
	}
	return 0, false
}

// Seconds rounds a pause up to whole seconds.
func Seconds(pause time.Duration) int {
	return int((pause + time.Second - 1) / time.Second)
}
