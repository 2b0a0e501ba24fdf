package ytdlp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// tested are the releases on which the tests of this package run: that of Debian 12, and that of
// make setup. This package has learned the program's complaints from these releases. The silence
// of another release proves nothing until that release has passed the suite.
var tested = []version{oldest, "2026.10.26"}

// distrust returns why the silence of this release of the program proves nothing, or nil
// if the release is tested. An untested release goes through the suite, once for each file
// of the program, which takes some ten seconds.
func (d *Downloader) distrust(ctx context.Context) error {
	v, err := d.program.version(ctx)
	if err != nil || d.program.site != nil || slices.Contains(tested, v) {
		return err
	}
	files, err := d.program.files(nil)
	if err != nil {
		return err
	}
	failed, err := d.rehearsed.get(ctx, files, func(ctx context.Context) (*suiteFailure, error) {
		return d.suite(ctx, v)
	})
	switch {
	case err != nil:
		return fmt.Errorf("ytdlp: the suite for release %s: %w", v, err)
	case failed != nil:
		return d.program.unfit("is release " + string(v) + ", which does not tell refusals from missing captions").Because(failed)
	}
	return nil
}

// Rehearse tests whether the program distinguishes refusals from missing captions, even
// if the release is known, and returns the finding. It runs the program against a site
// inside this process, and so needs no network.
func (d *Downloader) Rehearse(ctx context.Context) engine.Finding {
	f := engine.Finding{Name: programName + " suite"}
	v, err := d.program.version(ctx)
	if err == nil {
		var failed *suiteFailure
		if failed, err = d.rehearse(ctx); err == nil {
			d.notes.note(&d.program, v, failed == nil)
			if failed == nil {
				f.Status, f.Found = engine.OK, "release "+string(v)+" tells refusals from missing captions"
				return f
			}
			err = d.program.unfit("does not tell refusals from missing captions (" + failed.Error() + ")")
		}
	}
	f = engine.FindingOf(f.Name, err)
	f.Fails = "speech recognition of links without captions: CONFIG_ERROR"
	return f
}

// suite returns how a release fails the suite; nil means the release passes, now or at a time
// that is noted.
func (d *Downloader) suite(ctx context.Context, v version) (*suiteFailure, error) {
	if d.notes.has(&d.program, v) {
		return nil, nil //nolint:nilnil // it passes
	}
	failed, err := d.rehearse(ctx)
	if err != nil {
		return nil, err
	}
	d.notes.note(&d.program, v, failed == nil)
	if failed == nil {
		d.program.log.InfoContext(ctx, "an unknown release of yt-dlp has passed the suite: its word on missing captions counts", "release", string(v))
	}
	return failed, nil
}

// suiteNotes is the folder of the note about a release; empty means that nothing is
// noted.
type suiteNotes string

// suitePass is the note about a release that has passed the suite.
type suitePass struct {
	Release string `json:"release"`
	SHA256  string `json:"sha256"` // of the program's file
	Suite   int    `json:"suite"`
}

// has reports whether this release has passed this suite.
func (n suiteNotes) has(p *program, v version) bool {
	if n == "" {
		return false
	}
	now, err := p.pass(v)
	if err != nil {
		return false
	}
	text, err := os.ReadFile(n.file())
	var before suitePass
	return err == nil && json.Unmarshal(text, &before) == nil && before == now
}

// note notes whether this release passes. A note that cannot be written only makes the next
// process run the suite again.
func (n suiteNotes) note(p *program, v version, passed bool) {
	if n == "" {
		return
	}
	now, err := p.pass(v)
	if err != nil || !passed {
		_ = os.Remove(n.file()) // see the comment above
		return
	}
	text, err := json.Marshal(now)
	if err == nil && os.MkdirAll(string(n), 0o700) == nil {
		_ = os.WriteFile(n.file(), text, 0o600) // a torn note is no note
	}
}

func (n suiteNotes) file() string { return filepath.Join(string(n), "yt-dlp-suite.json") }

// pass describes the program's file as it is now.
func (p *program) pass(v version) (s suitePass, err error) {
	path, err := p.host.Programs.Look(p.file)
	if err != nil {
		return s, err
	}
	file, err := os.Open(path)
	if err != nil {
		return s, err
	}
	defer func() { _ = file.Close() }() // it was only read
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return s, err
	}
	return suitePass{string(v), hex.EncodeToString(sum.Sum(nil)), suiteNumber}, nil
}

// suiteFailure says how a release fails the suite.
type suiteFailure struct {
	about  string
	tracks int // that it has found
	got    error
}

func (f *suiteFailure) Error() string {
	switch {
	case f.got == nil && f.tracks == 0:
		return "it finds no captions in " + f.about
	case f.got == nil:
		return "it finds captions in " + f.about
	}
	var e *transcript.Error
	if errors.As(f.got, &e) {
		return "it answers " + string(e.Code) + " to " + f.about
	}
	return "it fails at " + f.about
}

// Unwrap returns the program's own error, for the log.
func (f *suiteFailure) Unwrap() error { return f.got }
