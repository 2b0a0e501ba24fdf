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

// What proves that a content has no captions:
//
//   - The program describes the content, lists no tracks, and complains of nothing that may
//     hide captions. On platforms other than the video site this is the proof.
//   - On the video site the program asks several players. The one that it takes the media
//     from often names no tracks, and the program does not tell when the site refuses the
//     one that carries the captions. So the program is run a second time, and asks the
//     player of the site's own pages alone. That player says of this very video that it can
//     be played, and names no track: this is the proof. It is read from the pages that the
//     program keeps. Where it keeps none, its complaints have to tell of a refusal.
//
// A player that names tracks names all that there are. So a language is missing where
// tracks are listed, none is in that language, and none is withheld.

// alone are the options by which the program asks the player of the site's own pages and
// no other, tells whether that refuses, and keeps what the site answers as files in its
// working directory.
var alone = []string{"--extractor-args", "youtube:player_client=web", "--verbose", "--write-pages"}

// withheld returns as an error why the tracks that were found may not be what there is.
// What hides the media hides the captions too, unless it is about the media alone.
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

// silenced is what the program complains of that may hide all captions; nil: nothing. A
// refusal goes before a withheld token, and that before a fault.
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

// final are those complaints after which the program does not try again.
func final(said []string) (kept []string) {
	for _, complaint := range said {
		if !strings.Contains(complaint, ". Retrying") {
			kept = append(kept, complaint)
		}
	}
	return kept
}

// doubtful reports whether a second look may tell more than an error of the first one: the
// first one has met a fault, or nothing at all.
func doubtful(err error) bool {
	var e *transcript.Error
	return err == nil || errors.As(err, &e) && (e.Code == transcript.UpstreamFailed || e.Code == transcript.ConfigError)
}

// lookAgain asks the player of the site's own pages for a content of which the first look
// has listed no tracks. doubt is the fault that the first look met; nil: none.
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

// proveNone returns nil where the answers of a player prove that there are no captions.
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

// silent returns the fault that a second look has met, else doubt.
func (m *media) silent(doubt error) error {
	if e := m.silenced(); e != nil {
		return e
	}
	return doubt
}

// unless returns why one player is refused. A video that another player shows is there:
// the site refuses one player what it shows to another where it distrusts an address.
func (m *media) unless(err error) error {
	if m.FormatID != "" && errors.Is(err, transcript.Unavailable) {
		return refusal.Blocked.Because(fmt.Errorf("ytdlp: another player shows the content: %v", err)) //nolint:errorlint // it must not be found: the content is there
	}
	return err
}

// maxKept bounds, in bytes, what is read of a page that the program has kept.
const maxKept = 16 << 20

// readPages reads the player's answers in the pages that the program has kept, and counts
// the pages.
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

// byPlayers reports whether the program asks several players for a content: that is how it
// reads the video site.
func (m *media) byPlayers() bool {
	return m.Extractor == "youtube" || m.Extractor == "" && m.content.Platform == transcript.VideoSite
}
