package blobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
)

// A file that arrives in several requests is stored in parts. Each part is a separate blob, so
// that a request that ends early loses at most one part, both on a disk and in an object store.
// The key of the whole file contains the prefix of the parts and the size of the file. Read,
// Range and Delete therefore treat the file like any other blob, and no file is copied when its
// last part has arrived.
//
// Several requests may write a part for the same place, but only one of them is valid: the part
// of the request that was the last to take the file over. Requests count their turns. At each
// place, the part of the latest turn is the valid one: a request takes the file over at the end
// of the last valid part, and writes only after it.

// PartSize is the largest size of a part, in bytes.
const PartSize = 1 << 20

// ErrDamaged says that parts of a file are missing or have the wrong size.
var ErrDamaged = errors.New("store: parts of the file are missing")

// PartKey returns the key of the part that begins at an offset of the file and was
// written in a turn.
func PartKey(prefix string, offset, turn int64) string {
	return fmt.Sprintf("%s+%015d-%d", prefix, offset, turn)
}

// WholeKey returns the key of a file in parts, with the given number of bytes.
func WholeKey(prefix string, size int64) string { return fmt.Sprintf("%s+%d", prefix, size) }

// PartsPrefix returns the common beginning of the keys of a file's parts and of the whole file,
// from one of these keys. It returns false if the key belongs to a blob without parts.
func PartsPrefix(key string) (prefix string, inParts bool) {
	prefix, _, inParts = strings.Cut(key, "+")
	return prefix + "+", inParts
}

// wholeSize returns the prefix and the size of a file in parts.
func wholeSize(key string) (prefix string, size int64, inParts bool) {
	prefix, inParts = PartsPrefix(key)
	if !inParts {
		return "", 0, false
	}
	size, err := strconv.ParseInt(key[len(prefix):], 10, 64)
	return prefix, size, err == nil
}

// PutPart stores the next bytes of r as a part, at most PartSize of them, and returns their
// number. The part also ends where r ends or fails. ended is then the error of r; it is io.EOF
// at its end. Without any byte, PutPart stores no part. If the bucket fails, err is its error,
// and no part is stored.
func (b *Bucket) PutPart(ctx context.Context, key string, r io.Reader) (size int64, ended, err error) {
	first := make([]byte, 1)
	if _, ended = io.ReadFull(r, first); ended != nil {
		return 0, ended, nil
	}
	body := &failing{Reader: io.LimitReader(io.MultiReader(strings.NewReader(string(first)), r), PartSize)}
	stored, err := b.Put(ctx, key, func(w io.Writer) error {
		_, err := io.Copy(w, body)
		return err
	})
	if err != nil {
		return 0, nil, err
	}
	if body.err == nil && stored.Size < PartSize {
		body.err = io.EOF
	}
	return stored.Size, body.err, nil
}

// failing ends where its reader fails, and remembers the error.
type failing struct {
	io.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err, err = err, io.EOF
	}
	return n, err
}

// part is a part of a file.
type part struct {
	key          string
	offset, size int64
	turn         int64
}

var partKey = regexp.MustCompile(`\+(\d{15})-(\d{1,18})$`)

// parts returns the parts of a file in order. The error is ErrDamaged if the parts do not add up
// to the file, and ErrNotFound if there are none.
func (b *Bucket) parts(ctx context.Context, key string) ([]part, error) {
	prefix, size, _ := wholeSize(key)
	all, err := b.listParts(ctx, prefix)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("blob %s: %w", key, ErrNotFound)
	}
	return chainOf(all, key, size)
}

// listParts lists all parts with a prefix, including parts that no longer belong to a
// file.
func (b *Bucket) listParts(ctx context.Context, prefix string) (all []part, err error) {
	err = b.Each(ctx, prefix, func(l Listed) error {
		m := partKey.FindStringSubmatch(l.Key)
		if m == nil {
			return nil // an incomplete part
		}
		p := part{key: l.Key, size: l.Size}
		p.offset, _ = strconv.ParseInt(m[1], 10, 64) // 15 digits fit
		p.turn, _ = strconv.ParseInt(m[2], 10, 64)   // as above
		all = append(all, p)
		return nil
	})
	return all, err
}

// chainOf returns, in order, the parts that form the first size bytes of a file.
func chainOf(all []part, key string, size int64) (chain []part, err error) {
	latest := map[int64]part{}
	for _, p := range all {
		if before, there := latest[p.offset]; !there || before.turn < p.turn {
			latest[p.offset] = p
		}
	}
	for at := int64(0); at < size; {
		p, there := latest[at]
		if !there || p.size <= 0 || p.size > size-at {
			return nil, fmt.Errorf("blob %s, at byte %d of %d: %w", key, at, size, ErrDamaged)
		}
		chain = append(chain, p)
		at += p.size
	}
	return chain, nil
}

// readParts is read for a file in parts.
func (b *Bucket) readParts(ctx context.Context, key string, w io.Writer) (size int64, err error) {
	parts, err := b.parts(ctx, key)
	if err != nil {
		return 0, err
	}
	for _, p := range parts {
		n, err := b.read(ctx, p.key, w)
		size += n
		if err == nil && n != p.size {
			err = fmt.Errorf("blob %s holds %d of %d bytes: %w", p.key, n, p.size, ErrDamaged)
		}
		if err != nil {
			return size, err
		}
	}
	return size, nil
}

// deletedAtOnce is how many parts of a file are removed at the same time: a large file has
// thousands.
const deletedAtOnce = 8

// deleteParts removes all parts of a file.
func (b *Bucket) deleteParts(ctx context.Context, prefix string) error {
	keys, err := b.Keys(ctx, prefix)
	if err != nil {
		return err
	}
	var removing errgroup.Group // without the caller's context, so that every part that can be removed is removed
	removing.SetLimit(deletedAtOnce)
	for _, key := range keys {
		removing.Go(func() error { return b.delete(ctx, key) })
	}
	return removing.Wait()
}
