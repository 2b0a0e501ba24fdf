package account_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// What an operator offers stands in a file; what is missing there permits nothing.
func ExampleReadPlans() {
	plans, err := account.ReadPlans(strings.NewReader(`{
		"defaultPlan": "free",
		"plans": {
			"free": {"actionLabel": "Choose a plan", "actionUrl": "https://example.com/plans"},
			"basic": {"paid": true, "rateLimit": {"requests": 60, "windowSec": 60}, "transcriptsPerPeriod": 1000, "asr": false}
		}
	}`))
	if err != nil {
		log.Fatal(err)
	}
	basic := plans.ByName["basic"]
	fmt.Println(plans.Default, basic.TranscriptsPerPeriod, basic.RateLimit.Window, basic.Upload)

	_, err = account.ReadPlans(strings.NewReader(`{"defaultPlan": "free", "plans": {"free": {"asrMinutesPerPeriod": -1}}}`))
	fmt.Println(err)
	// Output:
	// free 1000 1m0s false
	// account: plans.free.asrMinutesPerPeriod is -1: it must be a whole number, 0 to 9007199254740991, or null
}

// customers is the billing of a program that embeds the service.
type customers map[string]account.Plan

// PlanOf takes the account by its name; which plan is noted with it is of no concern.
func (c customers) PlanOf(_ context.Context, a account.Account) (account.Plan, error) {
	plan, ok := c[a.Name]
	if !ok {
		return account.Plan{ActionURL: "https://example.com/plans"}, account.ErrNoPlan
	}
	return plan, nil
}

// A billing database says who has which plan.
func ExamplePlanSource() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, store.Options{Database: "sqlite:" + filepath.Join(dir, "service.db"), Blobs: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	accounts, err := account.New(s, customers{"acme": account.WithoutLimits("yearly")})
	if err != nil {
		log.Fatal(err)
	}
	acme, err := accounts.Set(ctx, "acme", account.Settings{})
	fmt.Println(acme.Plan, err)
	_, err = accounts.Set(ctx, "globex", account.Settings{})
	fmt.Println(errors.Is(err, account.ErrNoPlan))
	// Output:
	// yearly <nil>
	// true
}

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, store.Options{
		Database: "sqlite:" + filepath.Join(dir, "service.db"),
		Blobs:    filepath.Join(dir, "blobs"),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	accounts, err := account.New(s, account.DefaultPlans())
	if err != nil {
		log.Fatal(err)
	}
	if _, err := accounts.Set(ctx, "acme", account.Settings{}); err != nil {
		log.Fatal(err)
	}
	key, secret, err := accounts.CreateKey(ctx, account.KeyParams{
		Account: "acme", Name: "ci", Scopes: []account.Scope{account.Transcripts},
	})
	if err != nil {
		log.Fatal(err)
	}
	who, err := accounts.Verify(ctx, secret)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(who.Account, who.Plan.Name, who.Can(account.Transcripts), who.Can(account.Batches))

	if err := accounts.Revoke(ctx, key.Prefix); err != nil {
		log.Fatal(err)
	}
	_, err = accounts.Verify(ctx, secret)
	fmt.Println(errors.Is(err, account.ErrInvalid))
	// Output:
	// acme self_hosted true false
	// true
}
