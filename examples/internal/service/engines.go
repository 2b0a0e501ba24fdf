package service

import (
	"context"
	"errors"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/directmedia"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/server/engine/videosite"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// tellingEngine makes the engine and logs which program reads links, which recognizer is used,
// and what they lack.
func (s Setup) tellingEngine(ctx context.Context) func(engine.Host) (engine.Engine, error) {
	return func(host engine.Host) (engine.Engine, error) {
		e, links, err := s.engine(host)
		if err != nil {
			return e, err
		}
		ofLinks := &trial{program: s.program(), look: host.Programs.Look, folder: trialsFolder()}
		ofRecognizer := &trial{program: pocketsphinxProgram, look: host.Programs.Look, folder: trialsFolder()}
		if _, err := host.Programs.Look(s.program()); err != nil {
			s.Log.Warn("links cannot be read", "program", s.program(), "err", err)
			ofLinks.settle(err)
		} else {
			go s.tellLinks(ctx, links, ofLinks)
		}
		if e.Discovery != engine.Discovery(links) {
			s.Log.Info("videos are found by the data API", "url", s.Links.DataAPIBase())
		}
		s.tellRecognizer(ctx, e.Recognizer, ofRecognizer)
		s.tellVoices(e)
		return try(e, links, ofLinks, ofRecognizer), nil
	}
}

// engine connects the adapters.
func (s Setup) engine(host engine.Host) (e engine.Engine, links *ytdlp.Downloader, err error) {
	route, err := s.captionRoute(host)
	if err != nil {
		return e, nil, err
	}
	links, err = ytdlp.New(host, ytdlp.Options{
		Program: s.program(), Base: s.VideoSite().Base, JSRuntime: s.Links.Runtime, Cure: YtDlpCure(s.program()), Notes: trialsFolder(), Log: s.Log,
		Access: s.Links.Access,
	})
	var wrong *ytdlp.AccessError
	switch {
	case errors.As(err, &wrong):
		return e, nil, &FlagError{"--links", s.Links.AccessError(err)}
	case err != nil: // the program's name and the site's address were checked before
		return e, nil, &FlagError{"--links", s.Links.Wrong("jsRuntime", err)}
	}
	e = engine.Engine{
		Captions: []engine.CaptionSource{ownHosts{route, s.Links.Table()}, links},
		Lists:    links,
		Audio:    links,
		Media:    ffmpeg.New(host),
	}
	if e.Discovery, err = s.discovery(links); err != nil {
		return e, nil, err
	}
	if s.DirectMedia {
		if e.Direct, err = directmedia.New(host, directmedia.Options{}); err != nil {
			return e, nil, err
		}
	}
	if e.Recognizer, err = s.Speech.Recognizer(host); err != nil {
		return e, nil, err
	}
	if err := s.Speech.Recognizers.AddVoices(host, s.Speech.fasterWhisper(), &e); err != nil {
		return e, nil, err
	}
	if s.adapters != nil {
		s.adapters.links, s.adapters.route = links, route
		e.Recognizer = s.adapters.follow(s.Speech, e.Recognizer)
	}
	return e, links, nil
}

// tellLinks logs which program reads links, and its faults. It runs in the background, because
// it takes half a minute on a busy machine.
func (s Setup) tellLinks(ctx context.Context, links *ytdlp.Downloader, of *trial) {
	switch v, err := links.Version(ctx); {
	case errors.Is(err, transcript.ConfigError):
		of.settle(err)
		s.Log.Warn("links cannot be read", "program", s.program(), "err", err)
		return
	case err != nil:
		return // the service ends, or the next question reports the error
	default:
		s.Log.Info("links", "program", s.program(), "version", v)
	}
	for platform := range s.Links.Cookies {
		s.Log.Warn("cookies are used after LOGIN_REQUIRED or IP_BLOCKED: "+ytdlp.BanWarning, "platform", platform)
	}
	for _, f := range EachCureOnce(links.Examine(ctx)) {
		if f.Status != engine.OK && ctx.Err() == nil {
			s.Log.Warn("works, but not as it could", "what", f.Name, "is", f.Status, "found", f.Found, "fails", f.Fails, "cure", f.Cure)
		}
	}
	if err := links.Check(ctx); ctx.Err() == nil {
		of.settle(err)
	}
}

// EachCureOnce shortens the cure of a finding that repeats the cure of an earlier one.
func EachCureOnce(found []engine.Finding) []engine.Finding {
	short := slices.Clone(found)
	for i := range short {
		same := slices.IndexFunc(found[:i], func(before engine.Finding) bool { return before.Cure == found[i].Cure })
		if same >= 0 && found[i].Cure != "" {
			short[i].Cure = "as for " + found[same].Name
		}
	}
	return short
}

// VideoSite returns the video site of the platform table.
func (s Setup) VideoSite() site.Site {
	at, _ := s.Links.Table().Site(transcript.VideoSite) // every table has it
	return at
}

// captionRoute returns the source that reads the video site's captions.
func (s Setup) captionRoute(host engine.Host) (*videosite.Route, error) {
	route, err := videosite.New(host, videosite.Options{Base: s.VideoSite().Base, Players: s.Links.PlayerList})
	if err != nil {
		return nil, &FlagError{"--links", s.Links.Wrong("players", err)} // the site's address was checked before
	}
	return route, nil
}

// ownHosts asks a source only for contents on the platform's own hosts, because the source does
// not know pages on other hosts.
type ownHosts struct {
	engine.CaptionSource
	sites *site.Table
}

// Captions reads captions like the source.
func (o ownHosts) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	at, _ := o.sites.Site(c.Platform) // the content's platform is in the table
	if _, elsewhere := at.Elsewhere[c.ExternalID]; elsewhere {
		return engine.Captions{}, transcript.Errorf(transcript.Unavailable, "This is not on the platform's own pages.").Because(engine.ErrNothingFound)
	}
	return o.CaptionSource.Captions(ctx, c, pick)
}

