package videosite

import (
	"github.com/transcriptkit/transcriptkit/server/engine/internal/player"
)

// evidence is the answer of a player that names no track.
type evidence struct {
	question
	by     Player
	said   *player.Answer
	before error // of the earlier players; nil if there is none
}

// proof has the requirements that prove that a video has no captions. A player that the site
// no longer accepts does not count as a refusal of the video.
var proof = player.Absence[evidence]{
	{Name: "no player before has withheld captions", Missing: evidence.withheldBefore},
	{Name: "the player names the captions of every video", Missing: evidence.silent},
	{Name: "the player plays this video and lists no track", Missing: evidence.unproven},
	{Name: "the player in the page, if it is there, says the same", Missing: evidence.contradicted},
}

func (e evidence) withheldBefore() error {
	if withheld(e.before) {
		return e.before
	}
	return nil
}

func (e evidence) silent() error {
	if !e.by.Captions {
		return errSilent
	}
	return nil
}

func (e evidence) unproven() error { return e.said.ProveNone(e.id) }

// contradicted returns the error of the player in the page. The site may show one player tracks
// that it hides from another, or refuse one and not the other.
func (e evidence) contradicted() error {
	if inPage, ok := player.Read(e.page); ok {
		return inPage.ProveNone(e.id)
	}
	return nil
}
