package models

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// mostEntries is how many files, folders and links an archive may hold. The published
// ones have some fifty.
const mostEntries = 1000

// mostUnpacked is how many bytes an engine may take without its archive. The
// published ones take three times as much as that.
func mostUnpacked(e Entry) int64 { return 1<<20 + 8*e.Bytes }

// unpacker walks through an archive.
type unpacker struct {
	most    int64 // bytes that may come
	entries int
	// dir makes a folder, file a file of what r holds, link a symbolic link.
	dir  func(name string) error
	file func(name string, executable bool, r io.Reader) error
	link func(name, target string) error
}

// walk reads a gzipped tar archive to its end. It goes by the names that it finds as
// little as can be: none leaves the folder, and only files, folders and symbolic links
// that stay inside are taken.
func (u *unpacker) walk(ctx context.Context, archive io.Reader) error {
	packed, err := gzip.NewReader(archive)
	if err != nil {
		return fmt.Errorf("models: archive: %w", err)
	}
	left := u.most
	// Bounded as a whole: what is skipped takes time as well.
	all := tar.NewReader(readerFunc(func(b []byte) (int, error) {
		n, err := packed.Read(b)
		if left -= int64(n); left < 0 {
			return 0, fmt.Errorf("it unpacks to more than %d bytes", u.most)
		}
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return n, err
	}))
	for {
		head, err := all.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("models: archive: %w", err)
		}
		if u.entries++; u.entries > mostEntries {
			return fmt.Errorf("models: archive: more than %d entries", mostEntries)
		}
		if err := u.entry(head, all); err != nil {
			return fmt.Errorf("models: archive: %q: %w", head.Name, err)
		}
	}
}

func (u *unpacker) entry(head *tar.Header, content io.Reader) error {
	name := path.Clean(head.Name)
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return errors.New("it would leave the folder")
	}
	switch head.Typeflag {
	case tar.TypeDir:
		return u.dir(name)
	case tar.TypeReg:
		return u.file(name, head.Mode&0o111 != 0, content)
	case tar.TypeSymlink:
		if path.IsAbs(head.Linkname) || !filepath.IsLocal(filepath.FromSlash(path.Join(path.Dir(name), head.Linkname))) {
			return fmt.Errorf("its link to %q would leave the folder", head.Linkname)
		}
		return u.link(name, head.Linkname)
	case tar.TypeXGlobalHeader:
		return nil // a comment
	}
	return fmt.Errorf("it is of a type that is not unpacked: %q", head.Typeflag)
}

// unpack unpacks an archive into a folder that is there and empty. It is written
// through to the disk. Links were checked by their names alone: that none leaves by way
// of others, the folder's root sees to, for us and in the end for each.
func unpack(ctx context.Context, archive io.Reader, most int64, into string) error {
	root, err := os.OpenRoot(into)
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	defer func() { _ = root.Close() }() // what was written was closed before
	var links []string
	u := unpacker{
		most: most,
		dir:  func(name string) error { return root.MkdirAll(name, 0o755) },
		file: func(name string, executable bool, r io.Reader) error {
			return unpackFile(root, name, executable, r)
		},
		link: func(name, target string) error {
			links = append(links, name)
			return errors.Join(root.MkdirAll(path.Dir(name), 0o755), root.Symlink(target, name))
		},
	}
	if err := u.walk(ctx, archive); err != nil {
		return err
	}
	for _, name := range links {
		if _, err := root.Stat(name); err != nil {
			return fmt.Errorf("models: archive: link %q: %w", name, err)
		}
	}
	return syncFolder(into)
}

func unpackFile(root *os.Root, name string, executable bool, r io.Reader) (err error) {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if executable {
		mode = 0o755
	}
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, r)
	return errors.Join(err, file.Sync(), file.Close())
}

// verifyUnpacked compares an engine with its archive, whose hash was checked. The
// error is ErrHash where they differ.
func (f *Folder) verifyUnpacked(ctx context.Context, e Entry) error {
	archive, err := os.Open(f.file(e))
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	defer func() { _ = archive.Close() }() // it is only read
	root, err := os.OpenRoot(f.unpacked(e))
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	defer func() { _ = root.Close() }() // it is only read
	differs := func(name string) error {
		return fmt.Errorf("%w: %s is not as the archive has it: pull %s again", ErrHash, filepath.Join(f.unpacked(e), name), e.Name)
	}
	u := unpacker{
		most: mostUnpacked(e),
		dir:  func(string) error { return nil },
		file: func(name string, _ bool, r io.Reader) error {
			if !sameContent(root, name, r) {
				return differs(name)
			}
			return nil
		},
		link: func(name, target string) error {
			if is, err := root.Readlink(name); err != nil || is != target {
				return differs(name)
			}
			return nil
		},
	}
	return u.walk(ctx, archive)
}

// sameContent tells whether a file has the content of r. One that cannot be read has not.
func sameContent(root *os.Root, name string, r io.Reader) bool {
	file, err := root.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // it is only read
	is, want := sha256.New(), sha256.New()
	_, err = io.Copy(is, file)
	_, cut := io.Copy(want, r)
	return err == nil && cut == nil && string(is.Sum(nil)) == string(want.Sum(nil))
}

// findProgram finds the one program of an unpacked engine, wherever it lies. The
// error is fs.ErrNotExist when there is no such folder.
func findProgram(in string) (found string, err error) {
	err = filepath.WalkDir(in, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() != cliName || !d.Type().IsRegular():
			return nil
		case found != "":
			return fmt.Errorf("models: two programs: %s and %s", found, path)
		}
		found = path
		return nil
	})
	if err == nil && found == "" {
		err = fmt.Errorf("models: no %s in %s", cliName, in)
	}
	return found, err
}
