package backup

import (
	"archive/tar"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// Backup is a backup whose files have been read once and match their sums.
type Backup struct {
	About
	path  string
	lines []sum // of each line of SHA256SUMS, the sum
}

// maxAbout limits backup.json.
const maxAbout = 1 << 20

// fileFunc is called with a file of a backup.
type fileFunc func(name string, size int64, r io.Reader) error

// Open reads a whole backup, and compares each file with its sum.
func Open(ctx context.Context, path string) (*Backup, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("store: backup: %w", err)
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, fmt.Errorf("store: %s is neither a file nor a folder: a backup is read twice, so write it to a file first", path)
	}
	b := &Backup{path: path}
	names := map[sum]bool{} // of the files that were read
	var blobs int
	var last string // the name of the last file
	whole := false
	err = b.walk(ctx, func(name string, size int64, r io.Reader) error {
		if whole {
			return fmt.Errorf("%s stands behind %s", name, sumsName)
		}
		if name == sumsName {
			whole = true
			return b.compare(r)
		}
		key := sum(sha256.Sum256([]byte(name)))
		if names[key] {
			return fmt.Errorf("it has two files %q", name)
		}
		names[key] = true
		hash := sha256.New()
		r = io.TeeReader(r, hash)
		switch _, isBlob := blobKey(name); {
		case isBlob && last == "":
			blobs++
		case name == databaseName && last == "":
			last = name
		case name == aboutName && last == databaseName:
			last = name
			if err := json.NewDecoder(io.LimitReader(r, maxAbout)).Decode(&b.About); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		default:
			return fmt.Errorf("%q is no file of a backup, or stands in the wrong place", name)
		}
		_, err := io.Copy(io.Discard, r)
		b.lines = append(b.lines, sha256.Sum256([]byte(sum(hash.Sum(nil)).line(name))))
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err == nil && (!whole || last != aboutName):
		err = fmt.Errorf("its end is missing")
	case err == nil && b.Blobs != blobs && b.Format == format:
		err = fmt.Errorf("it has %d of %d blobs", blobs, b.Blobs)
	}
	if err != nil {
		return nil, fmt.Errorf("store: %s is no backup, or is damaged: %w", path, err)
	}
	return b, b.known()
}

// known refuses a backup whose format this program does not know.
func (b *Backup) known() error {
	if b.Format != format {
		return fmt.Errorf("store: %s has format %d, and this program knows format %d: restore it with the version that made it", b.path, b.Format, format)
	}
	known, err := db.KnownTables(b.Database)
	if err != nil {
		return err
	}
	if b.tables().Newer(known) {
		return fmt.Errorf("store: %s is from a newer version: its tables are %d and %d, and this program knows %d and %d: restore it with that version, or a later one",
			b.path, b.Tables, b.Queue, known.Ours, known.Rivers)
	}
	return nil
}

// compare compares the sums of the files with SHA256SUMS.
func (b *Backup) compare(list io.Reader) error {
	lines := bufio.NewScanner(list)
	n := 0
	for ; lines.Scan(); n++ {
		if n >= len(b.lines) || b.lines[n] != sha256.Sum256([]byte(lines.Text()+"\n")) {
			_, name, _ := strings.Cut(lines.Text(), "  ")
			return fmt.Errorf("%q is not as it was made", name)
		}
	}
	if lines.Err() == nil && n < len(b.lines) {
		return fmt.Errorf("%s ends too early", sumsName)
	}
	return ofSums(lines.Err())
}

// ofSums marks an error as an error of reading SHA256SUMS.
func ofSums(err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s has a line that is no sum of a file", sumsName)
	}
	return err
}

// each calls do for each file except SHA256SUMS. If a file has changed since the backup was
// opened, its reader fails instead of ending.
func (b *Backup) each(ctx context.Context, do fileFunc) error {
	n := 0
	return b.walk(ctx, func(name string, size int64, r io.Reader) error {
		if name == sumsName || n >= len(b.lines) {
			return nil
		}
		n++
		return do(name, size, &proven{Reader: r, hash: sha256.New(), name: name, line: b.lines[n-1]})
	})
}

// proven reads a file and compares its sum.
type proven struct {
	io.Reader
	hash hash.Hash
	name string
	line sum
}

func (p *proven) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	p.hash.Write(b[:n])
	if errors.Is(err, io.EOF) && p.line != sha256.Sum256([]byte(sum(p.hash.Sum(nil)).line(p.name))) {
		err = fmt.Errorf("store: %s has changed since it was checked", p.name)
	}
	return n, err
}

// walk calls do for each file in order, with SHA256SUMS last.
func (b *Backup) walk(ctx context.Context, do fileFunc) error {
	info, err := os.Stat(b.path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return walkFolder(ctx, b.path, do)
	}
	return walkTar(ctx, b.path, do)
}

func walkTar(ctx context.Context, path string, do fileFunc) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	for files := tar.NewReader(bufio.NewReaderSize(untilEnd{ctx, f}, 1<<18)); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && (h.Typeflag != tar.TypeReg || isSparse(h)) {
			err = fmt.Errorf("%q is no file", h.Name)
		}
		if err == nil {
			err = do(h.Name, h.Size, files)
		}
		if err != nil {
			return err
		}
	}
}

// isSparse reports whether a file has holes. No backup has them: a small tar file could otherwise
// contain a file of any size.
func isSparse(h *tar.Header) bool {
	for record := range h.PAXRecords {
		if strings.HasPrefix(record, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// walkFolder reads the names of the files from SHA256SUMS. No name may lead out of the
// folder.
func walkFolder(ctx context.Context, path string, do fileFunc) error {
	root, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // it was only read
	list, _, err := openIn(root, sumsName)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("it has no file %s", sumsName)
	}
	if err != nil {
		return err
	}
	defer func() { _ = list.Close() }() // it was only read
	lines := bufio.NewScanner(untilEnd{ctx, list})
	for lines.Scan() {
		hexSum, name, two := strings.Cut(lines.Text(), "  ")
		if s, err := hex.DecodeString(hexSum); !two || err != nil || len(s) != sha256.Size {
			return fmt.Errorf("%s has a line that is no sum of a file", sumsName)
		}
		if err := walkFile(ctx, root, name, do); err != nil {
			return err
		}
	}
	if err := ofSums(lines.Err()); err != nil {
		return err
	}
	return walkFile(ctx, root, sumsName, do)
}

func walkFile(ctx context.Context, root *os.Root, name string, do fileFunc) error {
	f, size, err := openIn(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%q is missing", name)
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	return do(name, size, untilEnd{ctx, f})
}

// openIn opens a file in a folder, and nothing else, because opening a pipe may block for
// ever.
func openIn(root *os.Root, name string) (f *os.File, size int64, err error) {
	before, err := root.Lstat(name)
	if err == nil && !before.Mode().IsRegular() {
		err = fmt.Errorf("%q is no file", name)
	}
	if err != nil {
		return nil, 0, err
	}
	if f, err = root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0); err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(before, info) {
		err = fmt.Errorf("%q has changed meanwhile", name)
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}
