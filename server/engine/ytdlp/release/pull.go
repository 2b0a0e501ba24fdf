package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/transcriptkit/transcriptkit/server/engine/models"
)

// Pull carries out a plan of this folder, and returns the version of the executable that the
// folder then has. If it is interrupted, the received bytes stay for the next pull. progress may
// be nil.
//
// Errors: [models.ErrBusy] while another pull runs; [models.ErrHash]; [ErrOld] for a release that
// is older than the compiled-in one, or than the folder's; a file that does not run here; errors
// of networks and disks. After an error the folder has the executable that it had.
func (f *Folder) Pull(ctx context.Context, plan Plan, progress models.Progress) (version string, err error) {
	if plan.There != "" {
		return plan.There, nil
	}
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return "", fmt.Errorf("release: %w", err)
	}
	lock := flock.New(filepath.Join(f.dir, ".pull"))
	switch held, err := lock.TryLock(); {
	case err != nil:
		return "", fmt.Errorf("release: lock: %w", err)
	case !held:
		return "", fmt.Errorf("%w: %s", models.ErrBusy, f.dir)
	}
	defer func() { _ = lock.Unlock() }() // the lock ends with the process anyway
	if err := plan.files.Pull(ctx, plan.Plan, progress); err != nil {
		return "", err
	}
	all, err := plan.files.List(ctx)
	if err != nil {
		return "", err
	}
	version, err = f.judge(ctx, plan, all[0].Path)
	if err != nil {
		if ctx.Err() == nil && !f.uses(all[0].Path) { // after an interruption the next pull need not download the file again
			err = errors.Join(err, os.RemoveAll(filepath.Dir(all[0].Path)))
		}
		return "", err
	}
	return version, f.use(all[0].Path)
}

// judge runs a downloaded executable once, and refuses a release that is too old.
func (f *Folder) judge(ctx context.Context, plan Plan, program string) (version string, err error) {
	if err := errors.Join(os.Chmod(program, 0o755), os.Chmod(filepath.Dir(program), 0o755)); err != nil { //nolint:gosec // confined programs of other users run it
		return "", fmt.Errorf("release: %w", err)
	}
	version, err = f.version(ctx, program)
	if err != nil {
		return "", err
	}
	least := max(f.known.Version, f.present(ctx))
	switch {
	case version < least:
		return "", fmt.Errorf("%w: the server offers %s as the newest, and %s is older than %s: the server may withhold newer ones, use another", ErrOld, version, version, least)
	case plan.Version != "" && version != plan.Version:
		return "", fmt.Errorf("release: the executable says that it is release %s, and should be %s", version, plan.Version)
	}
	return version, nil
}

// uses reports whether a file is the folder's executable.
func (f *Folder) uses(program string) bool {
	is, err := os.Stat(f.Program())
	other, otherErr := os.Stat(program)
	return err == nil && otherErr == nil && os.SameFile(is, other)
}

// use makes a file the folder's executable, in one step, and removes older ones.
func (f *Folder) use(program string) error {
	own := filepath.Base(filepath.Dir(program))
	link := f.Program() + ".new"
	if err := os.Remove(link); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("release: %w", err)
	}
	if err := os.Symlink(filepath.Join(own, filepath.Base(program)), link); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	if err := os.Rename(link, f.Program()); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	all, err := filepath.Glob(filepath.Join(f.dir, entryName+"-*"))
	for _, old := range all {
		if filepath.Base(old) != own {
			err = errors.Join(err, os.RemoveAll(old))
		}
	}
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	return nil
}
