package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"

	"github.com/gofrs/flock"
)

// partial is a file on its way, with the hash of what is there.
type partial struct {
	entry   Entry
	file    *os.File
	lock    *flock.Flock // of this very file
	tagPath string
	tag     string // the server's name for the version that this is part of; may be empty
	hash    hash.Hash
	have    int64 // bytes
}

// maxTag bounds what a server calls a version, bytes.
const maxTag = 256

var errTooLong = errors.New("there is more than the file has")

// openPartial takes up a partial file, or begins one. What is there is hashed: the
// state of a hash cannot be trusted to have been kept.
func (f *Folder) openPartial(ctx context.Context, e Entry, progress Progress) (*partial, error) {
	if err := errors.Join(removeOdd(f.partial(e)), removeOdd(f.tag(e))); err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	file, err := os.OpenFile(f.partial(e), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	p := &partial{entry: e, file: file, lock: flock.New(file.Name()), tagPath: f.tag(e), hash: sha256.New()}
	if err := p.own(); err != nil {
		return nil, errors.Join(err, p.close())
	}
	p.have, err = io.Copy(p.hash, f.reader(ctx, file, e, 0, progress))
	if err == nil && p.have > e.Bytes {
		err = p.reset()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("models: %s: %w", e.Name, err), p.close())
	}
	tag, err := os.ReadFile(p.tagPath)
	if err == nil && len(tag) <= maxTag {
		p.tag = string(tag) // else it is resumed without: the hash tells
	}
	return p, nil
}

// own keeps the file from other pulls, also from one that does not see the folder's lock,
// because somebody has removed that: two that write to one file, each with its own hash,
// would give a false file its final name.
func (p *partial) own() error {
	if runtime.GOOS != "windows" { // where nobody could write to a locked file
		switch held, err := p.lock.TryLock(); {
		case err != nil:
			return fmt.Errorf("models: lock: %w", err)
		case !held:
			return fmt.Errorf("%w: %s", ErrBusy, p.file.Name())
		}
	}
	if !p.inPlace() { // another one has just finished it
		return fmt.Errorf("%w: %s", ErrBusy, p.file.Name())
	}
	return nil
}

// inPlace reports whether the open file is still the one of its name.
func (p *partial) inPlace() bool {
	open, err := p.file.Stat()
	named, err2 := os.Lstat(p.file.Name())
	return err == nil && err2 == nil && os.SameFile(open, named)
}

// close lets go of the file. It may be called again.
func (p *partial) close() error {
	unlock(p.lock)
	if err := p.file.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// removeOdd takes a name from what is no file, so that nothing is written into another
// file that it leads to.
func removeOdd(path string) error {
	if _, err := size(path); errors.Is(err, errNoFile) {
		return os.Remove(path)
	}
	return nil // a failure shows when it is opened
}

// reset begins anew.
func (p *partial) reset() error {
	p.hash.Reset()
	p.have = 0
	p.setTag("")
	_, err := p.file.Seek(0, io.SeekStart)
	return errors.Join(p.file.Truncate(0), err)
}

// setTag notes which version the server sends. Only a strong tag can be relied on.
func (p *partial) setTag(tag string) {
	if len(tag) > maxTag || strings.HasPrefix(tag, "W/") {
		tag = ""
	}
	p.tag = tag
	if tag == "" || os.WriteFile(p.tagPath, []byte(tag), 0o644) != nil {
		_ = os.Remove(p.tagPath) // without, or with an old one, it is resumed all the same: the hash tells
	}
}

// Write takes what came. No byte beyond the file's size is written.
func (p *partial) Write(b []byte) (int, error) {
	long := int64(len(b)) > p.entry.Bytes-p.have
	if long {
		b = b[:p.entry.Bytes-p.have]
	}
	n, err := p.file.Write(b)
	p.hash.Write(b[:n])
	p.have += int64(n)
	switch {
	case err != nil:
		return n, &diskError{err}
	case long:
		return n, errTooLong
	}
	return n, nil
}

// diskError is a write that failed.
type diskError struct{ err error }

func (e *diskError) Error() string {
	if errors.Is(e.err, syscall.ENOSPC) || errors.Is(e.err, syscall.EDQUOT) {
		return "the disk is full: make room and pull again; what has come is kept: " + e.err.Error()
	}
	return e.err.Error()
}

func (e *diskError) Unwrap() error { return e.err }

// finish gives a complete file its final name. One with a wrong hash is removed, and
// the error is ErrHash.
func (p *partial) finish(place, name string) error {
	defer unlock(p.lock)
	if is := hex.EncodeToString(p.hash.Sum(nil)); p.have != p.entry.Bytes || is != p.entry.SHA256 {
		err := fmt.Errorf("%w: %s is %s, and should be %s", ErrHash, p.entry.File(), is, p.entry.SHA256)
		return errors.Join(err, p.file.Close(), os.Remove(p.file.Name()), p.forgetTag())
	}
	own := p.inPlace()
	if err := errors.Join(p.file.Sync(), p.file.Close()); err != nil {
		return fmt.Errorf("models: %w", &diskError{err})
	}
	if !own {
		return fmt.Errorf("models: %s was removed or replaced while it was written: pull again", p.file.Name())
	}
	if err := os.MkdirAll(place, 0o755); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	if err := os.Rename(p.file.Name(), name); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	return errors.Join(syncFolder(place), p.forgetTag())
}

func (p *partial) forgetTag() error {
	if err := os.Remove(p.tagPath); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
