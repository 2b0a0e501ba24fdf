package ytdlp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/player"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// Captions reads captions as engine.CaptionSource describes. It leaves machine translations out
// of the tracks. A track's id consists of its language, its kind ("manual", "asr" or "forced")
// and the rest of the platform's own name of the track. IsDefault marks the first track in the
// spoken language, if the platform names that language.
//
// On the video site, the first run uses only the player of the site's own pages,
// without JavaScript and without the formats of the media. If that player neither has
// captions nor proves that there are none, a second run uses all players of the
// program. No tracks and no error mean on the video site that the player of the pages
// says so about exactly this video, and on other platforms that a tested release of the
// program reports nothing that may hide captions. If pick takes only a track that the
// platform withholds without a token, the error is PO_TOKEN_REQUIRED.
//
// If a live stream has not ended or not begun, the error is UNAVAILABLE. When ctx ends, the
// error is context.Cause(ctx). Faults of this machine have no code. If the platform refuses the
// captions, Captions uses [Access], and each further run calls pick again.
func (d *Downloader) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	found, err := d.captions(ctx, c, pick)
	more, ok := afterRefusal(ctx, d, c, cmp.Or(err, unlisted(found)), func(d *Downloader) (engine.Captions, error) {
		found, err := d.captions(ctx, c, pick)
		return found, cmp.Or(err, unlisted(found))
	})
	if ok {
		return more, nil
	}
	return found, err
}

// unlisted is the refusal of a platform that withholds tracks of unknown languages, if pick has
// chosen no other track; nil if there is no such refusal.
func unlisted(found engine.Captions) error {
	if found.Unlisted && found.Track == nil {
		return refusal.CaptionToken.Because(errors.New("ytdlp: withheld: tracks of unknown languages"))
	}
	return nil
}

// captions reads captions in one way.
func (d *Downloader) captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	var found engine.Captions
	m, tracks, err := d.find(ctx, c)
	if m != nil {
		found.Metadata = m.metadata()
	}
	if err != nil {
		return found, err
	}
	found.Private = !d.program.way.shared(m.about)
	for _, t := range tracks {
		found.Tracks = append(found.Tracks, t.Track)
	}
	err = found.Choose(pick, func(n int) (caption.File, error) { return d.program.read(ctx, m, tracks[n]) })
	if err != nil || found.Track != nil || len(tracks) == 0 {
		return found, err
	}
	found.Unlisted, err = m.denied(pick)
	return found, err
}

// read fetches one track and reads it.
func (p *program) read(ctx context.Context, m *media, t track) (caption.File, error) {
	file, ok := t.best()
	if !ok {
		return caption.File{}, upstream("The platform has these captions in no form that this service reads.").
			Because(fmt.Errorf("ytdlp: captions only as %s at %s", t.files[0].ext, clip.Line(t.files[0].url, maxURL)))
	}
	if m.byPlayers() {
		if err := player.CheckAddress(file.url, m.content.ExternalID, t.Lang); err != nil {
			return caption.File{}, err
		}
	}
	dir, err := os.MkdirTemp(p.host.Dir, "captions-")
	if err != nil {
		return caption.File{}, fmt.Errorf("ytdlp: %w", err)
	}
	// A remainder lies in the host's scratch directory, which the server empties when it stops.
	defer func() { _ = os.RemoveAll(dir) }()
	path, err := p.fetch(ctx, m, file, dir)
	if err != nil {
		return caption.File{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return caption.File{}, fmt.Errorf("ytdlp: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := caption.ReadAny(caption.Until(ctx, f), caption.Language(t.Lang))
	switch {
	case ctx.Err() != nil:
		return caption.File{}, context.Cause(ctx)
	case err != nil:
		return caption.File{}, misread(path, err)
	}
	return text, nil
}

// misread returns the error for a file without captions: the platform wants a captcha
// solved, or sends something else.
func misread(path string, why error) error {
	page, err := readPage(path)
	if err != nil {
		return err
	}
	if bytes.Contains(page, []byte(`class="g-recaptcha"`)) {
		return refusal.Blocked.Because(errors.New("ytdlp: a captcha instead of captions"))
	}
	return upstream("The platform's captions cannot be read.").Because(fmt.Errorf("ytdlp: %w", why))
}

// readable are the formats that this package reads, the best first. Formats with the times of
// words come first, and first among them the formats that show a truncation.
var readable = []string{"json3", "srv3", "vtt", "ttml", "dfxp", "srt", "srv1"}

// best returns the track's file in the best format that is fetched through the guard. If
// several files have that format, best takes the last one, like the program.
func (t track) best() (file captionFile, ok bool) {
	for _, ext := range readable {
		for _, f := range t.files {
			if f.ext == ext && f.guarded() {
				file, ok = f, true
			}
		}
		if ok {
			break
		}
	}
	return file, ok
}

// maxText limits a caption file, in bytes. The captions of a whole day take some two million.
const maxText = 16 << 20

// fetch writes one complete and non-empty caption file into dir, and returns its path. The
// description for the program names no other file, so the program cannot ask for one.
func (p *program) fetch(ctx context.Context, m *media, file captionFile, dir string) (path string, err error) {
	info, err := guard(p.host.Judge).handOnTrack(ctx, m, file)
	if err != nil {
		return "", err
	}
	exit, err := p.run(ctx, run{
		content: m.content,
		args: []string{
			"--load-info-json", "-", "--skip-download",
			"--write-subs", "--sub-langs", "all", "--sub-format", file.ext, "-o", "text",
		},
		command: engine.Command{Dir: dir, Stdin: bytes.NewReader(info)},
	})
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "text.track."+file.ext)
	size, err := fileSize(path)
	switch {
	case err != nil:
		return "", err
	case size > maxText:
		return "", upstream("The platform's captions never end.").Because(fmt.Errorf("ytdlp: captions of %d bytes", size))
	case size == 0 || exit.Code != 0:
		e := fault(m.content, exit)
		if e.Code == transcript.MediaTooLarge { // a text is not media, so a larger plan would not help
			e = upstream("The platform's captions never end.").Because(e.Err)
		}
		return "", e
	}
	return path, nil
}

// fileSize returns the size of a file; 0 if the file is missing.
func fileSize(path string) (int64, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("ytdlp: %w", err)
	case !info.Mode().IsRegular():
		return 0, fmt.Errorf("ytdlp: %s is not a regular file", path)
	}
	return info.Size(), nil
}
