package ytdlp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// withProviders is the first version whose plugins provide tokens.
const withProviders version = "2025.05.22"

// way is a way to content other than the plain one.
type way struct {
	name    string            // for the log
	after   []transcript.Code // the refusals of the plain way against which it may help
	args    []string          // of the program
	reads   []string          // the folder of plugins
	service *engine.Service   // that provides tokens
	login   *Cookies          // nil means none
}

// ways returns the further ways to the content of a platform, in the order in which they are
// tried. A login comes last.
func (a Access) ways(platform transcript.Platform, login bool) (all []way) {
	w := way{name: "extractor arguments"}
	if a.Plugins != "" {
		w.name, w.after = "plugins", []transcript.Code{transcript.POTokenRequired, transcript.IPBlocked}
		// The plain way has failed, so every address gets a token that may get one.
		w.args = append(w.args, "--plugin-dirs", a.Plugins, extractorArgsOption, "youtube:fetch_pot=always")
		w.reads = []string{a.Plugins}
	}
	if a.TokenProvider != nil {
		w.name = "token provider"
		w.service = &engine.Service{URL: a.TokenProvider, Args: func(at string) []string {
			return []string{extractorArgsOption, providerKey + ":base_url=" + at}
		}}
	}
	for _, args := range a.ExtractorArgs {
		w.args = append(w.args, extractorArgsOption, args)
		w.after = []transcript.Code{transcript.POTokenRequired, transcript.IPBlocked, transcript.LoginRequired, transcript.UpstreamFailed}
	}
	if len(w.after) > 0 {
		all = append(all, w)
	}
	if c, ok := a.Cookies[platform]; ok && login {
		w.name, w.after, w.login = "cookies", []transcript.Code{transcript.LoginRequired, transcript.IPBlocked}, &c
		all = append(all, w)
	}
	return all
}

// by returns a downloader that goes a way. Both share what they know about the program.
func (d *Downloader) by(w way) *Downloader {
	other := *d
	other.program.way = &w
	return &other
}

// afterRefusal does something in further ways if the plain way was refused. It reports false if no
// way helps: the caller then returns the error of the plain way.
func afterRefusal[T any](ctx context.Context, d *Downloader, c engine.Content, refused error, do func(*Downloader) (T, error)) (result T, ok bool) {
	for _, w := range d.access.Load().ways(c.Platform, c.Login) {
		helps := slices.ContainsFunc(w.after, func(code transcript.Code) bool { return errors.Is(refused, code) })
		if !helps || ctx.Err() != nil {
			continue
		}
		result, err := do(d.by(w))
		if err == nil {
			d.program.log.InfoContext(ctx, "another way leads to what the platform has refused", "content", c.ExternalID, "way", w.name, "refused", refused)
			return result, true
		}
		d.program.log.WarnContext(ctx, "another way fails too", "content", c.ExternalID, "way", w.name, "err", err)
	}
	return result, false
}

// equip gives a run what its way needs. The caller calls done after the run.
func (w *way) equip(dir string, v version, c *engine.Command) (done func(), err error) {
	done = func() {}
	if w == nil {
		return done, nil
	}
	if len(w.reads) > 0 && v >= withProviders {
		c.Reads = append(slices.Clone(c.Reads), w.reads...)
		c.Network.Service = w.service
	}
	c.Args = append(c.Args, w.known(v)...)
	if w.login == nil {
		return done, nil
	}
	j, err := readJar(*w.login)
	if err != nil {
		return done, fmt.Errorf("ytdlp: cookies: %w", err)
	}
	folder, err := os.MkdirTemp(dir, "login-")
	if err != nil {
		return done, fmt.Errorf("ytdlp: cookies: %w", err)
	}
	done = func() { _ = os.RemoveAll(folder) } // a remainder lies in the host's scratch directory, which the server empties
	path, err := j.write(folder)
	if err != nil {
		return done, fmt.Errorf("ytdlp: cookies: %w", err)
	}
	c.Args, c.Writes = append(c.Args, "--cookies", path), append(slices.Clone(c.Writes), folder)
	return done, nil
}

// known returns the arguments that a version knows. An older one loads no plugins.
func (w *way) known(v version) []string {
	if i := slices.Index(w.args, "--plugin-dirs"); i >= 0 && v < withProviders {
		return slices.Delete(slices.Clone(w.args), i, i+2)
	}
	return w.args
}

// shared reports whether all accounts may see what was read: by the plain way, or of a content that
// the platform shows to everybody.
func (w *way) shared(a about) bool {
	return w == nil || w.login == nil || a.Availability == "public"
}
