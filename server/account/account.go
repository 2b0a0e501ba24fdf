// Package account knows who may use the service: accounts, their plans, and
// the API keys that programs present (contract 10, 11).
//
//	accounts := account.New(s, account.DefaultPlans())
//	err := accounts.Set(ctx, "acme", account.Settings{})
//	key, secret, err := accounts.CreateKey(ctx, account.KeyParams{Account: "acme", Name: "ci", Scopes: account.Scopes()})
//	principal, err := accounts.Verify(ctx, secret)
//
// Quotas, usage and rate windows are not kept here yet: a plan has the members
// that something obeys.
package account

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/store"
)

// Scope is a permission of a key.
type Scope string

// The scopes of the specification.
const (
	Transcripts Scope = "transcripts"
	Batches     Scope = "batches"
)

// Scopes lists every scope.
func Scopes() []Scope { return []Scope{Transcripts, Batches} }

// Plan is what an account has bought.
type Plan struct {
	Name string
	// Paid accounts may create and use keys.
	Paid bool
	// ActionLabel and ActionURL stand in the 402 answers of this plan.
	ActionLabel, ActionURL string
	// Upload permits file uploads, of at most MaxUploadBytes (0: none).
	Upload         bool
	MaxUploadBytes int64
	// EventStreams is how many event streams may be open per process; 0: 20,
	// negative: any number.
	EventStreams int
}

// Principal is who makes a request, and what they may do.
type Principal struct {
	Account string
	KeyID   string // empty when no API key was used
	Prefix  string // of the key, fit for logs
	Scopes  []Scope
	Plan    Plan
}

// Can reports whether the principal has the scope.
func (p Principal) Can(s Scope) bool { panic("unwritten") }

// Plans finds a plan by its name; Default is the name of the plan of a new account.
type Plans struct {
	Default string
	ByName  map[string]Plan
}

// DefaultPlans are the plans of a service of one's own: "self_hosted" without
// limits but for uploads of at most 4 GiB.
func DefaultPlans() Plans { panic("unwritten") }

// Accounts keeps accounts and keys. Safe for concurrent use.
type Accounts struct{}

// New keeps accounts and keys in s.
func New(s *store.Store, plans Plans) *Accounts { panic("unwritten") }

// Settings are the changes to an account. A nil or empty member leaves as it is.
type Settings struct {
	Plan      string
	Suspended *bool
}

// Set creates the account or changes it. The error names an unknown plan or a bad name.
func (a *Accounts) Set(ctx context.Context, name string, s Settings) (store.Account, error) {
	panic("unwritten")
}

// KeyParams are the parameters of a new key.
type KeyParams struct {
	Account   string
	Name      string
	Scopes    []Scope
	ExpiresAt *time.Time // nil: never
}

// CreateKey makes a key and returns what is known of it and, this once, the key
// itself. UPGRADE_REQUIRED when the account is not eligible.
func (a *Accounts) CreateKey(ctx context.Context, p KeyParams) (store.Key, string, error) {
	panic("unwritten")
}

// Verify returns who presents the key. ErrInvalid for a key that is malformed,
// unknown, revoked or expired; UPGRADE_REQUIRED (a *transcript.Error) when the
// account is suspended or its plan is not paid. A revocation is obeyed at once:
// nothing is remembered between two calls.
func (a *Accounts) Verify(ctx context.Context, key string) (Principal, error) { panic("unwritten") }
