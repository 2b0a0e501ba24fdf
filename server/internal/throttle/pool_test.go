package throttle_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// judge is a site that judges visits by the exit through which they come.
type judge struct {
	mu     sync.Mutex
	visits []comes
	answer func(exit string) error // nil: each visit has an answer
	during func()                  // a visit; nil: it takes no time
}

// comes is a visit that a site has seen.
type comes struct {
	source, exit string
	at           time.Time
}

func (j *judge) visit(ctx context.Context, source string) error {
	exit := egress.ExitOf(ctx).Name()
	j.mu.Lock()
	j.visits = append(j.visits, comes{source, exit, time.Now()})
	answer, during := j.answer, j.during
	j.mu.Unlock()
	if during != nil {
		during()
	}
	if answer == nil {
		return nil
	}
	return answer(exit)
}

// by returns the exits of the visits since the last call, in order.
func (j *judge) by() (exits []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, v := range j.visits {
		exits = append(exits, v.exit)
	}
	j.visits = nil
	return exits
}

// judged is a source of captions, sound and lists that a judge sees.
type judged struct {
	*judge
	name string
}

func (s judged) Origin(p transcript.Platform) (transcript.Origin, bool) {
	return transcript.Origin(s.name), language.HasCaptions(p)
}

func (s judged) Captions(ctx context.Context, _ engine.Content, _ func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	return engine.Captions{}, s.visit(ctx, s.name)
}

func (s judged) Audio(ctx context.Context, _ engine.Content, _ string, o engine.AudioOptions) (string, error) {
	if err := o.Known(transcript.Metadata{}); err != nil {
		return "", err
	}
	return "sound", s.visit(ctx, s.name)
}

func (judged) Lists(transcript.Platform) bool { return true }

func (s judged) List(ctx context.Context, _ engine.List, _, _ int) (engine.ListPage, error) {
	return engine.ListPage{}, s.visit(ctx, s.name)
}

// pooled is an engine whose visits leave by a pool.
type pooled struct {
	*throttle.Throttle
	engine.Engine
	pool *pool
	site *judge
}

// leaveBy returns an engine with two caption sources whose visits leave by a pool, and the site
// that sees the visits.
func leaveBy(t *testing.T, c pace.Config, pool *pool) pooled {
	t.Helper()
	site := &judge{}
	keep, err := throttle.New(c, pool.guard, nil)
	require.NoError(t, err)
	e := keep.Engine(engine.Engine{
		Captions: []engine.CaptionSource{judged{site, "first"}, judged{site, "second"}},
		Audio:    judged{site, "audio"}, Lists: judged{site, "lists"}, Discovery: &pages{},
	})
	return pooled{keep, e, pool, site}
}

func (p pooled) read(ctx context.Context) error { return p.readFrom(ctx, 0) }

func (p pooled) readFrom(ctx context.Context, source int) error {
	_, err := p.Captions[source].Captions(ctx, engine.Content{Platform: transcript.VideoSite}, nil)
	return err
}

func (p pooled) download(ctx context.Context) error {
	_, err := p.Audio.Audio(ctx, engine.Content{Platform: transcript.VideoSite}, "", engine.AudioOptions{
		Known: func(transcript.Metadata) error { return nil },
	})
	return err
}

func (p pooled) list(ctx context.Context) error {
	_, err := p.Lists.List(ctx, engine.List{Platform: transcript.VideoSite}, 0, 1)
	return err
}

// pool is a guard with exits that change. The guard has a server, so it is made outside of a bubble.
type pool struct{ guard *egress.Guard }

func newPool(t *testing.T, exits ...egress.Listed) *pool {
	t.Helper()
	guard, err := egress.New(egress.Config{Exits: exits})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, guard.Close()) })
	return &pool{guard}
}

// set replaces the exits. Nothing listens at the addresses: the judge is no network.
func (p *pool) set(t *testing.T, exits ...egress.Listed) {
	t.Helper()
	require.NoError(t, p.guard.Change(egress.Config{Exits: exits}))
}

// exit is an exit of a pool; without uses, it serves all.
func exit(name string, uses ...egress.Use) egress.Listed {
	return egress.Listed{Name: name, Address: "http://192.0.2.1:8080", Uses: uses}
}
