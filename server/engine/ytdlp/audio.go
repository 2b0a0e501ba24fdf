package ytdlp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxMedia is the most that a download may receive if the caller sets no bound, in bytes.
const maxMedia = 2 << 30

// Audio downloads as engine.AudioSource describes, into a new directory in dir. The
// file may also contain video, if the platform has no file with only the sound.
// MaxBytes limits the file; other traffic (headers, playlists) may add a little.
//
// If a live stream has not ended or not begun, the error is UNAVAILABLE. When ctx ends, the
// error is context.Cause(ctx). Faults of this machine have no code. If the platform refuses the
// download, Audio uses [Access].
func (d *Downloader) Audio(ctx context.Context, c engine.Content, dir string, o engine.AudioOptions) (string, error) {
	c.Login = c.Login && o.Private != nil
	said := &callers{known: o.Known, private: o.Private}
	o.Known, o.Private = said.know, said.keepPrivate
	path, err := d.audio(ctx, c, dir, o)
	if err != nil {
		more, ok := afterRefusal(ctx, d, c, err, func(d *Downloader) (string, error) { return d.audio(ctx, c, dir, o) })
		if ok {
			return more, nil
		}
	}
	return path, cmp.Or(said.no, err)
}

// callers are the callbacks of a caller of Audio for all ways: each is called at most once, and an
// error of one ends every way.
type callers struct {
	known   func(transcript.Metadata) error
	private func() error
	told    bool
	no      error // the answer of the caller
}

func (c *callers) know(m transcript.Metadata) error {
	if c.no == nil && !c.told && c.known != nil {
		c.told, c.no = true, c.known(m)
	}
	return c.no
}

func (c *callers) keepPrivate() error {
	if c.no == nil {
		c.no = c.private()
	}
	return c.no
}

// audio downloads in one way.
func (d *Downloader) audio(ctx context.Context, c engine.Content, dir string, o engine.AudioOptions) (string, error) {
	m, err := d.program.inspect(ctx, c, look{})
	if err != nil {
		return "", err
	}
	if err := m.audible(); err != nil {
		return "", err
	}
	if !d.program.way.shared(m.about) {
		if err := o.Private(); err != nil {
			return "", err
		}
	}
	if err := o.Known(m.metadata()); err != nil {
		return "", err
	}
	most := cmp.Or(o.MaxBytes, maxMedia)
	if int64(m.FileSize) > most {
		return "", tooLarge(most)
	}
	dir, err = os.MkdirTemp(dir, "download-")
	if err != nil {
		return "", fmt.Errorf("ytdlp: %w", err)
	}
	path, err := d.program.download(ctx, m, dir, most, o.Progress)
	if err != nil {
		d.program.cache.clear() // a wrong solution of the player's puzzle leads to refused media
	}
	return path, err
}

// download writes the sound to a file in dir. The program creates the file "done" when the
// download is complete.
func (p *program) download(ctx context.Context, m *media, dir string, most int64, report func(done, total int64)) (string, error) {
	info, err := guard(p.host.Judge).handOn(ctx, m)
	if err != nil {
		return "", err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("ytdlp: %w", err)
	}
	within, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	said := &progress{report: report, most: most, stop: func() { stop(tooLarge(most)) }}
	exit, err := p.run(within, run{
		content: m.content,
		args: []string{
			"--load-info-json", "-", "--newline", "--progress", "--progress-template", progressTemplate,
			"--print-to-file", "after_move:filepath", "done", "-o", "sound",
		},
		command: engine.Command{
			Dir:     dir,
			Stdin:   bytes.NewReader(info),
			Stdout:  said,
			Limits:  engine.Limits{Wall: 2 * time.Hour, CPU: 30 * time.Minute, FileSize: most},
			Network: &engine.Network{MaxBytes: most + most/64 + 1<<20},
		},
	})
	if err != nil {
		var limit *engine.LimitError
		if errors.As(err, &limit) && (limit.Limit == "bytes received" || limit.Limit == "file size") {
			return "", tooLarge(most).Because(limit)
		}
		return "", err
	}
	path := filepath.Join(dir, "sound")
	size, err := fileSize(path)
	if err != nil {
		return "", err
	}
	done, err := fileSize(filepath.Join(dir, "done"))
	switch {
	case err != nil:
		return "", err
	case size > 0 && done > 0:
		return path, nil
	}
	e := fault(m.content, exit)
	if e.Code == transcript.MediaTooLarge {
		return "", tooLarge(most).Because(e.Err)
	}
	return "", e
}

func tooLarge(most int64) *transcript.Error {
	return oversized.Because(nil).With("limitBytes", most)
}
