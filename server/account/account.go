// Package account knows who may use the service: accounts, their plans, and
// the API keys that programs present.
//
//	plans, err := account.ReadPlans(file) // or DefaultPlans(), or a PlanSource of one's own
//	accounts, err := account.New(s, plans)
//	_, err = accounts.Set(ctx, "acme", account.Settings{Plan: "basic"})
//	key, secret, err := accounts.CreateKey(ctx, account.KeyParams{Account: "acme", Name: "ci", Scopes: account.Scopes()})
//	principal, err := accounts.Verify(ctx, secret) // who presents a key, and whether they may
//
// The package knows no HTTP: which header carries a key is the server's business.
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

// ErrNotFound says that there is no such account or key. An error around it names
// the one that was asked for.
var ErrNotFound = errors.New("account: there is no such account or key")

// notFound is an ErrNotFound that says what there is not.
type notFound string

func (e notFound) Error() string { return "account: " + string(e) }

// Is makes errors.Is find ErrNotFound.
func (notFound) Is(target error) bool { return target == ErrNotFound }

// Account is a customer of the service.
type Account struct {
	Name      string // as the operator gave it
	Plan      string // the name of its plan, which the PlanSource knows
	Suspended bool   // its keys are refused until that is changed
	// Prompt are names and words that are likely to be said in what it uploads. Empty:
	// none are known.
	Prompt    string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Accounts keeps accounts and keys. Safe for concurrent use.
type Accounts struct {
	db    *db.Store
	plans inquiries

	memory   memory
	touching sync.Map // ids of the keys whose use is being noted
}

// New keeps accounts and keys in s; their plans are what the source says. Where it is
// [Plans], the error says that the default one is none of them, or names a limit that
// cannot be meant.
//
// An Accounts remembers a key for a second, so that not every request looks it up.
// What is changed through it counts at once; what another one changes, in this
// process or elsewhere, a second later. A server and the program around it share
// one: server.Config.Accounts.
func New(s *store.Store, source PlanSource) (*Accounts, error) {
	if source == nil {
		return nil, errors.New("account: there is no PlanSource: DefaultPlans is one")
	}
	if plans, ok := source.(Plans); ok {
		if err := plans.check(); err != nil {
			return nil, err
		}
	}
	return &Accounts{db: db.Of(s), plans: inquiries{source: source}}, nil
}

// Settings are the changes to an account. An empty or nil member changes nothing; a
// new account is active, on the default plan.
type Settings struct {
	Plan      string
	Suspended *bool
	// Prompt are names and words that are likely to be said in what the account uploads:
	// recognizers that take a prompt hear them more surely. At most [MaxPrompt]
	// characters of UTF-8; runs of white space count as one space, and no other control
	// characters are taken. An empty text removes it. It guides uploads that are accepted
	// from now on, and what was recognized with another prompt is recognized anew when it
	// is sent again; links never, as what is heard in them is everybody's.
	Prompt *string
}

// nameGrammar bounds what an operator may call an account: a name goes into
// logs, command lines and lists.
var nameGrammar = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}$`)

// Set creates the account or changes it. A name is 1 to 128 letters, digits and
// . _ @ + - that begin with a letter or digit, case-sensitive. The error names
// a bad name, a prompt that cannot be used, or an unknown plan ([ErrNoPlan]).
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
		var err error
		acc, err = tx.Account(ctx, name)
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
		return tx.PutAccount(ctx, acc)
	})
	a.memory.forget()
	if err != nil {
		return Account{}, fmt.Errorf("account: setting %s: %w", name, err)
	}
	return accountOf(acc), nil
}

// planToSet asks the source for a plan that is named, or that of a new account, and
// returns its name. It is asked before the transaction, which must not wait for it.
func (a *Accounts) planToSet(ctx context.Context, name string, s Settings) (string, error) {
	row, err := a.db.Account(ctx, name)
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

// Account returns an account by its name; [ErrNotFound] where there is none.
func (a *Accounts) Account(ctx context.Context, name string) (Account, error) {
	row, err := a.db.Account(ctx, name)
	if errors.Is(err, db.ErrNotFound) {
		return Account{}, notFound(fmt.Sprintf("there is no account %q", name))
	}
	if err != nil {
		return Account{}, fmt.Errorf("account: looking up an account: %w", err)
	}
	return accountOf(row), nil
}

// List returns all accounts by name.
func (a *Accounts) List(ctx context.Context) ([]Account, error) {
	rows, err := a.db.Accounts(ctx)
	if err != nil {
		return nil, fmt.Errorf("account: listing: %w", err)
	}
	all := make([]Account, len(rows))
	for i, row := range rows {
		all[i] = accountOf(row)
	}
	return all, nil
}

// now is the present in the precision of the API's times.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
