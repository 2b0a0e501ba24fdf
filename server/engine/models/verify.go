package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Progress is called with the number of processed bytes of a file; total is the size of the
// file.
type Progress func(e Entry, done, total int64)

// Verify checks the hashes of everything that is installed, and compares each engine
// with its archive. It returns all items that are installed or damaged. If a file
// differs from the published file, Verify renames the file so that no program uses it,
// and returns the item with [StateDamaged]. progress may be nil.
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
	there, err := os.Stat(f.unpacked(e))
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	err = f.verifyUnpacked(ctx, e)
	if errors.Is(err, ErrHash) {
		err = errors.Join(err, f.putAside(ctx, f.unpacked(e), there))
	}
	return err
}

// verifyFile hashes an installed file. It puts a file with a wrong hash aside; the error is
// then ErrHash.
func (f *Folder) verifyFile(ctx context.Context, e Entry, progress Progress) error {
	file, err := os.Open(f.file(e))
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	defer func() { _ = file.Close() }() // it is only read
	there, err := file.Stat()
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, f.reader(ctx, file, e, 0, progress)); err != nil {
		return fmt.Errorf("models: %s: %w", e.Name, err)
	}
	if hex.EncodeToString(hash.Sum(nil)) == e.SHA256 {
		return nil
	}
	return errors.Join(fmt.Errorf("%w: %s is damaged, and has to be pulled again", ErrHash, e.Name), f.putAside(ctx, f.file(e), there))
}

// putAside renames a damaged file, if it still is the file that was checked: another process
// may have pulled it again meanwhile, or be about to. If this process may not change the
// folder, the file stays, and is not used.
func (f *Folder) putAside(ctx context.Context, path string, seen os.FileInfo) error {
	lock, err := f.lock(ctx)
	if errors.Is(err, ErrBusy) || errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock(lock)
	if there, err := os.Lstat(path); err != nil || !os.SameFile(seen, there) {
		return nil //nolint:nilerr // it is gone already
	}
	if err := os.RemoveAll(path + damaged); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	if err := os.Rename(path, path+damaged); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	return nil
}

// reader reads a file of an entry, reports progress from the byte number from on, and ends with
// ctx.
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
