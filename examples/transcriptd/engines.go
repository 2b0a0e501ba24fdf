package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/server/engine/videosite"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// engines makes the engine and says in the log who reads links and who will recognize,
// and what they lack.
func engines(ctx context.Context, o serviceOptions) func(engine.Host) (engine.Engine, error) {
	return func(host engine.Host) (engine.Engine, error) {
		e, links, err := o.engine(host)
		if err != nil {
			return e, err
		}
		if _, err := host.Programs.Look(o.links.program()); err != nil {
			o.log.Warn("links cannot be read", "program", o.links.program(), "err", err)
		} else {
			go tellLinks(ctx, links, o)
		}
		if e.Discovery != engine.Discovery(links) {
			o.log.Info("videos are found by the data API", "url", o.finds.base())
		}
		tellRecognizer(ctx, e.Recognizer, o)
		return e, nil
	}
}

// engine wires the adapters together.
func (o serviceOptions) engine(host engine.Host) (e engine.Engine, links *ytdlp.Downloader, err error) {
	route, err := captionRoute(host, o)
	if err != nil {
		return e, nil, err
	}
	links, err = ytdlp.New(host, ytdlp.Options{
		Program: o.links.program(), Base: videoSite(o).Base, JSRuntime: string(o.links.JSRuntime), Log: o.log,
	})
	if err != nil {
		return e, nil, &usageError{"--js-runtime", err} // the program's name and the site's were checked before
	}
	e = engine.Engine{
		Captions: []engine.CaptionSource{route, links},
		Lists:    links,
		Audio:    links,
		Media:    ffmpeg.New(host),
	}
	if e.Discovery, err = discovery(o, links); err != nil {
		return e, nil, err
	}
	e.Recognizer, err = o.asr.recognizer(host)
	return e, links, err
}

// tellLinks says in the log which program reads links, and what is wrong with it or
// missing. Nobody waits for it: on a busy machine it takes half a minute.
func tellLinks(ctx context.Context, links *ytdlp.Downloader, o serviceOptions) {
	switch v, err := links.Version(ctx); {
	case errors.Is(err, transcript.ConfigError):
		o.log.Warn("links cannot be read", "program", o.links.program(), "err", err)
		return
	case err != nil:
		return // the service ends, or the next to ask is told
	default:
		o.log.Info("links", "program", o.links.program(), "version", v)
	}
	for _, f := range links.Examine(ctx) {
		if f.Status != engine.OK && ctx.Err() == nil {
			o.log.Warn("works, but not as it could", "what", f.Name, "is", f.Status, "found", f.Found, "fails", f.Fails, "cure", f.Cure)
		}
	}
}

// videoSite is the video site as the platform table has it.
func videoSite(o serviceOptions) site.Site {
	at, _ := cmp.Or(o.sites, site.Default()).Site(transcript.VideoSite) // every table has it
	return at
}

// captionRoute reads the video site's captions.
func captionRoute(host engine.Host, o serviceOptions) (*videosite.Route, error) {
	name, version, _ := strings.Cut(o.links.Player, "/")
	return videosite.New(host, videosite.Options{
		Base:          videoSite(o).Base,
		ClientName:    name,
		ClientVersion: version,
	})
}

// discovery is by the data API where there is a key for it, else by the program that reads
// links.
func discovery(o serviceOptions, links *ytdlp.Downloader) (engine.Discovery, error) {
	found, err := o.finds.dataAPI(o.sites)
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return links, nil
	}
	return found, nil
}

// tellRecognizer says in the log which recognizer was chosen, how good it is, and when it
// cannot work.
func tellRecognizer(ctx context.Context, r engine.Recognizer, o serviceOptions) {
	if o.asr.Unused != nil {
		o.log.Warn("the model that was pulled is not used", "err", o.asr.Unused)
	}
	name := o.asr.ASR.name
	if r == nil {
		o.log.Info("recognizer", "asr", name, "why", o.asr.Why, "quality", nobody())
		return
	}
	info := r.Info()
	o.log.Info("recognizer", "asr", name, "model", info.Model, "quality", info.Quality, "why", o.asr.Why)
	go tellTrouble(ctx, r, o)
}

// tellTrouble says in the log what keeps the recognizer from working, at the start and
// not when the first recording has come. Nobody waits for it: it may be there later.
func tellTrouble(ctx context.Context, r engine.Recognizer, o serviceOptions) {
	checker, checks := r.(engine.Checker)
	if !checks {
		return
	}
	switch err := checker.Check(ctx); {
	case err == nil, ctx.Err() != nil:
	case errors.Is(err, transcript.UpstreamFailed):
		o.log.Warn("the recognizer cannot be reached: what needs it waits", "asr", o.asr.ASR.name, "err", err)
	default:
		o.log.Warn("speech cannot be recognized", "asr", o.asr.ASR.name, "err", err)
	}
}
