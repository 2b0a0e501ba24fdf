package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// suffix is the end of the name of the folder in which a backup is made.
const suffix = ".partial"

// writer writes the files of a backup. Everything is in a separate folder until the backup is
// complete. Then the folder or file gets its name at once.
type writer struct {
	target  string
	partial string // the folder
	out     string // what will get the name of the target
	sums    *os.File
	file    *os.File    // of tar
	tar     *tar.Writer // nil means that the backup is a folder
}

// newWriter makes the folder in which the backup is made. The folder also prevents a second
// backup to the same target.
func newWriter(target string) (_ *writer, err error) {
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fmt.Errorf("%s is there: name a file or folder that is not", target)
		}
		return nil, fmt.Errorf("store: backup: %w", err)
	}
	w := &writer{target: target, partial: filepath.Clean(target) + suffix}
	w.out = filepath.Join(w.partial, "backup")
	if err := os.Mkdir(w.partial, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%s is there: another backup is writing it; if none is, one was killed: remove the folder", w.partial)
		}
		return nil, fmt.Errorf("store: backup: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.discard())
		}
	}()
	if strings.HasSuffix(target, ".tar") {
		w.file, err = newFile(w.out)
		w.tar = tar.NewWriter(w.file)
	} else {
		err = os.Mkdir(w.out, 0o700)
	}
	if err != nil {
		return nil, err
	}
	w.sums, err = newFile(w.scratch(sumsName))
	return w, err
}

func newFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
}

// scratch returns the path of a file that is not a part of the backup.
func (w *writer) scratch(name string) string { return filepath.Join(w.partial, name) }

// add writes a file with the given number of bytes.
func (w *writer) add(name string, size int64, write func(io.Writer) error) error {
	to, finish, err := w.open(name, size)
	if err != nil {
		return err
	}
	hash := sha256.New()
	counted := &counter{to: io.MultiWriter(to, hash), most: size}
	err = write(counted)
	if err == nil && counted.n != size {
		err = fmt.Errorf("%s has %d bytes instead of %d", name, counted.n, size)
	}
	if err = errors.Join(err, finish()); err != nil {
		return err
	}
	_, err = io.WriteString(w.sums, sum(hash.Sum(nil)).line(name))
	return err
}

// open begins a file.
func (w *writer) open(name string, size int64) (to io.Writer, finish func() error, err error) {
	if w.tar != nil {
		err := w.tar.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: time.Now()})
		return w.tar, func() error { return nil }, err
	}
	path := filepath.Join(w.out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nil, err
	}
	f, err := newFile(path)
	if err != nil {
		return nil, nil, err
	}
	return f, func() error { return errors.Join(f.Sync(), f.Close()) }, nil
}

// counter counts the written bytes, and refuses more than most.
type counter struct {
	to      io.Writer
	n, most int64
}

func (c *counter) Write(p []byte) (int, error) {
	if int64(len(p)) > c.most-c.n {
		return 0, fmt.Errorf("the file has more than the %d bytes that were promised", c.most)
	}
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

// addFile copies a file of the disk into the backup.
func (w *writer) addFile(ctx context.Context, name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return w.add(name, info.Size(), func(to io.Writer) error {
		_, err := io.Copy(to, untilEnd{ctx, f})
		return err
	})
}

func (w *writer) addBytes(name string, b []byte) error {
	return w.add(name, int64(len(b)), func(to io.Writer) error {
		_, err := to.Write(b)
		return err
	})
}

// finish adds the sums, and gives the backup its name.
func (w *writer) finish() error {
	size, err := w.sums.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	to, finish, err := w.open(sumsName, size)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, io.NewSectionReader(w.sums, 0, size))
	if err = errors.Join(err, finish()); err != nil {
		return err
	}
	if w.tar != nil {
		if err := errors.Join(w.tar.Close(), w.file.Sync()); err != nil {
			return err
		}
	}
	if err := os.Rename(w.out, w.target); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(w.target))
}

// discard removes everything except a finished backup.
func (w *writer) discard() error {
	for _, f := range []*os.File{w.sums, w.file} {
		if f != nil {
			_ = f.Close() // it was synchronized, or is not needed
		}
	}
	return os.RemoveAll(w.partial)
}

// syncFolder makes a new name survive a power failure.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_ = f.Sync() // some file systems cannot do this
	return f.Close()
}

// untilEnd reads until ctx ends.
type untilEnd struct {
	ctx context.Context //nolint:containedctx // of the call that reads
	io.Reader
}

func (r untilEnd) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.Reader.Read(p)
}
