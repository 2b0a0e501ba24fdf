package blobs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

// ErrNoFile says that a link, a pipe or a device has the name of a blob's file, or that a link has
// the name of its folder. The service makes no such files. A link leads out of the folder, and
// opening a pipe may block for ever.
var ErrNoFile = errors.New("store: a link, a pipe or a device stands in place of the file")

// file returns information about the file of a blob without following links. The error is
// fs.ErrNotExist if there is no such file.
func file(root *os.Root, key string) (fs.FileInfo, error) {
	name := filepath.FromSlash(path.Clean(key))
	for at, c := range name {
		if c != filepath.Separator {
			continue
		}
		folder, err := root.Lstat(name[:at])
		if err == nil && !folder.IsDir() {
			err = ErrNoFile
		}
		if err != nil {
			return nil, err
		}
	}
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fs.ErrNotExist
	case !info.Mode().IsRegular():
		return nil, ErrNoFile
	}
	return info, nil
}

// lookFile is look for a folder.
func (b *Bucket) lookFile(key string) (Listed, error) {
	root, err := os.OpenRoot(b.folder)
	if err != nil {
		return Listed{}, err
	}
	defer func() { _ = root.Close() }() // it was only read
	info, err := file(root, key)
	if err != nil {
		return Listed{}, err
	}
	return Listed{key, info.Size(), info.ModTime()}, nil
}

// openFile opens length bytes of a blob's file from the given offset. If length is negative, it
// opens the file up to its end.
func (b *Bucket) openFile(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	root, err := os.OpenRoot(b.folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // it was only read
	before, err := file(root, key)
	if err != nil {
		return nil, err
	}
	// A pipe that has appeared meanwhile must not block the caller.
	f, err := root.OpenFile(filepath.FromSlash(path.Clean(key)), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(before, info) {
		err = ErrNoFile
	}
	if err == nil && offset > 0 {
		_, err = f.Seek(offset, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r := &fileReader{ctx: ctx, Reader: f, Closer: f}
	if length >= 0 {
		r.Reader = io.LimitReader(f, length)
	}
	return r, nil
}

// fileReader reads a file until ctx ends.
type fileReader struct {
	ctx context.Context //nolint:containedctx // of the call that has opened the file
	io.Reader
	io.Closer
}

func (r *fileReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.Reader.Read(p)
}

// resolved returns the folder behind links to it, because a list of a link is empty.
func resolved(folder string) string {
	if behind, err := filepath.EvalSymlinks(folder); err == nil {
		return behind
	}
	return folder // the folder is then made
}
