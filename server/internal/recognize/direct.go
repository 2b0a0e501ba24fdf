package recognize

import (
	"context"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// WithDirect returns the engine with its Direct among the other sources: it reads the captions of
// direct links, and the Audio hands on their sound to it. No other source sees such a link, which
// may lead anywhere.
func WithDirect(e engine.Engine) engine.Engine {
	if e.Direct != nil {
		e.Captions = append(slices.Clone(e.Captions), e.Direct)
	}
	if e.Direct != nil || e.Audio != nil {
		e.Audio = audioByLink{e.Audio, e.Direct}
	}
	return e
}

// audioByLink downloads the sound of platforms by one source, and that of direct links by another.
type audioByLink struct {
	platforms engine.AudioSource // nil: there is none
	direct    engine.DirectSource
}

// Audio downloads the sound of a content by the source that reads its link.
func (a audioByLink) Audio(ctx context.Context, c engine.Content, dir string, o engine.AudioOptions) (string, error) {
	switch direct := subject.Direct(c); {
	case direct && a.direct != nil:
		return a.direct.Audio(ctx, c, dir, o)
	case !direct && a.platforms != nil:
		return a.platforms.Audio(ctx, c, dir, o)
	}
	return "", transcript.Errorf(transcript.NotImplemented, "This service cannot download media of this kind.")
}

// Check calls the Check of the source for platforms, if it has one.
func (a audioByLink) Check(ctx context.Context) error {
	if a.platforms == nil {
		return cluster.ErrMissing
	}
	return cluster.Check(ctx, a.platforms)
}
