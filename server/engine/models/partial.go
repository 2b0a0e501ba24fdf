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

// partial is an incomplete file, with the hash of its content.
type partial struct {
	entry   Entry
	file    *os.File
	lock    *flock.Flock // of this very file
	tagPath string
	tag     string // the server's ETag of the version that this is part of; may be empty
	hash    hash.Hash
	have    int64 // bytes
}

// maxTag limits an ETag, in bytes.
const maxTag = 256

var errTooLong = errors.New("the server sends more than the file's size")

// openPartial opens a partial file, or creates one. It hashes the existing content, because a
// stored hash state could not be trusted.
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
		p.tag = string(tag) // otherwise the download resumes without the ETag: the final hash decides
	}
	return p, nil
}

// own locks the file against other pulls. Another pull may have missed the folder's lock,
// because that lock file was removed. Without own, two pulls could write to one file, each with
// its own hash, and a corrupt file would get its final name.
func (p *partial) own() error {
	if runtime.GOOS != "windows" { // on Windows a locked file cannot be written at all
		switch held, err := p.lock.TryLock(); {
		case err != nil:
			return fmt.Errorf("models: lock: %w", err)
		case !held:
			return fmt.Errorf("%w: %s", ErrBusy, p.file.Name())
		}
	}
	if !p.inPlace() { // another pull has just finished it
		return fmt.Errorf("%w: %s", ErrBusy, p.file.Name())
	}
	return nil
}

// inPlace reports whether the open file still has its name.
func (p *partial) inPlace() bool {
	open, err := p.file.Stat()
	named, err2 := os.Lstat(p.file.Name())
	return err == nil && err2 == nil && os.SameFile(open, named)
}

// close unlocks and closes the file. It may be called again.
func (p *partial) close() error {
	unlock(p.lock)
	if err := p.file.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// removeOdd removes a path that is not a regular file, so that nothing is written through a
// link into another file.
func removeOdd(path string) error {
	if _, err := size(path); errors.Is(err, errNoFile) {
		return os.Remove(path)
	}
	return nil // opening the file reports any error
}

// reset discards the content and starts over.
func (p *partial) reset() error {
	p.hash.Reset()
	p.have = 0
	p.setTag("")
	_, err := p.file.Seek(0, io.SeekStart)
	return errors.Join(p.file.Truncate(0), err)
}

// setTag records which version the server sends. Only a strong ETag is reliable.
func (p *partial) setTag(tag string) {
	if len(tag) > maxTag || strings.HasPrefix(tag, "W/") {
		tag = ""
	}
	p.tag = tag
	if tag == "" || os.WriteFile(p.tagPath, []byte(tag), 0o644) != nil {
		_ = os.Remove(p.tagPath) // a missing or old ETag does no harm: the final hash decides
	}
}

// Write appends received bytes. It writes no byte beyond the file's size.
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

// diskError is a failed write.
type diskError struct{ err error }

func (e *diskError) Error() string {
	if errors.Is(e.err, syscall.ENOSPC) || errors.Is(e.err, syscall.EDQUOT) {
		return "the disk is full: make room and pull again; what has come is kept"
	}
	return e.err.Error()
}

func (e *diskError) Unwrap() error { return e.err }

// finish gives a complete file its final name. It removes a file with a wrong hash; the error
// is then ErrHash.
func (p *partial) finish(place, name string) error {
	defer unlock(p.lock)
	if is := hex.EncodeToString(p.hash.Sum(nil)); p.have != p.entry.Bytes || is != p.entry.SHA256 {
		err := fmt.Errorf("%w: %s is %s, and should be %s: use another mirror or file", ErrHash, p.entry.File(), is, p.entry.SHA256)
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
