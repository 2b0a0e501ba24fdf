package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// name begins the names of the files of a release.
const name = "transcriptkit"

// release makes the files that the flags name.
func (f *flags) release(ctx context.Context, progress io.Writer) (err error) {
	source, err := openCheckout(ctx, f.Checkout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.close()) }()
	out, err := newFolder(f.Out)
	if err != nil {
		return err
	}
	for _, t := range f.Target {
		fmt.Fprintln(progress, "Building for", t)
		built, err := source.build(ctx, t)
		if err != nil {
			return err
		}
		if err := f.pack(source, out, t, built); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	return out.writeChecksums()
}

// pack makes the files of one target.
func (f *flags) pack(source *checkout, out *folder, t target, built []program) error {
	version := strings.TrimPrefix(built[0].info.Main.Version, "v")
	base := fmt.Sprintf("%s_%s_%s", version, t.os, t.arch)
	for _, p := range built {
		if err := out.writeMaterials(p, p.name+"_"+base, source.time); err != nil {
			return err
		}
	}
	if slices.Contains(f.Only, "archive") {
		files, err := source.archived(t, built)
		if err != nil {
			return err
		}
		data, extension, err := archive(name+"_"+base, t, files, source.time)
		if err != nil {
			return err
		}
		if err := out.write(name+"_"+base+extension, data); err != nil {
			return err
		}
	}
	return nil
}

// archived returns the files of an archive.
func (c *checkout) archived(t target, built []program) (files []file, err error) {
	for _, p := range built {
		files = append(files, file{t.program(p.name), programMode, p.data})
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := c.file(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, plainMode, data})
	}
	return files, nil
}

// folder is where the release is written.
type folder struct{ dir string }

// newFolder makes the folder. A folder with files is refused, because a file of another release
// would get into the checksums.
func newFolder(dir string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	there, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	if len(there) > 0 {
		return nil, fmt.Errorf("--out: %s is not empty: name another folder, or remove it", dir)
	}
	return &folder{dir}, nil
}

// write writes a file, whose name may have a folder.
func (f *folder) write(name string, data []byte) error {
	path := filepath.Join(f.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	w, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return errors.Join(err, w.Close())
}
