package account

import (
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Unlimited is the value of a limit in a [Plan] that does not limit. A limit of 0
// permits nothing.
const Unlimited = -1

// Plan is the set of limits and permissions of an account. The zero value permits nothing. A
// limit may be [Unlimited].
type Plan struct {
	Name string
	// Paid accounts may create and use keys.
	Paid bool
	// ActionLabel and ActionURL are the link in the 402 answers of this plan.
	// ActionLabel says what the user can do, in at most 100 characters. ActionURL is an
	// http or https URL.
	ActionLabel, ActionURL string

	// RateLimit limits the requests of an account. A paid plan needs one. An unpaid plan
	// without one gets 60 refusals a minute.
	RateLimit RateLimit
	// TranscriptsPerPeriod limits the transcripts of a period that do not come from the cache.
	// ASRMinutesPerPeriod limits the minutes of sound that are recognized for them; each
	// started minute of a recording counts.
	TranscriptsPerPeriod, ASRMinutesPerPeriod int64
	// PeriodAnchorDay is the day of the month, 1 to 28, on which a period begins, at midnight
	// UTC; 0 means the first.
	PeriodAnchorDay int

	// Upload permits file uploads, of at most MaxUploadBytes.
	Upload         bool
	MaxUploadBytes int64
	// MaxKeepMedia is the longest time for which a request may have the recording of an
	// upload kept, in whole seconds. 0 means that no recording is kept.
	// MaxKeptMediaBytes limits the size of all recordings that are kept for an account
	// at once.
	MaxKeepMedia      time.Duration
	MaxKeptMediaBytes int64
	// MaxLibraryBytes limits the texts that belong to the account alone and the revisions of its
	// texts, by the bytes of their lines and words. A text that would exceed the limit is refused,
	// unless its job already runs. 0 means 1 GiB.
	MaxLibraryBytes int64
	// KeepLibrary is how long an entry stays in the library after it was added, in whole
	// seconds. An entry is a text, a failed job, or a batch that has ended. The service
	// deletes the recording and the text together with the entry, unless other accounts have
	// them too. 0 or Unlimited means until the account removes the entry.
	KeepLibrary time.Duration
	// KeepJobs is how long a job stays after its end, in whole seconds, at most 7 days.
	// A job stays for at least a day, because the answer for an idempotency key may
	// name it. 0 or Unlimited means 7 days.
	KeepJobs time.Duration
	// ASR permits speech recognition.
	ASR bool
	// ASRConcurrency is how many recordings of an account may be recognized at once,
	// and ASRWaiting is how many more may wait.
	ASRConcurrency, ASRWaiting int
	// MaxDuration is the length of the longest recording that may be recognized.
	MaxDuration time.Duration
	// Speakers permits the service to tell speakers apart if the recognizer does not.
	Speakers bool
	// RecognizeBlockedAfter is how long the captions of a link may be blocked before
	// the server recognizes the speech instead, if the plan permits recognition. 0
	// means server.Config.RecognizeBlockedAfter. Unlimited means that a job waits for
	// its captions.
	RecognizeBlockedAfter time.Duration

	// BatchItems is the largest number of items in a batch. BatchExport permits the export of
	// batches.
	BatchItems  int
	BatchExport bool

	// Follows is how many channels, playlists and feeds an account may follow, and
	// FollowItemsPerDay how many of their items become transcripts in a day of UTC.
	Follows, FollowItemsPerDay int

	// SharedTurn makes all accounts of this plan share one turn in queues, in which accounts
	// take turns. It is for accounts that anyone can create, such as the accounts of guests.
	SharedTurn bool

	// CacheTTL is how long the server answers with a shared text from the cache. A
	// later request makes the text again. 0 means that the server never uses the cache,
	// Unlimited that it always does.
	CacheTTL time.Duration
	// ConcurrentRequests is how many requests of an account may be under way at once in each
	// process. Half of them may wait (waitMs) or be event streams. 0 means 250, an eighth of
	// the connections that a process keeps open.
	ConcurrentRequests int
	// EventStreams is how many event streams of an account may be open at once in each process.
	EventStreams int
}

// RateLimit is how many requests an account may make in each window of time. Requests
// that poll the state of work have their own window, with a limit of five times as many
// requests. The zero value permits no requests. If Requests is Unlimited, Window is
// ignored.
type RateLimit struct {
	Requests int
	// Window is in whole seconds, from a second to a day. Windows begin at its multiples since
	// 1970.
	Window time.Duration
}

// WithoutLimits returns a plan that permits everything.
func WithoutLimits(name string) Plan {
	return Plan{
		Name:                 name,
		Paid:                 true,
		RateLimit:            RateLimit{Requests: Unlimited},
		TranscriptsPerPeriod: Unlimited,
		ASRMinutesPerPeriod:  Unlimited,
		Upload:               true,
		MaxUploadBytes:       Unlimited,
		MaxKeepMedia:         Unlimited,
		MaxKeptMediaBytes:    Unlimited,
		MaxLibraryBytes:      Unlimited,
		ASR:                  true,
		ASRConcurrency:       Unlimited,
		ASRWaiting:           Unlimited,
		MaxDuration:          Unlimited,
		Speakers:             true,
		BatchItems:           Unlimited,
		BatchExport:          true,
		Follows:              Unlimited,
		FollowItemsPerDay:    Unlimited,
		CacheTTL:             Unlimited,
		ConcurrentRequests:   Unlimited,
		EventStreams:         Unlimited,
	}
}

// UpgradeRequired returns the refusal of a feature that the plan does not include: the code
// UPGRADE_REQUIRED (402) with the plan's action.
func (p Plan) UpgradeRequired(message string) *transcript.Error {
	e := transcript.Errorf(transcript.UpgradeRequired, "%s", message)
	e.ActionLabel, e.ActionURL, e.UpgradeURL = p.ActionLabel, p.ActionURL, p.ActionURL
	return e
}

// DefaultPlans returns the plans of a self-hosted service. The only plan, "self_hosted",
// permits everything, within bounds that keep one account from occupying the whole service: 600
// requests a minute, one recording recognized at once and 200 waiting, uploads of at most 4
// GiB, recordings kept for at most 30 days and 20 GiB of them, 10 GiB of texts, batches of 500 items,
// 10,000 follows with 1,000 items a day, 250 requests at once, 20 event streams. The cache serves texts
// for 30 days.
func DefaultPlans() Plans {
	plan := WithoutLimits("self_hosted")
	plan.RateLimit = RateLimit{Requests: 600, Window: time.Minute}
	plan.MaxUploadBytes = 4 << 30
	plan.MaxKeepMedia, plan.MaxKeptMediaBytes = 30*24*time.Hour, 20<<30
	plan.MaxLibraryBytes = 10 << 30
	plan.ASRConcurrency, plan.ASRWaiting = 1, 200
	plan.BatchItems = 500
	plan.Follows, plan.FollowItemsPerDay = 10_000, 1000
	plan.CacheTTL = 30 * 24 * time.Hour
	plan.ConcurrentRequests = 0 // 250
	plan.EventStreams = 20
	return Plans{Default: plan.Name, ByName: map[string]Plan{plan.Name: plan}}
}
