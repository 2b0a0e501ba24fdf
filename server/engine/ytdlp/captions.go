package ytdlp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// Captions reads as engine.CaptionSource says. Machine translations are left out
// of the tracks. A track's id is its language, its kind ("manual", "asr" or
// "forced") and whatever else the platform's own name of it holds; IsDefault
// marks the first track in the language that is spoken, where the platform names
// it.
//
// No tracks and no error mean on the video site that the player of its own pages says so of
// this very video. That player is asked by a second run of the program, where the first
// one lists none. On other platforms the program then complains of nothing that may hide
// captions. Captions that the platform gives with a token only are PO_TOKEN_REQUIRED, also
// where there are others, if pick takes them and none of the others.
//
// A live stream that has not ended is UNAVAILABLE, and so is one yet to come. When
// ctx ends, the error is its cause; what is wrong with the machine has no code.
func (d *Downloader) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	var found engine.Captions
	m, err := d.inspect(ctx, c, look{})
	if m != nil {
		found.Metadata = m.metadata()
	}
	if err != nil {
		return found, err
	}
	tracks := m.tracks()
	err = m.withheld(len(tracks))
	if len(tracks) == 0 && m.byPlayers() && doubtful(err) {
		m, tracks, err = d.lookAgain(ctx, m, err)
	}
	if err != nil {
		return found, err
	}
	for _, t := range tracks {
		found.Tracks = append(found.Tracks, t.Track)
	}
	err = found.Choose(pick, func(n int) (caption.File, error) { return d.read(ctx, m, tracks[n]) })
	if err != nil || found.Track != nil || len(tracks) == 0 {
		return found, err
	}
	found.Unlisted, err = m.denied(pick)
	return found, err
}

// read fetches one track and reads it.
func (d *Downloader) read(ctx context.Context, m *media, t track) (caption.File, error) {
	file, ok := t.best()
	if !ok {
		return caption.File{}, upstream("The platform has these captions in no form that this service reads.").
			Because(fmt.Errorf("ytdlp: captions only as %s at %s", t.files[0].ext, clip.Line(t.files[0].url, maxURL)))
	}
	dir, err := os.MkdirTemp(d.host.Dir, "captions-")
	if err != nil {
		return caption.File{}, fmt.Errorf("ytdlp: %w", err)
	}
	// What cannot be removed lies in the server's directory for scratch files,
	// which is cleared when the server stops.
	defer func() { _ = os.RemoveAll(dir) }()
	path, err := d.fetch(ctx, m, file, dir)
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
		return caption.File{}, upstream("The platform's captions cannot be read.").Because(fmt.Errorf("ytdlp: %w", err))
	}
	return text, nil
}

// readable are the formats that can be read, the best first: those with the times
// of words, and of them those that tell when they are cut off.
var readable = []string{"json3", "srv3", "vtt", "ttml", "dfxp", "srt", "srv1"}

// best returns the track in the best of its formats that come through the guard.
// Of several files in one the program itself prefers the last.
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

// maxText bounds, in bytes, a caption file. A day's captions are some two million.
const maxText = 16 << 20

// fetch writes one caption file into dir, whole and not empty, and returns its
// path. The program is told of no other file, so it can ask for none.
func (d *Downloader) fetch(ctx context.Context, m *media, file captionFile, dir string) (path string, err error) {
	info, err := d.handOnTrack(ctx, m, file)
	if err != nil {
		return "", err
	}
	exit, err := d.run(ctx, run{
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
		if e.Code == transcript.MediaTooLarge { // text is no media that a plan could allow more of
			e = upstream("The platform's captions never end.").Because(e.Err)
		}
		return "", e
	}
	return path, nil
}

// fileSize returns the size of a file that may be missing: 0 then.
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
