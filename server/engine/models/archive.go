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

// mostEntries limits the files, folders and links in an archive. The published archives have
// some fifty.
const mostEntries = 1000

// mostUnpacked limits the bytes of an unpacked engine. The published engines take about three
// times the size of their archives.
func mostUnpacked(e Entry) int64 { return 1<<20 + 8*e.Bytes }

// unpacker reads an archive.
type unpacker struct {
	most    int64 // the largest number of bytes to which the archive may unpack
	entries int
	// dir makes a folder, file writes a file with the content of r, link makes a symbolic link.
	dir  func(name string) error
	file func(name string, executable bool, r io.Reader) error
	link func(name, target string) error
}

// walk reads a gzipped tar archive to its end. It does not trust names: no entry can leave the
// folder, and only files, folders and symbolic links that stay inside are accepted.
func (u *unpacker) walk(ctx context.Context, archive io.Reader) error {
	packed, err := gzip.NewReader(archive)
	if err != nil {
		return fmt.Errorf("models: archive: %w", err)
	}
	left := u.most
	// The bound covers the whole archive, because skipped entries take time too.
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

// unpack unpacks an archive into an existing empty folder, and syncs it to the disk. The walk
// checks links by their names only. os.Root refuses links that leave the folder through other
// links; the final Stat checks each link.
func unpack(ctx context.Context, archive io.Reader, most int64, into string) error {
	root, err := os.OpenRoot(into)
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	defer func() { _ = root.Close() }() // all written files are already closed
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

// verifyUnpacked compares an engine with its archive, whose hash was checked. The error is
// ErrHash if they differ.
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

// sameContent reports whether a file has the content of r; false if the file cannot be read.
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

// findProgram finds the one program in the folder of an unpacked engine, at any depth. The
// error is fs.ErrNotExist if there is no such folder.
func findProgram(in string) (found string, err error) {
	err = filepath.WalkDir(in, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() != WhisperCLI || !d.Type().IsRegular():
			return nil
		case found != "":
			return fmt.Errorf("models: two programs: %s and %s", found, path)
		}
		found = path
		return nil
	})
	if err == nil && found == "" {
		err = fmt.Errorf("models: no %s in %s", WhisperCLI, in)
	}
	return found, err
}
