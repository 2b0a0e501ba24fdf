package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/internal/commandline"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

type keysCommand struct {
	Create keysCreate `cmd:"" help:"Create a key: print only the key to standard output, and its description to standard error."`
	List   keysList   `cmd:"" help:"List the keys by their prefixes."`
	Revoke keysRevoke `cmd:"" help:"Revoke a key for good."`
}

type keysCreate struct {
	database
	service.PlansFlag
	Account string           `verb:"" required:"" help:"The account that owns the key."`
	Name    string           `verb:"" required:"" help:"A label for people."`
	Scopes  []account.Scope  `verb:"" required:"" enum:"transcripts,batches" help:"The key's scopes: ${enum}."`
	Expires commandline.Days `verb:"" placeholder:"90d" help:"When the key expires: a number of days, or a duration such as 36h. Default: never."`
}

// Run prints the key, only this once.
func (c *keysCreate) Run(ctx context.Context, out output) error {
	params := account.KeyParams{Account: c.Account, Name: c.Name, Scopes: c.Scopes}
	if c.Expires > 0 {
		at := time.Now().Add(time.Duration(c.Expires))
		params.ExpiresAt = &at
	}
	return c.withAccounts(ctx, false, c.Offered(), func(accounts *account.Accounts) error {
		key, secret, err := accounts.CreateKey(ctx, params)
		switch {
		case errors.Is(err, account.ErrNotFound):
			return fmt.Errorf("%w: make it with \"transcriptd accounts set %s\"", err, c.Account)
		case errors.Is(err, transcript.UpgradeRequired):
			return fmt.Errorf("%s: %s", strings.TrimSuffix(err.Error(), "."), c.cure(ctx, accounts, err))
		case err != nil:
			return err
		}
		fmt.Fprintf(out.Stderr, "Key %s %q of account %s for %s, expires: %s. It is not shown again.\n",
			key.Prefix, key.Name, key.Account, list(key.Scopes), when(key.ExpiresAt))
		_, err = fmt.Fprintln(out.Stdout, secret)
		return err
	})
}

// cure says how an account that was refused a key can get keys.
func (c *keysCreate) cure(ctx context.Context, accounts *account.Accounts, refusal error) string {
	if errors.Is(refusal, account.ErrNoPlan) && !c.Given() {
		return "--plans names the file of others"
	}
	all, _ := accounts.List(ctx) // without the list, the cure is to change the plan
	for _, a := range all {
		if a.Name == c.Account && a.Suspended {
			return fmt.Sprintf("\"transcriptd accounts set %s --activate\" takes its keys again", c.Account)
		}
	}
	plans := service.Paid(c.Offered())
	if plans == nil {
		return "no plan of --plans is paid"
	}
	return fmt.Sprintf("\"transcriptd accounts set %s --plan PLAN\" puts it on a paid one: %s", c.Account, service.Some(plans))
}

type keysList struct{ database }

// Run prints a table.
func (c *keysList) Run(ctx context.Context, out output) error {
	return c.withAccounts(ctx, false, account.DefaultPlans(), func(accounts *account.Accounts) error {
		keys, err := accounts.Keys(ctx)
		if err != nil {
			return err
		}
		table := newTable(out, "PREFIX\tACCOUNT\tNAME\tSCOPES\tSTATE\tCREATED\tEXPIRES\tLAST USED")
		for _, k := range keys {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
				k.Prefix, k.Account, k.Name, list(k.Scopes), keyState(k),
				transcript.At(k.CreatedAt), when(k.ExpiresAt), when(k.LastUsedAt))
		}
		return table.Flush()
	})
}

// list writes scopes in the form of --scopes.
func list(scopes []account.Scope) string {
	words := make([]string, len(scopes))
	for i, s := range scopes {
		words[i] = string(s)
	}
	return strings.Join(words, ",")
}

func keyState(k account.Key) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked"
	case k.ExpiresAt != nil && !time.Now().Before(*k.ExpiresAt):
		return "expired"
	}
	return "active"
}

func when(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return transcript.At(*t).String()
}

type keysRevoke struct {
	database
	Prefix string `arg:"" help:"The prefix in keys list, such as tr_9fK2mQ7a."`
}

// Run takes effect in running servers a second later.
func (c *keysRevoke) Run(ctx context.Context, out output) error {
	return c.withAccounts(ctx, false, account.DefaultPlans(), func(accounts *account.Accounts) error {
		err := accounts.Revoke(ctx, c.Prefix)
		if errors.Is(err, account.ErrNotFound) {
			return fmt.Errorf("%w: \"transcriptd keys list\" shows those there are", err)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out.Stderr, "Key %s is revoked.\n", c.Prefix)
		return err
	})
}
