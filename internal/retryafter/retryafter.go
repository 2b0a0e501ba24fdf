// Package retryafter reads the header Retry-After.
package retryafter

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Parse reads both forms of the header (RFC 9110, 10.2.3): a number of seconds, which some
// servers write with a fraction, and a date. The pause is between 0 and most. ok is false if
// the header is missing or has another form, such as "1e3", "-5" and "Inf".
func Parse(h http.Header, most time.Duration) (pause time.Duration, ok bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" {
		return 0, false
	}
	if strings.Trim(value, "0123456789.") == "" {
		seconds, err := strconv.ParseFloat(value, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) { // ErrRange means a number with too many digits
			return 0, false
		}
		return time.Duration(min(seconds, most.Seconds()) * float64(time.Second)), true
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
