package blobs

import (
	"context"
	"errors"
	"fmt"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// Objects returns the objects in which a blob is stored: the parts of a file in parts, or the blob
// itself. Each is a blob that Read reads. ErrNotFound if there is no such blob, and ErrDamaged if
// parts of it are missing.
func (b *Bucket) Objects(ctx context.Context, key string) ([]Listed, error) {
	if _, _, inParts := wholeSize(key); !inParts {
		one, err := b.look(ctx, key)
		if err != nil {
			return nil, err
		}
		return []Listed{{key, one.Size, one.ModTime}}, nil
	}
	parts, err := b.parts(ctx, key)
	if err != nil {
		return nil, err
	}
	var all []Listed
	for _, p := range parts {
		all = append(all, Listed{Key: p.key, Size: p.size})
	}
	return all, nil
}

func (b *Bucket) look(ctx context.Context, key string) (*blob.Attributes, error) {
	within, done := b.inTime(ctx)
	defer done()
	held, err := b.bucket.Attributes(within, key)
	if gcerrors.Code(err) != gcerrors.NotFound {
		if err != nil {
			err = fault(ctx, "look at blob", key, err)
		}
		return held, err
	}
	if err := b.absent(ctx); err != nil {
		return nil, fault(ctx, "look at blob", key, err)
	}
	return nil, fmt.Errorf("blob %s: %w", key, ErrNotFound)
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
