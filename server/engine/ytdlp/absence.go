package ytdlp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/player"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// This file proves that a content has no captions. The proof is one of these:
//
//   - On platforms other than the video site: the program describes the content, lists no
//     tracks, and reports nothing that may hide captions.
//   - On the video site: the player of the site's own pages says that this very video can be
//     played, and names no track. The program asks several players. The player that delivers
//     the media often names no tracks, and the program does not report a refusal by the player
//     that has the captions. So a second run asks only the player of the site's own pages, and
//     keeps the pages with its answer. If it keeps no pages, its complaints must report any
//     refusal.
//
// A player that names tracks names all of them. So a language is missing if the list has
// tracks, none of them is in that language, and none is withheld.

// alone holds the options of the second run: ask only the player of the site's own pages,
// report whether that player refuses, and keep the site's answers as files in the working
// directory.
var alone = []string{"--extractor-args", "youtube:player_client=web", "--verbose", "--write-pages"}

// withheld returns an error if the found tracks may be incomplete. A problem that hides the
// media hides the captions too, unless it concerns the media alone.
func (m *media) withheld(tracks int) error {
	err := m.playable()
	var e *transcript.Error
	switch {
	case errors.As(err, &e) && hides(e.Code):
		return e
	case tracks > 0:
		return nil
	}
	if e := m.silenced(); e != nil {
		return e
	}
	return err
}

// silenced returns the program's complaint that may hide all captions, or nil. A refusal takes
// precedence over a withheld token, and a withheld token over a fault.
func (m *media) silenced() *transcript.Error {
	said := final(complaints(m.exit.Stderr).warnings)
	e, ok := known(ofCaptions, m.content, said)
	if ok && hides(e.Code) {
		return e
	}
	if token, ok := known([]condition{withheldTracks}, m.content, said); ok {
		return token
	}
	return e
}

// final returns the complaints after which the program does not try again.
func final(said []string) (kept []string) {
	for _, complaint := range said {
		if !strings.Contains(complaint, ". Retrying") {
			kept = append(kept, complaint)
		}
	}
	return kept
}

// doubtful reports whether a second run may tell more than the first one: the first run met a
// fault, or found nothing at all.
func doubtful(err error) bool {
	var e *transcript.Error
	return err == nil || errors.As(err, &e) && (e.Code == transcript.UpstreamFailed || e.Code == transcript.ConfigError)
}

// lookAgain asks the player of the site's own pages for a content for which the first run
// listed no tracks. doubt is the fault of the first run; nil: none.
func (d *Downloader) lookAgain(ctx context.Context, first *media, doubt error) (*media, []track, error) {
	dir, err := os.MkdirTemp(d.host.Dir, "pages-")
	if err != nil {
		return nil, nil, fmt.Errorf("ytdlp: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // as in read
	m, err := d.inspect(ctx, first.content, look{dir: dir, args: alone, talks: true, before: complaints(first.exit.Stderr).lines()})
	if err != nil {
		return nil, nil, first.unless(err)
	}
	if e := m.silenced(); e != nil && (hides(e.Code) || e.Code == transcript.POTokenRequired) {
		return nil, nil, first.unless(e)
	}
	if tracks := m.tracks(); len(tracks) > 0 {
		return m, tracks, nil
	}
	answers, pages, err := readPages(dir)
	switch {
	case err != nil:
		return nil, nil, err
	case pages == 0:
		return m, nil, m.silent(doubt)
	}
	return m, nil, first.unless(m.proveNone(answers))
}

// proveNone returns nil if the player's answers prove that there are no captions.
func (m *media) proveNone(answers []*player.Answer) error {
	for _, a := range answers {
		if err := a.ProveNone(m.content.ExternalID); err != nil {
			return err
		}
	}
	if len(answers) == 0 {
		return m.silent(upstream("The platform's answer cannot be understood.").Because(errors.New("ytdlp: no player's answer in the pages")))
	}
	return nil
}

// silent returns the fault of the second run, else doubt.
func (m *media) silent(doubt error) error {
	if e := m.silenced(); e != nil {
		return e
	}
	return doubt
}

// unless corrects the error of a refused player. If another player shows the video, the video
// exists: the site refuses some players when it distrusts an address.
func (m *media) unless(err error) error {
	if m.FormatID != "" && errors.Is(err, transcript.Unavailable) {
		return refusal.Blocked.Because(fmt.Errorf("ytdlp: another player shows the content: %v", err)) //nolint:errorlint // it must not be found: the content is there
	}
	return err
}

// maxKept bounds the part of a kept page that is read, in bytes.
const maxKept = 16 << 20

// readPages reads the player's answers in the pages that the program has kept, and counts the
// pages.
func readPages(dir string) (answers []*player.Answer, pages int, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.dump"))
	if err != nil {
		return nil, 0, fmt.Errorf("ytdlp: %w", err)
	}
	for _, name := range names {
		page, err := readPage(name)
		if err != nil {
			return nil, 0, err
		}
		if a, ok := player.Read(page); ok {
			answers = append(answers, a)
		}
	}
	return answers, len(names), nil
}

func readPage(path string) ([]byte, error) {
	if _, err := fileSize(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("ytdlp: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	page, err := io.ReadAll(io.LimitReader(f, maxKept))
	if err != nil {
		return nil, fmt.Errorf("ytdlp: %w", err)
	}
	return page, nil
}

// byPlayers reports whether the program asks several players for a content, as it does for the
// video site.
func (m *media) byPlayers() bool {
	return m.Extractor == "youtube" || m.Extractor == "" && m.content.Platform == transcript.VideoSite
}
