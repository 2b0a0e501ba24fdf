package service

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/internal/settings"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/videosite"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
)

// lookAgain is how often a running service checks whether its files of settings have
// changed.
const lookAgain = 2 * time.Second

// Follow lets a running server follow the files of --links and --recognizers until ctx ends. If the
// new content of a file is wrong, the current settings stay in force, and one line in the log says
// why.
func (s Setup) Follow(ctx context.Context, running *server.Server) {
	if s.Links.Path() == "" && s.Recognizers.Path() == "" {
		return
	}
	f := &follower{Setup: s, change: running.Change, links: s.Links.File, recognizers: s.Recognizers.File}
	go func() {
		ticks := time.NewTicker(lookAgain)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
				f.look()
			}
		}
	}()
}

// follower is a running service with the settings of its start.
type follower struct {
	Setup
	change func(server.Config) error // of the server

	links, recognizers settings.File // as they were last read
}

// look applies the files that have changed.
func (f *follower) look() {
	if f.links.Changed() {
		links, err := settings.ReadLinks(f.links.Path())
		f.links = links.File
		if err == nil {
			err = f.takeLinks(f.Links.AtStart(links))
		}
		f.tell("--links", f.links.Path(), err, settings.LinksAtNextStart(f.Links, links))
	}
	if f.recognizers.Changed() {
		recognizers, err := settings.ReadRecognizers(f.recognizers.Path())
		f.recognizers = recognizers.File
		if err == nil {
			speech := f.Speech
			speech.Recognizers = f.Recognizers.AtStart(recognizers)
			err = f.adapters.setRecognizer(speech)
		}
		f.tell("--recognizers", f.recognizers.Path(), err, settings.RecognizersAtNextStart(f.Recognizers, recognizers))
	}
}

// tell logs whether new settings are used. later are the members that take effect at the next start.
func (f *follower) tell(flag, file string, err error, later []string) {
	if err != nil {
		f.Log.Warn("the new settings cannot be used: the present ones stay", "flag", flag, "err", settings.Words(err))
		return
	}
	f.Log.Info("the settings have changed", "flag", flag, "file", file)
	if later != nil {
		f.Log.Warn("these members take effect at the next start", "flag", flag, "members", strings.Join(later, " "))
	}
}

// takeLinks applies the settings that can change in a running service.
func (f *follower) takeLinks(links settings.Links) error {
	next := f.Setup
	next.Links = links
	config, err := next.Config()
	if err != nil {
		return err
	}
	if err := f.change(config); err != nil {
		return ByFlag(err)
	}
	return f.adapters.setLinks(links) // ReadLinks has checked them, so the server does not change alone
}

// adapters are the parts of a running engine that accept new settings. nil, or a nil member, means
// that the process has no engine, or none with settings.
type adapters struct {
	links      *ytdlp.Downloader
	route      *videosite.Route
	recognizer *changing
}

// follow returns the recognizer that accepts new settings, if it is a server.
func (a *adapters) follow(speech Choice, r engine.Recognizer) engine.Recognizer {
	if speech.ASR.url.at == nil {
		return r
	}
	a.recognizer = new(changing)
	a.recognizer.now.Store(&r)
	return a.recognizer
}

func (a *adapters) setLinks(l settings.Links) error {
	if a == nil || a.links == nil {
		return nil
	}
	if err := a.links.SetAccess(l.Access); err != nil {
		return l.AccessError(err)
	}
	return a.route.SetPlayers(l.PlayerList)
}

func (a *adapters) setRecognizer(speech Choice) error {
	if a == nil || a.recognizer == nil {
		return nil
	}
	r, err := speech.Recognizer(engine.Host{}) // a server needs none
	if err == nil {
		a.recognizer.now.Store(&r)
	}
	return err
}

// changing is a recognizer that can be replaced while the service runs.
type changing struct {
	now atomic.Pointer[engine.Recognizer]
}

var (
	_ engine.Recognizer = (*changing)(nil)
	_ engine.Checker    = (*changing)(nil)
)

// Info describes the current recognizer.
func (c *changing) Info() engine.RecognizerInfo { return (*c.now.Load()).Info() }

// Recognize passes the call to the current recognizer.
func (c *changing) Recognize(ctx context.Context, audio engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
	return (*c.now.Load()).Recognize(ctx, audio, o)
}

// Check returns why the current recognizer does not work.
func (c *changing) Check(ctx context.Context) error {
	if checker, ok := (*c.now.Load()).(engine.Checker); ok {
		return checker.Check(ctx)
	}
	return nil
}
