package account

import (
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Unlimited is a limit that is none. A limit of 0 permits nothing.
const Unlimited = -1

// Plan is what an account has bought. The zero value permits nothing; a limit may
// be [Unlimited].
type Plan struct {
	Name string
	// Paid accounts may create and use keys.
	Paid bool
	// ActionLabel and ActionURL stand in the 402 answers of this plan: what to do, in
	// at most 100 characters, and where, an http or https URL.
	ActionLabel, ActionURL string

	// RateLimit bounds the requests of an account. A paid plan needs one; on another,
	// which has none, 60 requests a minute are told that they are refused.
	RateLimit RateLimit
	// TranscriptsPerPeriod is how many transcripts are made in a period that do not
	// come from the cache, ASRMinutesPerPeriod how many minutes of sound are recognized
	// for them; each begun minute of a recording counts.
	TranscriptsPerPeriod, ASRMinutesPerPeriod int64
	// PeriodAnchorDay is the day of the month, 1 to 28, on which a period begins, at
	// midnight UTC; 0: the first.
	PeriodAnchorDay int

	// Upload permits file uploads, of at most MaxUploadBytes.
	Upload         bool
	MaxUploadBytes int64
	// ASR permits speech recognition.
	ASR bool
	// ASRConcurrency is how many recordings of an account are recognized at once, and
	// ASRWaiting how many more may be waiting for their turn.
	ASRConcurrency, ASRWaiting int
	// MaxDuration is the longest media that is recognized.
	MaxDuration time.Duration

	// BatchItems is how many items a batch may have. BatchExport permits the export of
	// batches.
	BatchItems  int
	BatchExport bool

	// SharedTurn lets the accounts of this plan take turns as if they were one account: in
	// each queue they have together what an account has that is alone. It is for accounts
	// that anybody can make, such as those of guests.
	SharedTurn bool

	// CacheTTL is how long after its making a shared text is served; then a new
	// request makes it anew. With 0 it never is, with Unlimited always.
	CacheTTL time.Duration
	// EventStreams is how many event streams of an account may be open at once in
	// each process.
	EventStreams int
}

// RateLimit is how many requests an account may make in each window of time; those
// that ask how work goes have five times as many, in a window of their own. The zero
// value permits none; with [Unlimited] Requests there is no window.
type RateLimit struct {
	Requests int
	// Window is whole seconds, from a second to a day. Windows begin at its
	// multiples since 1970.
	Window time.Duration
}

// WithoutLimits is a plan that permits everything.
func WithoutLimits(name string) Plan {
	return Plan{
		Name:                 name,
		Paid:                 true,
		RateLimit:            RateLimit{Requests: Unlimited},
		TranscriptsPerPeriod: Unlimited,
		ASRMinutesPerPeriod:  Unlimited,
		Upload:               true,
		MaxUploadBytes:       Unlimited,
		ASR:                  true,
		ASRConcurrency:       Unlimited,
		ASRWaiting:           Unlimited,
		MaxDuration:          Unlimited,
		BatchItems:           Unlimited,
		BatchExport:          true,
		CacheTTL:             Unlimited,
		EventStreams:         Unlimited,
	}
}

// Recognizes reports whether the plan permits speech recognition: it includes ASR, of
// at least one recording at once.
func (p Plan) Recognizes() bool { return p.ASR && p.ASRConcurrency != 0 }

// UpgradeRequired makes the refusal of what the plan does not include: the code
// UPGRADE_REQUIRED (402) with where to go from here.
func (p Plan) UpgradeRequired(message string) *transcript.Error {
	e := transcript.Errorf(transcript.UpgradeRequired, "%s", message)
	e.ActionLabel, e.ActionURL, e.UpgradeURL = p.ActionLabel, p.ActionURL, p.ActionURL
	return e
}

// DefaultPlans are the plans of a service of one's own: "self_hosted", which has
// everything, within bounds that keep one account from taking up the whole service:
// 600 requests a minute, one recording recognized at once and 200 waiting, uploads of
// at most 4 GiB, batches of 500 items, 20 event streams. Texts are served from the
// cache for 30 days.
func DefaultPlans() Plans {
	plan := WithoutLimits("self_hosted")
	plan.RateLimit = RateLimit{Requests: 600, Window: time.Minute}
	plan.MaxUploadBytes = 4 << 30
	plan.ASRConcurrency, plan.ASRWaiting = 1, 200
	plan.BatchItems = 500
	plan.CacheTTL = 30 * 24 * time.Hour
	plan.EventStreams = 20
	return Plans{Default: plan.Name, ByName: map[string]Plan{plan.Name: plan}}
}
