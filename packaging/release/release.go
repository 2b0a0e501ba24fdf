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

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// name begins the names of the files of a release.
const name = "transcriptkit"

// release makes the files that the flags name.
func (f *flags) release(ctx context.Context, progress io.Writer) (err error) {
	if err := f.checkKey(); err != nil {
		return err
	}
	source, err := openCheckout(ctx, f.Checkout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.close()) }()
	out, err := newFolder(f.Out)
	if err != nil {
		return err
	}
	r := releasing{flags: f, source: source, out: out}
	if r.wants("archive") || r.wants("deb") {
		fmt.Fprintln(progress, "Writing the manuals")
		if r.manuals, err = source.manuals(ctx); err != nil {
			return err
		}
	}
	for _, t := range f.Target {
		fmt.Fprintln(progress, "Building for", t)
		built, err := source.build(ctx, t)
		if err != nil {
			return err
		}
		if r.manuals != nil {
			licenses, err := source.licenses(ctx, built)
			if err != nil {
				return err
			}
			r.manuals.licenses = file{path: "LICENSES.txt", mode: plainMode, data: licenses}
		}
		if err := r.pack(t, built); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	if err := r.writeImages("api", r.images); err != nil {
		return err
	}
	if r.wants("full") {
		fmt.Fprintln(progress, "Making the image full")
		if err := r.writeFull(ctx); err != nil {
			return fmt.Errorf("the image full: %w", err)
		}
	}
	if err := out.writeChecksums(); err != nil {
		return err
	}
	if f.Key == "" {
		fmt.Fprintln(progress, "The checksums have no signature: --key names the key for one")
		return nil
	}
	return out.sign(ctx, f.Key)
}

// releasing is a release that is being made.
type releasing struct {
	*flags
	source  *checkout
	out     *folder
	manuals *manuals   // nil means that neither archives nor packages are wanted
	version string     // without its v; empty before the first program is built
	images  []v1.Image // of the role api, one for each target
}

func (r *releasing) wants(kind string) bool { return slices.Contains(r.Only, kind) }

// pack makes the files of one target.
func (r *releasing) pack(t target, built []program) error {
	r.version = strings.TrimPrefix(built[0].info.Main.Version, "v")
	base := fmt.Sprintf("%s_%s_%s", r.version, t.os, t.arch)
	for _, p := range built {
		if err := r.out.writeMaterials(p, p.name+"_"+base, r.source.time); err != nil {
			return err
		}
	}
	if r.wants("archive") {
		files, err := r.source.archived(t, built, r.manuals)
		if err != nil {
			return err
		}
		data, extension, err := archive(name+"_"+base, t, files, r.source.time)
		if err != nil {
			return err
		}
		if err := r.out.write(name+"_"+base+extension, data); err != nil {
			return err
		}
	}
	if r.wants("deb") && t.os == "linux" {
		data, err := r.source.debian(t, built, r.manuals)
		if err != nil {
			return err
		}
		if err := r.out.write(name+"_"+base+".deb", data); err != nil {
			return err
		}
	}
	if r.wants("api") && t.os == "linux" {
		image, err := r.source.apiImage(t, built[0])
		if err != nil {
			return fmt.Errorf("the image api: %w", err)
		}
		r.images = append(r.images, image)
	}
	return nil
}

// writeFull makes and writes the image full, for this machine.
func (r *releasing) writeFull(ctx context.Context) error {
	built, err := r.source.build(ctx, host)
	if err != nil {
		return err
	}
	image, err := r.source.fullImage(ctx, built[0])
	if err != nil {
		return err
	}
	return r.writeImages("full", []v1.Image{image})
}

// writeImages writes the images of all targets into one layout.
func (r *releasing) writeImages(kind string, images []v1.Image) error {
	if len(images) == 0 {
		return nil
	}
	data, err := layoutOf(images, "localhost/"+name+"/"+kind+":v"+r.version, r.source.time)
	if err != nil {
		return fmt.Errorf("the image %s: %w", kind, err)
	}
	return r.out.write(name+"-"+kind+"_"+r.version+".oci.tar", data)
}

// archived returns the files of an archive.
func (c *checkout) archived(t target, built []program, m *manuals) (files []file, err error) {
	files = m.archived()
	for _, p := range built {
		files = append(files, file{path: t.program(p.name), mode: programMode, data: p.data})
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := c.file(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{path: name, mode: plainMode, data: data})
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
