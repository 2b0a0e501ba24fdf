package account

import (
	"fmt"
	"math"
	"net/url"
	"time"
	"unicode"
	"unicode/utf8"
)

// The limits of a plan's values. They keep sums and products of limits from overflowing.
const (
	maxCount     = 1_000_000_000 // requests, recordings, items, streams
	maxAmount    = 1<<53 - 1     // bytes, transcripts, minutes: a number that every JSON reader reads exactly
	maxSeconds   = math.MaxInt64 / int64(time.Second)
	maxKeepJobs  = 7 * 24 * 60 * 60 // seconds: work.DefaultRetention
	maxWindow    = 24 * time.Hour
	maxAnchorDay = 28 // every month has a day 28
	maxLabel     = 100
	maxURL       = 2048
)

// fault is an error in a field of a plan. It names the field as a plans file does.
type fault struct{ path, says string }

func (f fault) Error() string { return f.path + " " + f.says }

func faultf(path, format string, args ...any) error {
	return fault{path, fmt.Sprintf(format, args...)}
}

// limit is a field of a plan: a number of units, or Unlimited.
type limit struct {
	name string // in a plans file
	unit int64  // how many units of the plan are one unit of the file
	most int64  // units
	get  func() int64
	set  func(int64)
}

func limitOf[N ~int | ~int64](name string, at *N, unit, most int64) limit {
	return limit{name, unit, most, func() int64 { return int64(*at) }, func(n int64) { *at = N(n) }}
}

const (
	one    = 1
	second = int64(time.Second)
)

// requests returns the limit on the requests of a window.
func (r *RateLimit) requests() limit {
	return limitOf("rateLimit.requests", &r.Requests, one, maxCount)
}

// limits returns the plan's limits, except those of RateLimit.
func (p *Plan) limits() []limit {
	return []limit{
		limitOf("transcriptsPerPeriod", &p.TranscriptsPerPeriod, one, maxAmount),
		limitOf("asrMinutesPerPeriod", &p.ASRMinutesPerPeriod, one, maxAmount),
		limitOf("maxUploadBytes", &p.MaxUploadBytes, one, maxAmount),
		limitOf("maxKeepMediaSec", &p.MaxKeepMedia, second, maxSeconds),
		limitOf("maxKeptMediaBytes", &p.MaxKeptMediaBytes, one, maxAmount),
		limitOf("maxLibraryBytes", &p.MaxLibraryBytes, one, maxAmount),
		limitOf("keepLibrarySec", &p.KeepLibrary, second, maxSeconds),
		limitOf("keepJobsSec", &p.KeepJobs, second, maxKeepJobs),
		limitOf("asrConcurrency", &p.ASRConcurrency, one, maxCount),
		limitOf("asrWaiting", &p.ASRWaiting, one, maxCount),
		limitOf("maxDurationSec", &p.MaxDuration, second, maxSeconds),
		limitOf("recognizeBlockedAfterSec", &p.RecognizeBlockedAfter, second, maxSeconds),
		limitOf("batchItems", &p.BatchItems, one, maxCount),
		limitOf("follows", &p.Follows, one, maxCount),
		limitOf("followItemsPerDay", &p.FollowItemsPerDay, one, maxCount),
		limitOf("cacheTtlSec", &p.CacheTTL, second, maxSeconds),
		limitOf("concurrentRequests", &p.ConcurrentRequests, one, maxCount),
		limitOf("eventStreams", &p.EventStreams, one, maxCount),
	}
}

// check returns a fault if a value is impossible.
func (p Plan) check() error {
	for _, l := range append(p.limits(), p.RateLimit.requests()) {
		if n := l.get(); n < Unlimited || n > l.most*l.unit {
			return faultf(l.name, "is %d, not 0 to %d or Unlimited", n, l.most*l.unit)
		}
	}
	if p.PeriodAnchorDay < 0 || p.PeriodAnchorDay > maxAnchorDay {
		return faultf("periodAnchorDay", "is %d, not 1 to %d", p.PeriodAnchorDay, maxAnchorDay)
	}
	if err := p.checkWindow(); err != nil {
		return err
	}
	return p.checkAction()
}

func (p Plan) checkWindow() error {
	rate := p.RateLimit
	switch {
	case rate == RateLimit{} && p.Paid:
		return faultf("rateLimit", "is missing: a paid plan must have one, or null for no limit")
	case rate == RateLimit{}, rate.Requests == Unlimited:
		return nil
	case rate.Window < time.Second, rate.Window > maxWindow, rate.Window%time.Second != 0:
		return faultf("rateLimit.windowSec", "is %v, not 1 to %d whole seconds", rate.Window, maxWindow/time.Second)
	}
	return nil
}

func (p Plan) checkAction() error {
	if n := utf8.RuneCountInString(p.ActionLabel); n > maxLabel {
		return faultf("actionLabel", "has %d characters, not 0 to %d", n, maxLabel)
	}
	for _, r := range p.ActionLabel {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return faultf("actionLabel", "is not printable")
		}
	}
	if p.ActionURL == "" {
		return nil
	}
	at, err := url.Parse(p.ActionURL)
	if len(p.ActionURL) > maxURL || err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return faultf("actionUrl", "is not an http or https URL of at most %d characters", maxURL)
	}
	return nil
}
