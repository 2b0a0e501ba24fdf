package throttle

import (
	"context"
	"sync"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// captionSource is a caption source that respects the pace.
type captionSource struct {
	engine.CaptionSource
	pace *Throttle
	n    int
}

func (s captionSource) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (found engine.Captions, err error) {
	origin, _ := s.Origin(c.Platform)
	err = s.pace.visit(ctx, c.Platform, route{s.n, string(origin)}, func(ctx context.Context, _ func()) (err error) {
		found, err = s.CaptionSource.Captions(ctx, c, pick)
		return err
	})
	return found, err
}

// Check calls the Check of the source, if it has one.
func (s captionSource) Check(ctx context.Context) error { return check(ctx, s.CaptionSource) }

// audioSource is an audio source that respects the pace.
type audioSource struct {
	engine.AudioSource
	pace *Throttle
}

// Audio downloads, which may take hours. The circuit closes as soon as sound arrives. Known is
// called once, even if the download begins again by another exit.
func (s audioSource) Audio(ctx context.Context, c engine.Content, dir string, o engine.AudioOptions) (path string, err error) {
	progress := o.Progress
	if known, heard := o.Known, false; known != nil {
		o.Known = func(m transcript.Metadata) error {
			if heard {
				return nil
			}
			heard = true
			return known(m)
		}
	}
	err = s.pace.visit(ctx, c.Platform, audioRoute(), func(ctx context.Context, answered func()) (err error) {
		comes := sync.OnceFunc(answered)
		o.Progress = func(done, total int64) {
			if done > 0 {
				comes()
			}
			if progress != nil {
				progress(done, total)
			}
		}
		path, err = s.AudioSource.Audio(ctx, c, dir, o)
		return err
	})
	return path, err
}

// Check calls the Check of the source, if it has one.
func (s audioSource) Check(ctx context.Context) error { return check(ctx, s.AudioSource) }

// listSource is a list source that respects the pace.
type listSource struct {
	engine.ListSource
	pace *Throttle
}

func (s listSource) List(ctx context.Context, l engine.List, offset, n int) (page engine.ListPage, err error) {
	err = s.pace.visit(ctx, l.Platform, listsRoute(), func(ctx context.Context, _ func()) (err error) {
		page, err = s.ListSource.List(ctx, l, offset, n)
		return err
	})
	return page, err
}

// Check calls the Check of the source, if it has one.
func (s listSource) Check(ctx context.Context) error { return check(ctx, s.ListSource) }

func check(ctx context.Context, source any) error {
	if c, ok := source.(engine.Checker); ok {
		return c.Check(ctx)
	}
	return nil
}
