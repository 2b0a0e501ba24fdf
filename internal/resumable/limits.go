package resumable

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Limits are the limits of uploads that a server announces. A limit of 0 is not announced.
type Limits struct {
	MaxSize       int64         // bytes of a whole file
	MaxAppendSize int64         // bytes of a single request
	MaxAge        time.Duration // how long the upload is kept from now on, in whole seconds
}

// String is the value of the header Limit; empty means that there is no limit.
func (l Limits) String() string {
	var members []string
	for _, limit := range []struct {
		key   string
		value int64
	}{{"max-size", l.MaxSize}, {"max-append-size", l.MaxAppendSize}, {"max-age", int64(l.MaxAge / time.Second)}} {
		if limit.value > 0 {
			members = append(members, limit.key+"="+Integer(min(limit.value, LargestInteger)))
		}
	}
	return strings.Join(members, ", ")
}

// ReadLimits reads the header Limit, a dictionary of numbers (RFC 9651, 3.2). ReadLimits ignores
// members that it does not know. A known member that is not a number is an error, because the
// whole header then means nothing.
func ReadLimits(h http.Header) (Limits, error) {
	var l Limits
	known := map[string]*int64{"max-size": &l.MaxSize, "max-append-size": &l.MaxAppendSize, "max-age": new(int64)}
	for member := range strings.SplitSeq(strings.Join(h.Values(Limit), ","), ",") {
		key, value, _ := strings.Cut(strings.Trim(member, " \t"), "=")
		into := known[key]
		if into == nil {
			continue
		}
		value, _, _ = strings.Cut(value, ";") // parameters have no meaning here
		n, ok := digits(value)
		if !ok {
			return Limits{}, &HeaderError{Limit, fmt.Sprintf("has a member %s that is no number", key)}
		}
		*into = n
	}
	l.MaxAge = time.Duration(min(*known["max-age"], int64(maxAge/time.Second))) * time.Second
	return l, nil
}

// maxAge is the longest life of an upload that ReadLimits returns, because a Duration cannot hold
// all numbers.
const maxAge = 10 * 365 * 24 * time.Hour
