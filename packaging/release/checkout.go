package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// checkout is the source of a release: a clone of its own, in a temporary folder. Files that no
// commit has cannot get into the release.
type checkout struct {
	dir    string
	commit string
	time   time.Time // of the commit: the time of every file of the release
	own    []program // for this machine; nil if not built yet
}

// openCheckout clones the commit that is checked out in dir. It refuses a checkout with changes
// that are not committed, because other people could not rebuild the release. The caller closes
// the clone.
func openCheckout(ctx context.Context, dir string) (_ *checkout, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	changes, err := output(ctx, dir, nil, "git", "status", "--porcelain")
	if err != nil {
		return nil, fmt.Errorf("--checkout: %w", err)
	}
	if first, _, _ := strings.Cut(changes, "\n"); first != "" {
		return nil, fmt.Errorf("--checkout: %s has a change that no commit has (%s): commit or remove the change", dir, strings.TrimSpace(first))
	}
	c := new(checkout)
	if c.dir, err = os.MkdirTemp("", "release-source-"); err != nil {
		return nil, err
	}
	if err := c.clone(ctx, dir); err != nil {
		return nil, errors.Join(fmt.Errorf("--checkout: %w", err), c.close())
	}
	return c, nil
}

func (c *checkout) clone(ctx context.Context, from string) error {
	about, err := output(ctx, from, nil, "git", "show", "--no-patch", "--format=%H %ct", "HEAD")
	if err != nil {
		return err
	}
	commit, seconds, _ := strings.Cut(strings.TrimSpace(about), " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("the time of the commit: %w", err)
	}
	c.commit, c.time = commit, time.Unix(unix, 0).UTC()
	if _, err := output(ctx, from, nil, "git", "clone", "--quiet", "--no-checkout", ".", c.dir); err != nil {
		return err
	}
	_, err = output(ctx, c.dir, nil, "git", "-c", "advice.detachedHead=false", "checkout", "--quiet", commit)
	return err
}

func (c *checkout) close() error { return os.RemoveAll(c.dir) }

// path returns the path of a file of the checkout.
func (c *checkout) path(name string) string { return filepath.Join(c.dir, filepath.FromSlash(name)) }

// file reads a file of the checkout.
func (c *checkout) file(name string) ([]byte, error) { return os.ReadFile(c.path(name)) }

// output runs a program in dir with more environment variables, and returns what the program
// printed. The error has what the program complained about.
func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Env = dir, append(os.Environ(), env...) //nolint:forbidigo // git and go need the settings of the user
	var complaint bytes.Buffer
	command.Stderr = &complaint
	printed, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), err, strings.TrimSpace(complaint.String()))
	}
	return string(printed), nil
}
