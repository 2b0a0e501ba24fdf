package transcribe

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// output is the destination of texts: standard output, a file, or a folder.
type output struct {
	path   string // empty: standard output
	folder bool
	stdout io.Writer
}

// newOutput checks, before work begins, whether the texts of an order can be written.
func newOutput(path string, stdout io.Writer, o order) (*output, error) {
	out := &output{path: path, stdout: stdout}
	if path == "-" {
		out.path = ""
	}
	if err := out.open(); err != nil {
		return nil, err
	}
	if !out.folder {
		if o.results() > 1 {
			return nil, errors.New("several results need a folder, as in --output texts/")
		}
		return out, nil
	}
	taken := map[string]string{}
	for _, t := range o.texts {
		if other := taken[t.file]; other != "" {
			return nil, fmt.Errorf("the texts of %s and %s would have the same name: transcribe them separately", other, t.name)
		}
		taken[t.file] = t.name
		switch st, err := os.Stat(out.file(t.file)); {
		case err == nil && st.IsDir():
			return nil, fmt.Errorf("%s is a folder, where a file is to be written", out.file(t.file))
		case err != nil && !errors.Is(err, os.ErrNotExist): // such as a name that is too long
			return nil, err
		}
	}
	return out, nil
}

// spare refuses to replace what an order reads, and recordings of other orders: a pattern of the
// shell after --output makes the first recording the output.
func (out *output) spare(o order, lists []string) error {
	targets, inputs := []string{out.path}, slices.Clone(lists)
	for _, t := range o.texts {
		targets, inputs = append(targets, out.file(t.file)), append(inputs, t.path)
	}
	for _, target := range targets {
		there, err := os.Stat(target)
		if err != nil || !there.Mode().IsRegular() {
			continue // there is nothing to replace
		}
		if isMedia(target) {
			return fmt.Errorf("%s is a recording, and a text would replace it: name another file", target)
		}
		for _, input := range inputs {
			if st, err := os.Stat(input); err == nil && os.SameFile(st, there) {
				return fmt.Errorf("%s is read, and a text would replace it: name another file", target)
			}
		}
	}
	return nil
}

// open finds out what the path is. It creates a folder for a path that ends in a slash.
func (out *output) open() error {
	if out.path == "" {
		return nil
	}
	st, err := os.Stat(out.path)
	switch {
	case err == nil && st.IsDir():
		out.folder = true
		return probe(out.path)
	case strings.HasSuffix(out.path, "/"), strings.HasSuffix(out.path, string(os.PathSeparator)):
		out.folder = true
		if err := os.MkdirAll(out.path, 0o777); err != nil { //nolint:gosec // a folder like any other, for the umask to judge
			return err
		}
		return probe(out.path)
	case err == nil && !st.Mode().IsRegular():
		return nil // a device or a pipe must not be opened twice
	case err == nil:
		f, err := os.OpenFile(out.path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Close(), probe(filepath.Dir(out.path)))
	}
	return probe(filepath.Dir(out.path))
}

// probe reports whether files can be created in a folder.
func probe(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s: make it first", dir)
	}
	f, err := os.CreateTemp(dir, ".transcribe-*")
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist): // a folder of the system's own, such as /proc
		return fmt.Errorf("no file can be made in %s: name another folder", dir)
	case errors.As(err, &at):
		return fmt.Errorf("no file can be made in %s: %w", dir, at.Err) // without the probe's own name, which means nothing to the caller
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// file returns the path for a text with that name; empty for standard output.
func (out *output) file(name string) string {
	if out.folder {
		return filepath.Join(out.path, name)
	}
	return out.path
}

// put writes a text and returns its path, which is empty for standard output. In a folder the
// text gets the name. A file is replaced only after the new one is complete.
func (out *output) put(name string, write func(io.Writer) error) (path string, err error) {
	path = out.file(name)
	if path == "" {
		return "", write(out.stdout)
	}
	st, err := os.Stat(path)
	switch {
	case err == nil && !st.Mode().IsRegular(): // a device or a pipe: it cannot be replaced
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return path, err
		}
		return path, errors.Join(write(f), f.Close())
	case err == nil:
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return path, err
		}
	}
	part := filepath.Join(filepath.Dir(path), "."+rand.Text()+".part")
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // as the umask has it
	if err != nil {
		return path, err
	}
	err = write(f)
	if st != nil {
		err = errors.Join(err, f.Chmod(st.Mode().Perm()))
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		return path, errors.Join(err, os.Remove(part))
	}
	return path, nil
}
