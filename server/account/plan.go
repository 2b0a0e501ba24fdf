package account

import (
	"fmt"
	"maps"
	"slices"
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
	// ActionLabel and ActionURL stand in the 402 answers of this plan.
	ActionLabel, ActionURL string
	// Upload permits file uploads, of at most MaxUploadBytes.
	Upload         bool
	MaxUploadBytes int64
	// ASR permits the speech recognition of links that have no captions.
	ASR bool
	// CacheTTL is how long after its making a shared text is served; then a new
	// request makes it anew. With 0 it never is, with Unlimited always.
	CacheTTL time.Duration
	// EventStreams is how many event streams of an account may be open at once in
	// each process.
	EventStreams int
}

// UpgradeRequired makes the refusal of what the plan does not include: the code
// UPGRADE_REQUIRED (402) with where to go from here.
func (p Plan) UpgradeRequired(message string) *transcript.Error {
	e := transcript.Errorf(transcript.UpgradeRequired, "%s", message)
	e.ActionLabel, e.ActionURL, e.UpgradeURL = p.ActionLabel, p.ActionURL, p.ActionURL
	return e
}

// Plans are the plans that an operator offers, by name. Default is the plan of
// a new account.
type Plans struct {
	Default string
	ByName  map[string]Plan
}

// DefaultPlans are the plans of a service of one's own: "self_hosted" without
// limits but for uploads of at most 4 GiB and 20 event streams at once.
func DefaultPlans() Plans {
	const name = "self_hosted"
	return Plans{Default: name, ByName: map[string]Plan{name: {
		Name:           name,
		Paid:           true,
		Upload:         true,
		MaxUploadBytes: 4 << 30,
		ASR:            true,
		CacheTTL:       30 * 24 * time.Hour,
		EventStreams:   20,
	}}}
}

// check returns an error that names what cannot be meant.
func (p Plans) check() error {
	if _, err := p.find(p.Default); err != nil {
		return fmt.Errorf("account: Plans.Default: %w", err)
	}
	for name, plan := range p.ByName {
		for member, limit := range map[string]int64{
			"MaxUploadBytes": plan.MaxUploadBytes, "CacheTTL": int64(plan.CacheTTL), "EventStreams": int64(plan.EventStreams),
		} {
			if limit < Unlimited {
				return fmt.Errorf("account: plan %q: %s is %d: it must be 0 or more, or Unlimited", name, member, limit)
			}
		}
	}
	return nil
}

// find returns the plan, or an error that names the plans there are.
func (p Plans) find(name string) (Plan, error) {
	plan, ok := p.ByName[name]
	if !ok {
		return Plan{}, fmt.Errorf("account: there is no plan %q, only %v", name, slices.Sorted(maps.Keys(p.ByName)))
	}
	return plan, nil
}
