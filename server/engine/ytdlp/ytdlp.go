// Package ytdlp reads captions, downloads sound, lists playlists and channels, and finds
// videos, with the program yt-dlp.
//
//	downloader, err := ytdlp.New(host, ytdlp.Options{})
//	found, err := downloader.Captions(ctx, content, pick)
//	path, err := downloader.Audio(ctx, content, dir, engine.AudioOptions{})
//	page, err := downloader.List(ctx, playlist, 0, 500)
//	results, err := downloader.Search(ctx, video.Search{Q: "go", Type: video.TypeVideo}, engine.Window{Max: 20})
//
// The package does not trust pages: a page may redirect to private addresses, name
// local files as media, or never end. So the program has an environment, a home and a
// working directory of its own. It reads no configuration files, and uses no other
// program except a JavaScript runtime. It gets plugins and cookies only if the operator
// sets them ([Access]) and the platform refuses a request without them. Every run goes
// through the host's egress guard, within limits of time and size. The package decides
// by the file and the JSON of a run whether it succeeded, never by its exit code.
//
// The caller passes canonical links. The package itself knows only the addresses of the
// video site's results pages, and of the tabs and uploads of a channel. It reads
// captions in every format that package caption reads, and decodes no media. Between
// calls, it keeps only the program's version and abilities, and a limited cache about
// the players of the video site.
//
// The package reports that a content has no captions only if the tables in absence.go
// prove it. The tables are valid for the releases with which this package is tested.
// Another release must first pass a test against a site inside this process.
package ytdlp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Options name the program to run. The zero value runs yt-dlp.
type Options struct {
	// Program is a name to look up or an absolute path; empty means "yt-dlp".
	Program string
	// Base is the address of the video site for searches: http or https, without a
	// path. Empty means "https://www.youtube.com". For everything else, the package
	// uses the links that the caller passes.
	Base string
	// JSRuntime is the JavaScript runtime with which versions from 2025.11.12 on run a site's
	// player: "deno", "node", "quickjs" or "bun", followed by a colon and its absolute path if
	// the runner does not find it. Empty means the first of deno, node and quickjs that is
	// installed and that the program supports.
	JSRuntime string
	// Cure tells the operator how to get a current release of the program. It continues
	// a sentence after a colon: "run make setup". Findings and errors about the
	// program's version repeat it. Empty means the places where the publisher offers
	// releases.
	Cure string
	// Access has means to read content that the platform refuses to a plain run.
	Access Access
	// Notes is a folder in which the downloader records that an unknown release of the
	// program has passed the test, so that the next process need not test it again.
	// Empty means that nothing is recorded.
	Notes string
	// Log receives the program's warnings, one line for each run. If it is nil, only
	// errors contain them.
	Log *slog.Logger
}

// Downloader implements [engine.CaptionSource], [engine.AudioSource], [engine.ListSource],
// [engine.Discovery], [engine.Checker] and [engine.Examiner] with yt-dlp, version 2023.03.04 or
// later. It is safe for concurrent use and needs no closing.
type Downloader struct {
	program   program
	base      string
	access    *atomic.Pointer[Access] // the current one
	notes     suiteNotes
	rehearsed *question[*suiteFailure]
}

var (
	_ engine.CaptionSource = (*Downloader)(nil)
	_ engine.AudioSource   = (*Downloader)(nil)
	_ engine.ListSource    = (*Downloader)(nil)
	_ engine.Discovery     = (*Downloader)(nil)
	_ engine.Checker       = (*Downloader)(nil)
	_ engine.Examiner      = (*Downloader)(nil)
)

// New returns a downloader that runs its program on host, whose Programs must not be
// nil. [Downloader.Check] checks whether the program is installed.
func New(host engine.Host, o Options) (*Downloader, error) {
	if host.Programs == nil {
		return nil, errors.New("ytdlp: the host runs no programs")
	}
	file := cmp.Or(o.Program, "yt-dlp")
	if !filepath.IsAbs(file) && filepath.Base(file) != file {
		return nil, fmt.Errorf("ytdlp: Program: %q is neither a name nor an absolute path", file)
	}
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	runtime, err := namedRuntime(host, o.JSRuntime)
	if err != nil {
		return nil, err
	}
	base := cmp.Or(o.Base, "https://www.youtube.com")
	if u, err := url.Parse(base); err != nil || checkLink(base) != nil || u.Scheme+"://"+u.Host != base {
		return nil, fmt.Errorf("ytdlp: Base: %q is no http or https address without a path", base)
	}
	if err := o.Access.Check(); err != nil {
		return nil, err
	}
	p := program{
		host: host, file: file, cure: cmp.Or(o.Cure, getProgram), log: log, runtime: runtime, cache: newCache(host.Dir),
		said: new(question[version]), told: new(question[*equipment]),
	}
	d := &Downloader{p, base, new(atomic.Pointer[Access]), suiteNotes(o.Notes), new(question[*suiteFailure])}
	d.access.Store(&o.Access)
	return d, nil
}

// SetAccess replaces the further ways to content whose platform refuses the plain way. Runs that
// have begun continue. The error is an *[AccessError] that names the wrong field; then nothing
// changes.
func (d *Downloader) SetAccess(a Access) error {
	if err := a.Check(); err != nil {
		return err
	}
	d.access.Store(&a)
	return nil
}

// checkPatience is how long Check waits for a program that has not reported its version.
const checkPatience = time.Second

// Check runs the program to get its version. If the version runs players (2025.11.12 or
// later), Check also gets the JavaScript runtimes. Later calls only check whether the
// program exists and is unchanged. The error is a CONFIG_ERROR that says what is wrong
// with the program or its JavaScript runtime, and how to repair it. If the program
// takes longer than a second, the error is [context.DeadlineExceeded], and a later
// Check may return the result.
func (d *Downloader) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	v, err := d.program.version(ctx)
	if err != nil || v < runsPlayers {
		return err
	}
	said, err := d.program.equipment(ctx, v)
	switch {
	case err != nil:
		return err
	case said.tells && said.best() == nil:
		return noRuntime.Because(errors.New("ytdlp: " + said.runtime().Found))
	}
	return nil
}

// Version returns the date of the program's release, "2026.08.19". It waits for the program,
// which may take half a minute on a busy machine. The error is that of [Downloader.Check], or
// the context's.
func (d *Downloader) Version(ctx context.Context) (string, error) {
	v, err := d.program.version(ctx)
	return v.date(), err
}

// Origin returns the origin of platforms whose captions the program reads.
func (d *Downloader) Origin(p transcript.Platform) (transcript.Origin, bool) {
	return engine.CaptionOrigin(p)
}
