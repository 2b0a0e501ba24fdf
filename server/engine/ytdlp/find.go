package ytdlp

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// pagePlayer holds the options of a run that asks only the player of the site's own pages, which
// names all captions of a video. The run needs a single request: it asks for no script of the
// player and no list of media. The program reports whether that player refuses, and keeps the
// site's answers as files in the working directory.
var pagePlayer = []string{"--extractor-args", "youtube:player_client=web;player_skip=js;skip=hls,dash", "--verbose", "--write-pages"}

// find describes a content and lists its tracks. No tracks and no error mean that the content is
// proved to have none. m may be nil if there is an error.
func (d *Downloader) find(ctx context.Context, c engine.Content) (m *media, tracks []track, err error) {
	if c.Platform != transcript.VideoSite {
		m, err := d.program.inspect(ctx, c, look{})
		if err != nil || !m.byPlayers() {
			return d.listed(ctx, m, err)
		}
	}
	page, err := d.askPage(ctx, c)
	if page.settled(err) {
		return page.media, page.tracks, err
	}
	return d.askAll(ctx, c, page, err)
}

// pageAnswer is the answer of the player of the site's own pages about a content.
type pageAnswer struct {
	*media // nil if the program describes nothing
	tracks []track
	kept   bool // the program has saved a page of the site
}

// settled reports whether other players are not asked: the player has captions or proves that
// there are none, the recording is not complete yet, or the site refuses the page itself.
func (p pageAnswer) settled(err error) bool {
	switch {
	case err == nil:
		return true
	case p.media != nil:
		return !p.byPlayers() || p.ended() != nil
	}
	return !p.kept || !mayPass(err)
}

// listed returns the tracks of a content of a platform without players.
func (d *Downloader) listed(ctx context.Context, m *media, err error) (*media, []track, error) {
	if err != nil {
		return m, nil, err
	}
	if tracks := m.tracks(); len(tracks) > 0 {
		return m, tracks, m.hidden()
	}
	return m, nil, proofElsewhere.Prove(evidence{media: m, distrust: d.distrust(ctx)})
}

// askPage asks the player of the site's own pages.
func (d *Downloader) askPage(ctx context.Context, c engine.Content) (p pageAnswer, err error) {
	dir, err := os.MkdirTemp(d.program.host.Dir, "pages-")
	if err != nil {
		return p, fmt.Errorf("ytdlp: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // as in read
	p.media, err = d.program.inspect(ctx, c, look{dir: dir, args: pagePlayer, talks: true, noScripts: true})
	pages, failed := readPages(dir)
	if failed != nil {
		return p, failed
	}
	p.kept = pages.kept > 0
	if err != nil || !p.byPlayers() { // the operator may have replaced the video site by another site
		p.media, p.tracks, err = d.listed(ctx, p.media, err)
		return p, err
	}
	if p.tracks = p.media.tracks(); len(p.tracks) > 0 {
		return p, p.hidden()
	}
	return p, proofByPage.Prove(evidence{media: p.media, answers: pages.answers, distrust: d.distrust(ctx)})
}

// askAll asks all players of the program, after the player of the pages neither had captions nor
// proved that there are none. They may have captions, or give more information about the reason.
// They prove no absence.
func (d *Downloader) askAll(ctx context.Context, c engine.Content, page pageAnswer, reason error) (*media, []track, error) {
	how := look{}
	if page.media != nil {
		how.before = complaints(page.exit.Stderr).lines()
	}
	all, err := d.program.inspect(ctx, c, how)
	var tracks []track
	if err == nil {
		tracks = all.tracks()
		err = all.withheld(len(tracks))
		reason = all.unless(reason)
	}
	described := page.media
	switch {
	case ctx.Err() != nil:
		return described, nil, context.Cause(ctx)
	case err == nil && len(tracks) > 0:
		return all, tracks, nil
	case described == nil:
		described = all
	}
	if mayPass(reason) && err != nil {
		reason = err
	}
	return described, nil, reason
}

// mayPass reports whether an error is a fault, and not an answer of the site, so that another
// question may get an answer.
func mayPass(err error) bool {
	var e *transcript.Error
	return errors.As(err, &e) && (e.Code == transcript.UpstreamFailed || e.Code == transcript.ConfigError)
}
