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

// engines wires the adapters together and says in the log who reads links and
// who will recognize.
func engines(ctx context.Context, o serviceOptions) func(engine.Host) (engine.Engine, error) {
	return func(host engine.Host) (engine.Engine, error) {
		route, err := captionRoute(host, o)
		if err != nil {
			return engine.Engine{}, err
		}
		links, err := ytdlp.New(host, ytdlp.Options{
			Program: o.links.program(), Base: videoSite(o).Base, JSRuntime: string(o.links.JSRuntime), Log: o.log,
		})
		if err != nil {
			return engine.Engine{}, &usageError{"--js-runtime", err} // the program's name and the site's were checked before
		}
		if _, err := host.Programs.Look(o.links.program()); err != nil {
			o.log.Warn("links cannot be read", "program", o.links.program(), "err", err)
		} else {
			go tellVersion(ctx, links, o)
		}
		e := engine.Engine{
			Captions: []engine.CaptionSource{route, links},
			Lists:    links,
			Audio:    links,
			Media:    ffmpeg.New(host),
		}
		if e.Discovery, err = discovery(o, links); err != nil {
			return engine.Engine{}, err
		}
		e.Recognizer, err = recognizer(ctx, host, o)
		return e, err
	}
}

// tellVersion says in the log which program reads links, or what is wrong with it.
// Nobody waits for it: on a busy machine it takes half a minute.
func tellVersion(ctx context.Context, links *ytdlp.Downloader, o serviceOptions) {
	switch v, err := links.Version(ctx); {
	case err == nil:
		o.log.Info("links", "program", o.links.program(), "version", v)
	case errors.Is(err, transcript.ConfigError): // any other is that the service ends, or of the next to ask
		o.log.Warn("links cannot be read", "program", o.links.program(), "err", err)
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

// discovery is by the data API where there is a key for it, and says so in the log, else by
// the program that reads links.
func discovery(o serviceOptions, links *ytdlp.Downloader) (engine.Discovery, error) {
	found, err := o.finds.dataAPI(o.sites)
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return links, nil
	}
	o.log.Info("videos are found by the data API", "url", o.finds.base())
	return found, nil
}

// recognizer makes the recognizer that was chosen, and says in the log which one, how
// good it is, and when it cannot work.
func recognizer(ctx context.Context, host engine.Host, o serviceOptions) (engine.Recognizer, error) {
	r, err := o.asr.recognizer(host)
	if err != nil {
		return nil, err
	}
	if o.asr.Unused != nil {
		o.log.Warn("the model that was pulled is not used", "err", o.asr.Unused)
	}
	name := o.asr.ASR.name
	if r == nil {
		o.log.Info("recognizer", "asr", name, "why", o.asr.Why, "quality", nobody())
		return nil, nil //nolint:nilnil // as was asked for
	}
	info := r.Info()
	o.log.Info("recognizer", "asr", name, "model", info.Model, "quality", info.Quality, "why", o.asr.Why)
	go tellTrouble(ctx, r, o)
	return r, nil
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
