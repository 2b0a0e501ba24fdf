package blobs

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// A sender may send a file in tiny requests, and each of them leaves a part. Such parts are joined
// while the file arrives, so that the number of parts depends on the bytes of the file, and not on
// the number of its requests.
//
// A joined part begins where the first of its parts begins, and ends where the last one ends. The
// joined part has a later turn, so it replaces its parts at once, for earlier versions too. The
// replaced parts are removed in a later turn, because a reader may have listed them.

// smallPart is the size from which a part is not joined, in bytes. A file has at most two parts
// for each smallPart of its bytes, and the parts that have not been joined yet.
const smallPart = PartSize / 4

// JoinParts joins the small parts at the end of an incomplete file. The key of the file names its
// stored bytes, and turn is the turn of the request that has the file. JoinParts returns the keys
// of parts of earlier turns that no longer belong to the file: the caller deletes these parts.
// After an error the file can still be read.
func (b *Bucket) JoinParts(ctx context.Context, key string, turn int64) (unused []string, err error) {
	prefix, size, _ := wholeSize(key)
	all, err := b.listParts(ctx, prefix)
	if err != nil {
		return nil, err
	}
	chain, err := chainOf(all, key, size)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if p.turn < turn && !slices.Contains(chain, p) {
			unused = append(unused, p.key)
		}
	}
	first := len(chain)
	for first > 0 && chain[first-1].size < smallPart {
		first--
	}
	for run := chain[first:]; len(run) > 1; {
		n, sum := 0, int64(0)
		for n < len(run) && sum+run[n].size <= PartSize {
			sum += run[n].size
			n++
		}
		if err := b.joinParts(ctx, PartKey(prefix[:len(prefix)-1], run[0].offset, turn), run[:n], sum); err != nil {
			return unused, err
		}
		run = run[n:]
	}
	return unused, nil
}

// joinParts stores consecutive parts as one part.
func (b *Bucket) joinParts(ctx context.Context, key string, parts []part, size int64) error {
	if len(parts) == 1 {
		return nil
	}
	_, err := b.Put(ctx, key, func(w io.Writer) error {
		var joined int64
		for _, p := range parts {
			n, err := b.read(ctx, p.key, w)
			joined += n
			if err != nil {
				return err
			}
		}
		if joined != size {
			return fmt.Errorf("blob %s: %d of %d bytes: %w", key, joined, size, ErrDamaged)
		}
		return nil
	})
	return err
}
