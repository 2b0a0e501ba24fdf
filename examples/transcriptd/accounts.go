package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

type accountsCommand struct {
	Set     accountsSet     `cmd:"" help:"Create an account or change it."`
	List    accountsList    `cmd:"" help:"List the accounts."`
	Expired accountsExpired `cmd:"" help:"Show what the plans keep no longer, and change nothing: a dry run of what the service removes every hour."`
	Export  accountsExport  `cmd:"" help:"Write everything that an account has into a ZIP file."`
	Remove  accountsRemove  `cmd:"" help:"Remove an account with everything that belongs to it, for good."`
}

type accountsSet struct {
	database
	service.PlansFlag
	Name       string     `arg:"" help:"The account."`
	Plan       string     `verb:"" help:"The account's plan, one of --plans; a new account gets the default plan."`
	PromptFile promptFile `verb:"" placeholder:"FILE" help:"A text file with names and words that are likely to be said in the account's uploads, at most 800 characters, separated by commas. Ten names help, seventy do not. An empty file removes them."`
	Suspend    bool       `verb:"" xor:"state" help:"Refuse the account's keys until it is activated again."`
	Activate   bool       `verb:"" xor:"state" help:"Accept the account's keys again."`
}

// Run also works while a server runs on the same database.
func (c *accountsSet) Run(ctx context.Context, out output) error {
	settings := account.Settings{Plan: c.Plan, Prompt: c.PromptFile.text}
	if c.Suspend || c.Activate {
		settings.Suspended = &c.Suspend
	}
	return c.withAccounts(ctx, true, c.Offered(), func(accounts *account.Accounts) error {
		acc, err := accounts.Set(ctx, c.Name, settings)
		if errors.Is(err, account.ErrNoPlan) && !c.Given() {
			return fmt.Errorf("%w: --plans names the file of others", err)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out.Stderr, "Account %s: plan %s, %s, %s.\n", acc.Name, acc.Plan, state(acc), promptOf(acc))
		return err
	})
}

// promptOf returns only the length of an account's prompt.
func promptOf(acc account.Account) string {
	if acc.Prompt == "" {
		return "no prompt"
	}
	return fmt.Sprintf("a prompt of %d characters", utf8.RuneCountInString(acc.Prompt))
}

// promptFile is the text of a file with a prompt.
type promptFile struct{ text *string } // nil means that none was named

// UnmarshalText is called by the parser, with the file's name.
func (p *promptFile) UnmarshalText(path []byte) error {
	const most = 64 << 10 // bytes, far more than a prompt may have
	f, err := os.Open(string(path))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return err
	case len(b) > most:
		return fmt.Errorf("%s: want at most %d characters", path, account.MaxPrompt)
	}
	p.text = new(strings.TrimPrefix(string(b), "\ufeff")) // without the byte order mark that some editors write
	return nil
}

func state(acc account.Account) string {
	if acc.Suspended {
		return "suspended"
	}
	return "active"
}

type accountsList struct {
	database
	service.PlansFlag
}

// Run prints a table.
func (c *accountsList) Run(ctx context.Context, out output) error {
	offered := c.Offered()
	return c.withAccounts(ctx, false, offered, func(accounts *account.Accounts) error {
		all, err := accounts.List(ctx)
		if err != nil {
			return err
		}
		table := newTable(out, "ACCOUNT\tPLAN\tSTATE\tPROMPT\tCREATED")
		for _, acc := range all {
			plan := acc.Plan
			if _, there := offered.ByName[plan]; !there {
				plan += "(unknown)"
			}
			prompt := "no"
			if acc.Prompt != "" {
				prompt = "yes"
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", acc.Name, plan, state(acc), prompt, transcript.At(acc.CreatedAt))
		}
		return table.Flush()
	})
}

// newTable returns a writer of aligned columns, for people and for awk. The caller flushes it.
func newTable(out output, header string) *tabwriter.Writer {
	table := tabwriter.NewWriter(out.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, header)
	return table
}
