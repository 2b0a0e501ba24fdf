package settings

import (
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// usagePage shows an account's limits and their usage.
type usagePage struct {
	transcript.Usage
	Bars   []bar
	Limits []limit
	// ActionLabel and ActionURL lead to a larger plan; empty: none.
	ActionLabel, ActionURL string
}

// bar is the usage of a limit.
type bar struct {
	Name           string // of its texts, as "transcripts" in "usage.transcripts"
	Used, Reserved int64  // reserved: taken by work in progress
	Limit          int64  // valid if Limited; 0: nothing is permitted
	Limited        bool
	Renews         *time.Time // when the limit is renewed; nil: as soon as some work ends
}

// Taken returns the used and reserved amount. It may exceed a limit that was lowered later.
func (b bar) Taken() int64 { return b.Used + b.Reserved }

// Left returns the remaining amount.
func (b bar) Left() int64 { return max(b.Limit-b.Taken(), 0) }

// Warn returns the amount from which a bar warns: 80 % of the limit.
func (b bar) Warn() int64 { return (b.Limit*4 + 4) / 5 }

// Last returns the largest amount below the limit.
func (b bar) Last() int64 { return b.Limit - 1 }

// State returns "none", "busy", "full", "low" or "fine". A busy limit refuses nothing: further
// work waits for its turn.
func (b bar) State() string {
	switch {
	case !b.Limited:
		return "fine"
	case b.Limit == 0:
		return "none"
	case b.Left() == 0 && b.Name == "recognizing":
		return "busy"
	case b.Left() == 0:
		return "full"
	case b.Renews != nil && b.Taken() >= b.Warn():
		return "low"
	}
	return "fine"
}

func barOf(name string, used, reserved int64, limit *int64, renews *time.Time) bar {
	b := bar{Name: name, Used: used, Reserved: reserved, Limited: limit != nil, Renews: renews}
	if limit != nil {
		b.Limit = *limit
	}
	return b
}

// limit describes one of the plan's limits in words.
type limit struct{ Name, Says string }

// limitsOf describes the plan's limits other than its allowances.
func limitsOf(c *web.Catalog, u *transcript.Usage) []limit {
	l := u.Limits
	included := func(is bool) string {
		if is {
			return c.Text("usage.included")
		}
		return c.Text("usage.notIncluded")
	}
	most := func(is bool, n *int64, words func(int64) string, without string) string {
		switch {
		case !is, n != nil && *n == 0:
			return included(false)
		case n == nil:
			return c.Text(without)
		}
		return words(*n)
	}
	items := func(n int64) string { return c.Text("usage.items", "count", min(n, web.MostItems)) }
	all := []limit{
		{"asr", included(l.ASR)},
		{"speakers", included(l.ASR && l.Speakers)},
		{"maxDuration", most(l.ASR, l.MaxDurationSec, c.Span, "usage.serviceBound")},
		{"upload", included(l.Upload && l.ASR)},
		{"maxUpload", most(l.Upload && l.ASR, l.MaxUploadBytes, c.Size, "usage.serviceBound")},
		{"keepMedia", most(l.Upload && l.ASR, l.MaxKeepMediaSec, func(sec int64) string { return c.Text("upload.keep.days", "count", sec/(24*60*60)) }, "usage.serviceBound")},
		{"keptMedia", room(c, u.KeptMedia.Bytes, u.KeptMedia.Limit)},
		{"library", room(c, u.Library.Bytes, u.Library.MaxBytes)},
		{"batchItems", most(true, l.BatchItems, items, "usage.mostItems")},
		{"batchExport", included(l.BatchExport)},
		{"streams", most(true, l.EventStreams, c.Number, "usage.anyNumber")},
		{"rate", c.Text("usage.anyNumber")},
	}
	if rate := u.RateLimit; rate != nil {
		all[len(all)-1].Says = c.Text("usage.each", "limit", rate.Limit, "span", c.Span(rate.WindowSec))
	}
	return all
}

// room says how much of its room for recordings or texts an account has used.
func room(c *web.Catalog, bytes int64, limit *int64) string {
	switch {
	case limit == nil:
		return c.Text("usage.noLimit", "used", c.Size(bytes))
	case *limit == 0 && bytes == 0:
		return c.Text("usage.notIncluded")
	}
	return c.Text("usage.of", "used", c.Size(bytes), "limit", c.Size(*limit))
}

// usages are the pages of limits.
type usages struct{ *web.Site }

// show shows the limits of the visitor's plan, and their usage.
func (p usages) show(r *web.Request) error {
	usage, err := p.API.Usage.Get(r.Context())
	if err != nil {
		return err
	}
	end, asr := &usage.Period.End.Time, usage.ASRConcurrency
	shown := usagePage{Usage: *usage, Limits: limitsOf(r.Catalog, usage), Bars: []bar{
		barOf("transcripts", usage.Transcripts.Used, usage.Transcripts.Reserved, usage.Transcripts.Limit, end),
		barOf("asrMinutes", usage.ASRMinutes.Used, usage.ASRMinutes.Reserved, usage.ASRMinutes.Limit, end),
		barOf("recognizing", asr.InUse, 0, asr.Limit, nil),
		barOf("waiting", asr.Waiting, 0, asr.WaitingLimit, nil),
	}}
	if rate := usage.RateLimit; rate != nil {
		reset, limit := time.Unix(rate.Reset, 0), rate.Limit
		shown.Bars = append(shown.Bars, barOf("requests", limit-rate.Remaining, 0, &limit, &reset))
	}
	// The principal has the plan even if the account may have no keys.
	who, _ := p.Accounts.Principal(r.Context(), r.Visitor().Account)
	shown.ActionLabel, shown.ActionURL = who.Plan.ActionLabel, who.Plan.ActionURL
	return r.Show(http.StatusOK, "usage", shown)
}
