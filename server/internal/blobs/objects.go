package blobs

import (
	"context"
	"errors"
)

// Objects returns the objects in which a blob is stored: the parts of a file in parts, or the blob
// itself. Each is a blob that Read reads. The error is ErrNotFound if there is no such blob,
// ErrDamaged if parts of it are missing, and ErrNoFile if something other than a file has its name.
func (b *Bucket) Objects(ctx context.Context, key string) ([]Listed, error) {
	if _, _, inParts := wholeSize(key); !inParts {
		one, err := b.look(ctx, key)
		if err != nil {
			return nil, err
		}
		return []Listed{one}, nil
	}
	parts, err := b.parts(ctx, key)
	if err != nil {
		return nil, err
	}
	var all []Listed
	for _, p := range parts {
		if b.folder != "" {
			if _, err := b.look(ctx, p.key); err != nil {
				return nil, err
			}
		}
		all = append(all, Listed{Key: p.key, Size: p.size})
	}
	return all, nil
}

func (b *Bucket) look(ctx context.Context, key string) (one Listed, err error) {
	if b.folder != "" {
		one, err = b.lookFile(key)
	} else {
		one, err = b.lookObject(ctx, key)
	}
	if err != nil {
		err = b.unread(ctx, "look at blob", key, err)
	}
	return one, err
}

func (b *Bucket) lookObject(ctx context.Context, key string) (Listed, error) {
	within, done := b.inTime(ctx)
	defer done()
	held, err := b.bucket.Attributes(within, key)
	if err != nil {
		return Listed{}, err
	}
	return Listed{key, held.Size, held.ModTime}, nil
}

// Empty reports whether there is no blob.
func (b *Bucket) Empty(ctx context.Context) (bool, error) {
	some := errors.New("there is one")
	err := b.Each(ctx, "", func(Listed) error { return some })
	if errors.Is(err, some) {
		return false, nil
	}
	return err == nil, err
}
