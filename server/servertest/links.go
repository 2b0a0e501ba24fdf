package servertest

import (
	"context"
	"os"
	"path/filepath"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// Track is a caption track of a link. Only Lang is required.
type Track struct {
	Lang string // BCP 47
	Kind transcript.TrackKind
	Name string
	Text string // the text, as one segment of ten seconds
}

// track returns t as a platform lists it.
func (t Track) track() transcript.Track {
	if t.Kind == "" {
		t.Kind = transcript.TrackManual
	}
	return transcript.Track{ID: t.Lang + "." + string(t.Kind), Lang: t.Lang, Name: t.Name, Kind: t.Kind}
}

// links is what the platforms answer for every link.
type links struct {
	metadata    transcript.Metadata
	tracks      []Track
	captionsErr error
	audioErr    error
	gate        chan struct{} // of the captions; nil means open
	reads       map[transcript.Platform]int
	downloads   map[transcript.Platform]int
}

// SetTracks sets the caption tracks of every link. Without tracks, the platforms say
// that there are no captions. A track without a Kind is manual.
func (e *Engine) SetTracks(tracks ...Track) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.links.tracks = tracks
}

// SetMetadata sets the platforms' metadata of every link.
func (e *Engine) SetMetadata(m transcript.Metadata) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.links.metadata = m
}

// FailCaptions makes all later readings of captions fail with err; nil makes them work
// again. Use errors with codes: see [engine.CaptionSource]. After a
// transcript.IPBlocked the service does not visit the platform for the seconds of
// RetryAfter, or 30.
func (e *Engine) FailCaptions(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.links.captionsErr = err
}

// FailAudio makes all later downloads fail with err; nil makes downloads work again.
// [Engine.SetMedia] sets the downloaded file.
func (e *Engine) FailAudio(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.links.audioErr = err
}

// HoldCaptions blocks every later reading of captions, as [Engine.Hold] does.
func (e *Engine) HoldCaptions() (release func()) { return e.hold(&e.links.gate) }

// CaptionReads returns how often the captions of a platform's links were requested.
func (e *Engine) CaptionReads(p transcript.Platform) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.links.reads[p]
}

// Downloads returns how often the sound of a platform's links was downloaded.
func (e *Engine) Downloads(p transcript.Platform) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.links.downloads[p]
}

// scriptedPlatforms is the Engine in the role of the platforms.
type scriptedPlatforms struct{ e *Engine }

func (scriptedPlatforms) Origin(p transcript.Platform) (transcript.Origin, bool) {
	return engine.CaptionOrigin(p)
}

// scriptedDirect is the Engine in the role of the hosts that direct links lead to. It answers like
// the platforms.
type scriptedDirect struct{ scriptedPlatforms }

func (scriptedDirect) Origin(p transcript.Platform) (transcript.Origin, bool) {
	return transcript.OriginPublisher, p == transcript.Upload
}

func (s scriptedPlatforms) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	s.e.mu.Lock()
	s.e.links.reads[c.Platform]++
	links := s.e.links
	s.e.mu.Unlock()
	if err := pass(ctx, links.gate); err != nil {
		return engine.Captions{}, err
	}
	if links.captionsErr != nil {
		return engine.Captions{}, links.captionsErr
	}
	found := engine.Captions{Metadata: links.metadata}
	for _, t := range links.tracks {
		found.Tracks = append(found.Tracks, t.track())
	}
	err := found.Choose(pick, func(n int) (caption.File, error) {
		return caption.File{Segments: []transcript.Segment{{Text: links.tracks[n].Text, Duration: 10}}}, nil
	})
	return found, err
}

func (s scriptedPlatforms) Audio(_ context.Context, c engine.Content, dir string, o engine.AudioOptions) (string, error) {
	s.e.mu.Lock()
	s.e.links.downloads[c.Platform]++
	links := s.e.links
	s.e.mu.Unlock()
	if links.audioErr != nil {
		return "", links.audioErr
	}
	if o.Known != nil {
		if err := o.Known(links.metadata); err != nil {
			return "", err
		}
	}
	path := filepath.Join(dir, "sound")
	return path, os.WriteFile(path, []byte("what is in it is said by SetMedia"), 0o600)
}
