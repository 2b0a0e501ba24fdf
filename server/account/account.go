// Package account manages the users of the service: accounts, their plans, and the API keys
// that programs present.
//
//	plans, err := account.ReadPlans(file) // or DefaultPlans(), or your own PlanSource
//	accounts, err := account.New(s, plans)
//	_, err = accounts.Set(ctx, "acme", account.Settings{Plan: "basic"})
//	key, secret, err := accounts.CreateKey(ctx, account.KeyParams{Account: "acme", Name: "ci", Scopes: account.Scopes()})
//	principal, err := accounts.Verify(ctx, secret) // the account behind a key, and whether it may use the service
//
// The package does not depend on HTTP: the server decides which header carries a key.
package account

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// ErrNotFound means that the account or key does not exist. An error that wraps it
// names the requested account or key.
var ErrNotFound = errors.New("account: there is no such account or key")

// ErrBeingRemoved means that an account of this name is being removed and still has
// data. Call server.Server.RemoveAccount to finish the removal.
var ErrBeingRemoved = errors.New("account: the account is being removed")

// notFound is an ErrNotFound that names the missing thing.
type notFound string

func (e notFound) Error() string { return "account: " + string(e) }

// Is makes errors.Is find ErrNotFound.
func (notFound) Is(target error) bool { return target == ErrNotFound }

// Account is a customer of the service.
type Account struct {
	Name      string // the name that the operator has chosen
	Plan      string // the name of its plan: see PlanSource
	Suspended bool   // whether its keys are refused
	// Prompt has names and words that are likely to be said in the account's uploads;
	// may be empty.
	Prompt    string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Accounts manages accounts and keys in a store. It is safe for concurrent use.
type Accounts struct {
	db    *db.Store
	plans inquiries

	memory   memory
	touching sync.Map // ids of the keys whose use is being recorded at the moment
}

// New returns the accounts and keys in s. source returns their plans. If source is a
// [Plans] without its default plan, or with an impossible limit, New returns an error.
//
// An Accounts caches a key for a second. Changes made through this Accounts take effect
// at once. Changes made through another Accounts, in this process or elsewhere, take
// effect within about a second. So share one Accounts between a server and the
// embedding program: set server.Config.Accounts.
func New(s *store.Store, source PlanSource) (*Accounts, error) {
	if source == nil {
		return nil, errors.New("account: the PlanSource is nil: use DefaultPlans, for example")
	}
	if plans, ok := source.(Plans); ok {
		if err := plans.check(); err != nil {
			return nil, err
		}
	}
	return &Accounts{db: db.Of(s), plans: inquiries{source: source}}, nil
}

// Settings are the changes to an account. An empty or nil field changes nothing. A new account
// is active and on the default plan.
type Settings struct {
	Plan      string
	Suspended *bool
	// Prompt holds names and words that are likely to be said in the account's uploads:
	// recognizers that take a prompt recognize them more reliably. At most [MaxPrompt]
	// characters of UTF-8. Runs of white space count as one space; other control characters are
	// refused. An empty text removes the prompt. A new prompt applies to uploads that are
	// accepted from then on. If a client sends a recording again that was recognized with
	// another prompt, the server recognizes the recording again. Prompts never apply to links,
	// because all accounts share the text of a link.
	Prompt *string
}

// nameGrammar limits an account's name, because the name goes into logs, command lines and
// lists.
var nameGrammar = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}$`)

// Set creates the account or changes it. A name consists of 1 to 128 letters, digits and
// . _ @ + -, begins with a letter or digit, and is case-sensitive. Set returns an error
// if the name or the prompt is not valid, and [ErrNoPlan] if the plan is unknown. If an
// account of this name is being removed, the error is [ErrBeingRemoved]. After the
// removal, Set makes a new account.
func (a *Accounts) Set(ctx context.Context, name string, s Settings) (Account, error) {
	if !nameGrammar.MatchString(name) {
		return Account{}, fmt.Errorf("account: the name %q is not 1 to 128 letters, digits and . _ @ + - that begin with a letter or digit", name)
	}
	prompt, err := promptToSet(s)
	if err != nil {
		return Account{}, err
	}
	first, err := a.planToSet(ctx, name, s)
	if err != nil {
		return Account{}, err
	}
	var acc db.Account
	err = a.db.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Removals.Forget(ctx, name); err != nil {
			return err
		}
		var err error
		acc, err = tx.Accounts.ByID(ctx, name)
		if errors.Is(err, db.ErrNotFound) {
			acc, err = db.Account{ID: name, Plan: first, CreatedAt: now()}, nil
		}
		if err != nil {
			return err
		}
		if s.Plan != "" {
			acc.Plan = s.Plan
		}
		if s.Suspended != nil {
			acc.Suspended = *s.Suspended
		}
		if prompt != nil {
			acc.Prompt = *prompt
		}
		acc.UpdatedAt = now()
		return tx.Accounts.Put(ctx, acc)
	})
	a.memory.forget()
	if errors.Is(err, db.ErrBeingRemoved) {
		return Account{}, fmt.Errorf("%w: %s", ErrBeingRemoved, name)
	}
	if err != nil {
		return Account{}, fmt.Errorf("account: setting %s: %w", name, err)
	}
	return accountOf(acc), nil
}

// planToSet asks the source for the named plan, or for the plan of a new account, and returns
// the plan's name. It asks before the transaction begins, because a transaction must not wait
// for the source.
func (a *Accounts) planToSet(ctx context.Context, name string, s Settings) (string, error) {
	row, err := a.db.Accounts.ByID(ctx, name)
	switch isNew := errors.Is(err, db.ErrNotFound); {
	case err != nil && !isNew:
		return "", fmt.Errorf("account: setting %s: %w", name, err)
	case !isNew && s.Plan == "":
		return row.Plan, nil
	}
	about := accountOf(row)
	about.Name, about.Plan = name, s.Plan
	plan, err := askInTime(ctx, a.plans.source, about, new(atomic.Int32))
	if err != nil {
		return "", err
	}
	return plan.Name, nil
}

func accountOf(row db.Account) Account {
	return Account{row.ID, row.Plan, row.Suspended, row.Prompt, row.CreatedAt, row.UpdatedAt}
}

// Account returns an account by its name, or [ErrNotFound].
func (a *Accounts) Account(ctx context.Context, name string) (Account, error) {
	row, err := a.db.Accounts.ByID(ctx, name)
	if errors.Is(err, db.ErrNotFound) {
		return Account{}, notFound(fmt.Sprintf("there is no account %q", name))
	}
	if err != nil {
		return Account{}, fmt.Errorf("account: looking up an account: %w", err)
	}
	return accountOf(row), nil
}

// List returns all accounts, sorted by name.
func (a *Accounts) List(ctx context.Context) ([]Account, error) {
	rows, err := a.db.Accounts.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("account: listing: %w", err)
	}
	all := make([]Account, len(rows))
	for i, row := range rows {
		all[i] = accountOf(row)
	}
	return all, nil
}

// now returns the current time in the precision of the API's times.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
