package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/term"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// usersCommand is for operators. Its commands also work while the website runs.
type usersCommand struct {
	Add      usersAdd      `cmd:"" help:"Add a user. The command asks for the password, or reads it from standard input."`
	List     usersList     `cmd:"" help:"List the users."`
	Change   usersChange   `cmd:"" help:"Give a user the role of an administrator, or take it away."`
	Password usersPassword `cmd:"" help:"Give a user another password, and end their sessions."`
	Remove   usersRemove   `cmd:"" help:"Remove a user's access, and with --account also the account of that name with all its texts and keys."`
}

// usersDatabase are the website's flags that all these commands share.
type usersDatabase struct {
	service.DatabaseFlag
	service.PlansFlag
}

// opened is the database of a website.
type opened struct {
	*visitor.Visitors
	store    *store.Store
	accounts *account.Accounts
}

// withVisitors opens the users in the database of a website.
func (d usersDatabase) withVisitors(ctx context.Context, use func(*visitor.Visitors) error) error {
	return d.withData(ctx, store.Options{Blobs: store.InMemory}, func(o opened) error { return use(o.Visitors) })
}

// withData opens a website's database, and the place of its blobs.
func (d usersDatabase) withData(ctx context.Context, o store.Options, use func(opened) error) (err error) {
	o.Database, o.MustExist = string(d.DB), true
	s, err := store.Open(ctx, o)
	if errors.Is(err, store.ErrNoDatabase) {
		return fmt.Errorf("%w: name the right one with --db, or serve the website once", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	accounts, err := account.New(s, d.Offered())
	if err != nil {
		return err
	}
	visitors, err := visitor.New(ctx, visitor.Options{Database: string(d.DB), Accounts: accounts, Keys: server.KeyAuthenticator(accounts, nil)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, visitors.Close()) }()
	return use(opened{visitors, s, accounts})
}

type usersAdd struct {
	usersDatabase
	Name  string `arg:"" help:"The user. An account of that name in the service becomes theirs."`
	Admin bool   `verb:"" help:"Make the user an administrator, who sees the pages under /admin."`
}

// Run asks for a password.
func (c *usersAdd) Run(ctx context.Context, out output) error {
	return c.withVisitors(ctx, func(visitors *visitor.Visitors) error {
		password, err := readPassword(ctx, out)
		if err != nil {
			return err
		}
		if _, err := visitors.AddUser(ctx, c.Name, password); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		if c.Admin {
			if err := visitors.Admins.Set(ctx, c.Name, true); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(out.Stderr, "%s can sign in.\n", c.Name)
		return err
	})
}

type usersList struct{ usersDatabase }

// Run prints a table.
func (c *usersList) Run(ctx context.Context, out output) error {
	return c.withVisitors(ctx, func(visitors *visitor.Visitors) error {
		all, err := visitors.Users(ctx)
		if err != nil {
			return err
		}
		table := tabwriter.NewWriter(out.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "USER\tCREATED\tROLE")
		for _, p := range all {
			fmt.Fprintf(table, "%s\t%s\t%s\n", p.Name, p.CreatedAt.Format(time.RFC3339), roleOf(p.Admin))
		}
		return table.Flush()
	})
}

// roleOf names a role for people.
func roleOf(admin bool) string {
	if admin {
		return "administrator"
	}
	return "user"
}

type usersChange struct {
	usersDatabase
	Name  string `arg:"" help:"The user."`
	Admin *bool  `verb:"" negatable:"" required:"" help:"Whether the user is an administrator, who sees the pages under /admin."`
}

// Run takes effect with the next request of the user.
func (c *usersChange) Run(ctx context.Context, out output) error {
	return c.withVisitors(ctx, func(visitors *visitor.Visitors) error {
		if err := visitors.Admins.Set(ctx, c.Name, *c.Admin); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		_, err := fmt.Fprintf(out.Stderr, "%s has the role: %s.\n", c.Name, roleOf(*c.Admin))
		return err
	})
}

type usersPassword struct {
	usersDatabase
	Name string `arg:"" help:"The user."`
}

// Run asks for a password.
func (c *usersPassword) Run(ctx context.Context, out output) error {
	return c.withVisitors(ctx, func(visitors *visitor.Visitors) error {
		password, err := readPassword(ctx, out)
		if err != nil {
			return err
		}
		if err := visitors.SetPassword(ctx, c.Name, password); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		_, err = fmt.Fprintf(out.Stderr, "%s has another password, and is signed out everywhere.\n", c.Name)
		return err
	})
}

// readPassword asks for a password twice, without showing it. If standard input is no terminal,
// it reads the password from the first line.
func readPassword(ctx context.Context, out output) (string, error) {
	if !term.IsTerminal(int(out.Stdin.Fd())) {
		return firstLine(out.Stdin)
	}
	var given [2]string
	for n, prompt := range []string{"Password: ", "The same again: "} {
		fmt.Fprint(out.Stderr, prompt)
		typed, err := readHidden(ctx, int(out.Stdin.Fd()))
		fmt.Fprintln(out.Stderr)
		if err != nil {
			return "", fmt.Errorf("reading the password: %w", err)
		}
		given[n] = typed
	}
	if given[0] != given[1] {
		return "", errors.New("the two passwords differ: nothing was changed")
	}
	return given[0], nil
}

// readHidden reads a line that the terminal does not show. An interruption restores the
// terminal.
func readHidden(ctx context.Context, terminal int) (string, error) {
	before, err := term.GetState(terminal)
	if err != nil {
		return "", err
	}
	type line struct {
		text []byte
		err  error
	}
	typed := make(chan line, 1)
	go func() {
		text, err := term.ReadPassword(terminal)
		typed <- line{text, err}
	}()
	select {
	case l := <-typed:
		return string(l.text), l.err
	case <-ctx.Done():
		return "", errors.Join(ctx.Err(), term.Restore(terminal, before))
	}
}

func firstLine(r io.Reader) (string, error) {
	const most = 64 << 10 // bytes, far more than a password has
	line, err := bufio.NewReader(io.LimitReader(r, most)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("reading the password: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}