// discovery uses the data API if there is a key for it, otherwise the program that reads links.
func (s Setup) discovery(links *ytdlp.Downloader) (engine.Discovery, error) {
	found, err := s.Links.Finder()
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return links, nil
	}
	return found, nil
}

// tellRecognizer logs the chosen recognizer, its quality, and whether it cannot work.
func (s Setup) tellRecognizer(ctx context.Context, r engine.Recognizer, of *trial) {
	if s.Speech.Unused != nil {
		s.Log.Warn("the model that was pulled is not used", "err", s.Speech.Unused)
	}
	name := s.Speech.ASR.Name
	if r == nil {
		s.Log.Info("recognizer", "asr", name, "why", s.Speech.Why, "quality", noRecognizer())
		return
	}
	info := r.Info()
	s.Log.Info("recognizer", "asr", name, "model", info.Model, "quality", info.Quality, "why", s.Speech.Why)
	go s.tellTrouble(ctx, r, of)
}

// tellTrouble logs why the recognizer cannot work, at the start and not only at the first
// recording. It runs in the background, because the recognizer may become available later.
func (s Setup) tellTrouble(ctx context.Context, r engine.Recognizer, of *trial) {
	checker, checks := r.(engine.Checker)
	if !checks {
		return
	}
	err := checker.Check(ctx)
	if ctx.Err() == nil {
		of.settle(err)
	}
	switch {
	case err == nil, ctx.Err() != nil:
	case errors.Is(err, transcript.RateLimited):
		s.Log.Info("the recognizer is busy or slow: it gets recordings all the same", "asr", s.Speech.ASR.Name, "err", err)
	case errors.Is(err, transcript.UpstreamFailed):
		s.Log.Warn("the recognizer cannot be reached: what needs it waits", "asr", s.Speech.ASR.Name, "err", err)
	default:
		s.Log.Warn("speech cannot be recognized", "asr", s.Speech.ASR.Name, "err", err)
	}
}
