package follower

import (
	"cmp"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// source is an address that accounts follow.
type source struct {
	bun.BaseModel `bun:"table:follow_sources,alias:s"`

	ID       string `bun:",pk"`
	Kind     follow.Kind
	Platform transcript.Platform // of a channel or a playlist
	ListID   string
	URL      string `bun:"url"`
	FeedURL  string `bun:"feed_url"` // "" means that the list itself is read; for a feed, URL or the address to which it has moved
	Title    string

	ETag     string `bun:"etag"`
	Modified string // the header Last-Modified
	Rules    rules  // how often the publisher wants checks
	// LastEntry is the highest position of an entry; 0 if there is none.
	LastEntry int64

	NextLookAt   *time.Time // nil if no follow is active
	LookingUntil *time.Time // the lease of the process that checks the source
	LookedAt     *time.Time // the last successful check
	NewAt        *time.Time // the last check that found an entry
	Failures     int        // since the last successful check
	FailingSince *time.Time
	Told         bool // the source counts as failing
	LastError    *transcript.LastError
	CreatedAt    time.Time
}

// host is the host at which the source is checked, with the port.
func (s *source) host() string { return hostOf(cmp.Or(s.FeedURL, s.URL)) }

// rules are how often a publisher wants checks.
type rules struct {
	Every time.Duration  `json:"every,omitempty"`
	Hours []int          `json:"hours,omitempty"` // without checks, in UTC
	Days  []time.Weekday `json:"days,omitempty"`  // without looks
}

// entry is an item of a source.
type entry struct {
	bun.BaseModel `bun:"table:follow_entries,alias:e"`

	SourceID    string `bun:",pk"`
	Position    int64  `bun:",pk"` // the oldest first
	GUID        string `bun:"guid"`
	Platform    transcript.Platform
	ExternalID  string
	URL         string `bun:"url"`
	Title       string
	PublishedAt *time.Time
	Below       bool // it was found below all known entries
	FoundAt     time.Time
}

// following is a follow of an account.
type following struct {
	bun.BaseModel `bun:"table:follows,alias:f"`

	ID         string `bun:",pk"`
	Account    string
	SourceID   string
	Languages  string // "" means that the request had none
	MaxItems   int    // of the items that existed at first
	Paused     bool
	EndedAt    *time.Time // when the publisher ended the feed, which pauses the follow
	Begun      bool       // Position is set
	Position   int64      // the entries up to this position are done
	NextTakeAt *time.Time
	LastError  *transcript.LastError // why the next entry waits
	Trace      string
	CreatedAt  time.Time
	UpdatedAt  time.Time

	Source *source `bun:"rel:belongs-to,join:source_id=id"`
	Look   *queued `bun:"rel:belongs-to,join:source_id=source_id"` // nil if the source has never been due
}

// item is the result of an entry for a follow.
type item struct {
	bun.BaseModel `bun:"table:follow_items,alias:i"`

	FollowID string `bun:",pk"`
	Position int64  `bun:",pk"`
	Status   follow.ItemStatus
	JobID    string
	Reason   string
}

// shown converts the follow for its owner.
func (f *following) shown() *follow.Follow {
	s := f.Source
	b := &follow.Follow{
		ID: f.ID, Kind: s.Kind, URL: s.URL, Language: f.Languages, MaxItems: f.MaxItems, Status: follow.Active,
		LastLookedAt: moment(s.LookedAt), LastNewAt: moment(s.NewAt), LastError: f.LastError,
		CreatedAt: transcript.At(f.CreatedAt), UpdatedAt: transcript.At(f.UpdatedAt),
	}
	b.EndedAt = moment(f.EndedAt)
	if f.Look != nil {
		b.LookingSince = moment(f.Look.LookingSince)
	}
	if s.Platform != "" {
		b.Platform = &s.Platform
	}
	if s.Title != "" {
		b.Title = &s.Title
	}
	if s.LastError != nil {
		b.LastError = s.LastError
	}
	switch {
	case f.Paused:
		b.Status = follow.Paused
	case s.Told:
		b.Status = follow.Failing
	}
	return b
}

func moment(t *time.Time) *transcript.Time {
	if t == nil {
		return nil
	}
	return new(transcript.At(*t))
}
