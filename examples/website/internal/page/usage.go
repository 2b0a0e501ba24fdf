package page

import (
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// usagePage is what an account may have, and how much of it is used.
type usagePage struct {
	transcript.Usage
	Bars   []bar
	Limits []limit
	// ActionLabel and ActionURL are where there is more; empty: nowhere.
	ActionLabel, ActionURL string
}

// bar is how much of something is taken.
type bar struct {
	Name           string // of its texts, as "transcripts" of "usage.transcripts"
	Used, Reserved int64  // reserved: taken for what is on its way
	Limit          int64  // when Limited; 0: nothing is permitted
	Limited        bool
	Renews         *time.Time // when it is given anew; nil: as soon as something ends
}

// Taken is what is used and reserved. It may be more than a limit that was lowered since.
func (b bar) Taken() int64 { return b.Used + b.Reserved }

// Left is what is left of the limit.
func (b bar) Left() int64 { return max(b.Limit-b.Taken(), 0) }

// Warn is from where on a bar warns: 80 % of the limit.
func (b bar) Warn() int64 { return (b.Limit*4 + 4) / 5 }

// Last is the most that is taken when not everything is.
func (b bar) Last() int64 { return b.Limit - 1 }

// State is "none", "busy", "full", "low" or "fine". What is busy refuses nothing: the rest
// waits for its turn.
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

// limit is what the plan permits of something, in words.
type limit struct{ Name, Says string }

// limitsOf puts what a plan permits besides its allowances into words.
func (c catalog) limitsOf(u *transcript.Usage) []limit {
	l := u.Limits
	included := func(is bool) string {
		if is {
			return c.text("usage.included")
		}
		return c.text("usage.notIncluded")
	}
	most := func(is bool, n *int64, words func(int64) string, without string) string {
		switch {
		case !is, n != nil && *n == 0:
			return included(false)
		case n == nil:
			return c.text(without)
		}
		return words(*n)
	}
	items := func(n int64) string { return c.text("usage.items", "count", number(min(n, mostItems))) }
	all := []limit{
		{"asr", included(l.ASR)},
		{"maxDuration", most(l.ASR, l.MaxDurationSec, c.span, "usage.serviceBound")},
		{"upload", included(l.Upload && l.ASR)},
		{"maxUpload", most(l.Upload && l.ASR, l.MaxUploadBytes, c.size, "usage.serviceBound")},
		{"batchItems", most(true, l.BatchItems, items, "usage.mostItems")},
		{"batchExport", included(l.BatchExport)},
		{"streams", most(true, l.EventStreams, number, "usage.anyNumber")},
		{"rate", c.text("usage.anyNumber")},
	}
	if rate := u.RateLimit; rate != nil {
		all[len(all)-1].Says = c.text("usage.each", "limit", number(rate.Limit), "span", c.span(rate.WindowSec))
	}
	return all
}

// usage shows what the plan of who asks permits, and what is used of it.
func (p *pages) usage(w http.ResponseWriter, r *http.Request) error {
	usage, err := p.api.Usage.Get(r.Context())
	if err != nil {
		return err
	}
	end, asr := &usage.Period.End.Time, usage.ASRConcurrency
	shown := usagePage{Usage: *usage, Limits: p.strings.limitsOf(usage), Bars: []bar{
		barOf("transcripts", usage.Transcripts.Used, usage.Transcripts.Reserved, usage.Transcripts.Limit, end),
		barOf("asrMinutes", usage.ASRMinutes.Used, usage.ASRMinutes.Reserved, usage.ASRMinutes.Limit, end),
		barOf("recognizing", asr.InUse, 0, asr.Limit, nil),
		barOf("waiting", asr.Waiting, 0, asr.WaitingLimit, nil),
	}}
	if rate := usage.RateLimit; rate != nil {
		reset, limit := time.Unix(rate.Reset, 0), rate.Limit
		shown.Bars = append(shown.Bars, barOf("requests", limit-rate.Remaining, 0, &limit, &reset))
	}
	// The plan is whatever the principal has of one, also where its account may have no keys.
	who, _ := p.Accounts.Principal(r.Context(), visitor.From(r.Context()).Account)
	shown.ActionLabel, shown.ActionURL = who.Plan.ActionLabel, who.Plan.ActionURL
	return p.show(w, r, http.StatusOK, "usage", shown)
}
