package throttle

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// discovery is a Discovery that respects the pace.
type discovery struct {
	engine.Discovery
	pace *Throttle
}

func (d discovery) visit(ctx context.Context, do func(context.Context) error) error {
	return d.pace.visit(ctx, transcript.VideoSite, discoveryRoute(), func(ctx context.Context, _ func()) error { return do(ctx) })
}

func (d discovery) Search(ctx context.Context, q video.Search, at engine.Window) (found engine.Listing[video.Result], err error) {
	err = d.visit(ctx, func(ctx context.Context) (err error) {
		found, err = d.Discovery.Search(ctx, q, at)
		return err
	})
	return found, err
}

// Videos counts as one visit for each video. It begins as soon as there is a token for one
// visit, because a long list would otherwise never get all tokens. Later visits wait for the
// other tokens.
func (d discovery) Videos(ctx context.Context, contents []engine.Content) (found []video.Video, err error) {
	err = d.visit(ctx, func(ctx context.Context) (err error) {
		oweMore(ctx, len(contents)-1)
		found, err = d.Discovery.Videos(ctx, contents)
		return err
	})
	return found, err
}

func (d discovery) Channel(ctx context.Context, channel engine.List) (found video.Channel, err error) {
	err = d.visit(ctx, func(ctx context.Context) (err error) {
		found, err = d.Discovery.Channel(ctx, channel)
		return err
	})
	return found, err
}

func (d discovery) Uploads(ctx context.Context, channel engine.List, kind video.Kind, at engine.Window) (found engine.Listing[video.Summary], err error) {
	err = d.visit(ctx, func(ctx context.Context) (err error) {
		found, err = d.Discovery.Uploads(ctx, channel, kind, at)
		return err
	})
	return found, err
}

func (d discovery) Items(ctx context.Context, playlist engine.List, at engine.Window) (found engine.Listing[video.Item], err error) {
	err = d.visit(ctx, func(ctx context.Context) (err error) {
		found, err = d.Discovery.Items(ctx, playlist, at)
		return err
	})
	return found, err
}

// Check calls the Check of the wrapped Discovery, if it has one, and returns ErrOpen while the
// circuit is open.
func (d discovery) Check(ctx context.Context) error {
	if err := check(ctx, d.Discovery); err != nil {
		return err
	}
	return d.pace.check(transcript.VideoSite, discovers)
}
