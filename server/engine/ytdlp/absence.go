package ytdlp

import (
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

// This file proves that a content has no captions. Only the tables below decide this. Without
// a proof, it is not known whether there are captions, and an error says why.

// evidence is the result of a run that lists no tracks.
type evidence struct {
	*media
	answers  []*player.Answer // of the site's players, in the pages that the program has kept
	distrust error            // why the silence of this release proves nothing; nil if the release was tested
}

// proofByPage has the requirements of a proof on the video site. The proof comes from the
// player of the site's own pages. That player names all captions of a video. The program
// asks other players too, which often name none, and it does not report every refusal.
var proofByPage = player.Absence[evidence]{
	{Name: "the release of the program is tested", Missing: evidence.untested},
	{Name: "the program reports nothing that may hide captions", Missing: evidence.complaint},
	{Name: "an answer of the site's own player was kept and read", Missing: evidence.unread},
	{Name: "each answer says that the video has no captions", Missing: evidence.unproven},
}

// proofElsewhere has the requirements of a proof on other platforms.
var proofElsewhere = player.Absence[evidence]{
	{Name: "the release of the program is tested", Missing: evidence.untested},
	{Name: "the program finds something to play", Missing: evidence.unplayable},
	{Name: "the program reports nothing that may hide captions", Missing: evidence.complaint},
}

func (e evidence) untested() error { return e.distrust }

func (e evidence) unplayable() error { return e.playable() }

func (e evidence) complaint() error {
	if err := e.silenced(); err != nil {
		return err
	}
	return nil
}

func (e evidence) unread() error {
	if len(e.answers) == 0 {
		return upstream("The platform's answer cannot be understood.").Because(errors.New("ytdlp: no player's answer in the pages"))
	}
	return nil
}

func (e evidence) unproven() error {
	for _, a := range e.answers {
		if err := a.ProveNone(e.content.ExternalID); err != nil {
			return err
		}
	}
	return nil
}

// hidden returns an error if the found tracks must not be used: a problem that hides the whole
// content hides its captions too.
func (m *media) hidden() error {
	var e *transcript.Error
	if errors.As(m.playable(), &e) && hides(e.Code) {
		return e
	}
	return nil
}

// withheld returns an error if the found tracks may be incomplete. A problem that hides the
// media hides the captions too, unless it concerns only the media.
func (m *media) withheld(tracks int) error {
	if err := m.hidden(); err != nil || tracks > 0 {
		return err
	}
	if e := m.silenced(); e != nil {
		return e
	}
	return m.playable()
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

// unless corrects the error of a refused player, if the run of m asked other players. If another
// player shows the video, the video exists: the site refuses some players when it distrusts an
// address.
func (m *media) unless(err error) error {
	if m.FormatID != "" && errors.Is(err, transcript.Unavailable) {
		return refusal.Blocked.Because(fmt.Errorf("ytdlp: another player shows the content: %v", err)) //nolint:errorlint // it must not be found: the content is there
	}
	return err
}

// maxKept limits the part of a kept page that is read, in bytes.
const maxKept = 16 << 20

// keptPages are the pages that the program has kept.
type keptPages struct {
	kept    int
	answers []*player.Answer // of the site's players, in these pages
}

// readPages reads the pages that the program has kept in a folder.
func readPages(dir string) (p keptPages, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.dump"))
	if err != nil {
		return p, fmt.Errorf("ytdlp: %w", err)
	}
	for _, name := range names {
		page, err := readPage(name)
		if err != nil {
			return p, err
		}
		if a, ok := player.Read(page); ok {
			p.answers = append(p.answers, a)
		}
	}
	p.kept = len(names)
	return p, nil
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
