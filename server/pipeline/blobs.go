package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// chunkPrefix is where the audio of an extraction's chunks is kept.
func chunkPrefix(extractionID string) string { return "audio/" + extractionID + "/" }

func chunkKey(extractionID string, n int) string {
	return fmt.Sprintf("%s%05d.wav", chunkPrefix(extractionID), n)
}

// fetch copies a blob into dir and returns the path.
func (p *Pipeline) fetch(ctx context.Context, key, dir string) (path string, err error) {
	r, err := p.store.Blobs().NewReader(ctx, key, nil)
	if err != nil {
		return "", fmt.Errorf("pipeline: opening blob %s: %w", key, err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	path = filepath.Join(dir, filepath.Base(key))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("pipeline: spooling blob %s: %w", key, err)
	}
	_, err = io.Copy(f, r)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("pipeline: spooling blob %s: %w", key, err)
	}
	return path, nil
}

// keep stores what write writes as a blob, or nothing when it fails.
func (p *Pipeline) keep(ctx context.Context, key string, write func(io.Writer) error) error {
	ctx, abandon := context.WithCancel(ctx)
	defer abandon()
	w, err := p.store.Blobs().NewWriter(ctx, key, nil)
	if err != nil {
		return fmt.Errorf("pipeline: opening blob %s: %w", key, err)
	}
	if err := write(w); err != nil {
		abandon()
		_ = w.Close() // reports the cancellation just made
		return err
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("pipeline: keeping blob %s: %w", key, err)
	}
	return nil
}

// deleteBlobs removes blobs that nobody needs any more. What cannot be removed
// now is left to the sweep, so a failure is logged and no more.
func (p *Pipeline) deleteBlobs(ctx context.Context, keys ...string) {
	for _, key := range keys {
		if key == "" {
			continue
		}
		err := p.store.Blobs().Delete(ctx, key)
		if err != nil && gcerrors.Code(err) != gcerrors.NotFound {
			p.log.WarnContext(ctx, "a blob was left behind", "key", key, "err", err)
		}
	}
}

// deleteMedia removes all audio of an extraction that has ended.
func (p *Pipeline) deleteMedia(ctx context.Context, extractionID, uploadKey string) {
	keys := []string{uploadKey}
	list := p.store.Blobs().List(&blob.ListOptions{Prefix: chunkPrefix(extractionID)})
	for {
		obj, err := list.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			p.log.WarnContext(ctx, "audio was left behind", "extraction", extractionID, "err", err)
			break
		}
		keys = append(keys, obj.Key)
	}
	p.deleteBlobs(ctx, keys...)
}
