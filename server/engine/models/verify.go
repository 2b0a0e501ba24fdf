package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
)

// Progress is told how many bytes of a file are done; total is its size.
type Progress func(e Entry, done, total int64)

// Verify hashes all that is installed, and compares each engine with its archive.
// What is not as it was published is put aside, so that nothing uses it, and is
// [StateDamaged] in the answer: all items that are installed or damaged. progress may
// be nil.
func (f *Folder) Verify(ctx context.Context, progress Progress) ([]Item, error) {
	all, err := f.List(ctx)
	if err != nil {
		return nil, err
	}
	var there []Item
	for _, item := range all {
		if item.State == StateInstalled {
			switch err := f.verify(ctx, item.Entry, progress); {
			case errors.Is(err, ErrHash):
				item.State, item.Path = StateDamaged, ""
			case err != nil:
				return nil, err
			}
		}
		if item.State == StateInstalled || item.State == StateDamaged {
			there = append(there, item)
		}
	}
	return there, nil
}

func (f *Folder) verify(ctx context.Context, e Entry, progress Progress) error {
	if err := f.verifyFile(ctx, e, progress); err != nil || e.Kind != KindEngine {
		return err
	}
	return f.verifyUnpacked(ctx, e)
}

// verifyFile hashes an installed file. One whose hash is wrong is put aside; the
// error is ErrHash then.
func (f *Folder) verifyFile(ctx context.Context, e Entry, progress Progress) error {
	file, err := os.Open(f.file(e))
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	defer func() { _ = file.Close() }() // it is only read
	hash := sha256.New()
	if _, err := io.Copy(hash, f.reader(ctx, file, e, 0, progress)); err != nil {
		return fmt.Errorf("models: %s: %w", e.Name, err)
	}
	if hex.EncodeToString(hash.Sum(nil)) == e.SHA256 {
		return nil
	}
	return errors.Join(fmt.Errorf("%w: %s: pull it again", ErrHash, file.Name()), f.putAside(ctx, e, file))
}

// putAside takes the final name from a damaged file, if it still is what was hashed:
// another process may have pulled it again meanwhile, or be about to.
func (f *Folder) putAside(ctx context.Context, e Entry, hashed *os.File) error {
	lock, err := f.lock(ctx)
	if err != nil {
		return nil //nolint:nilerr // who may not change the folder leaves the file, and does not use it
	}
	defer unlock(lock)
	is, err := hashed.Stat()
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	if there, err := os.Lstat(f.file(e)); err != nil || !os.SameFile(is, there) {
		return nil //nolint:nilerr // it has gone already
	}
	if err := os.Rename(f.file(e), f.damaged(e)); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	return nil
}

// reader reads a file of an entry, tells progress from a number of bytes on, and ends with ctx.
func (f *Folder) reader(ctx context.Context, r io.Reader, e Entry, from int64, progress Progress) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		n, err := r.Read(b)
		from += int64(n)
		if progress != nil && n > 0 {
			progress(e, from, e.Bytes)
		}
		return n, err
	})
}

type readerFunc func([]byte) (int, error)

func (r readerFunc) Read(b []byte) (int, error) { return r(b) }
