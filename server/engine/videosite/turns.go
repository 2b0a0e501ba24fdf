package videosite

import (
	"errors"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/player"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// errSilent means that a player proves nothing: the player names no captions of any video, or
// the page contains no answer of the player.
var errSilent = errors.New("videosite: the player names no captions of any video")

// question is what a visit asks the players.
type question struct {
	id   string
	page []byte // of the video
	key  string // to the player
	pick func([]transcript.Track) (int, bool)
}

// inTurn asks the players in turn, until one of them has the captions, proves that there are
// none, or refuses for a reason that other players give too. Otherwise it returns what was
// learned, with the error that says most.
func (v *visit) inTurn(q question) (engine.Captions, error) {
	var learned engine.Captions
	var reason error
	for _, p := range *v.players.Load() {
		found, err := v.hear(p, q, reason)
		if passesOver(err) == 0 {
			return found, err
		}
		if len(learned.Tracks) == 0 && (len(found.Tracks) > 0 || learned.Metadata.Title == "") {
			learned = found
		}
		if passesOver(err) > passesOver(reason) {
			reason = err
		}
	}
	if errors.Is(reason, errSilent) {
		reason = broken("No player of the platform tells whether there are captions.").Because(reason)
	}
	return learned, reason
}

// passesOver reports whether the next player may know more after an error. It depends on how
// much the error says about the content: 0 means that the next player is not asked.
func passesOver(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, transcript.POTokenRequired):
		return 4
	case player.IsUndelivered(err):
		return 3
	case player.IsOutdated(err):
		return 2
	case errors.Is(err, errSilent):
		return 1
	}
	return 0
}

// hear asks one player. before is the error of the previous players; nil if there is
// none.
func (v *visit) hear(p Player, q question, before error) (found engine.Captions, err error) {
	said, err := v.answer(p, q)
	if err != nil {
		return found, err
	}
	found.Metadata = metadata(said, v.base)
	if err := said.Playable(q.id); err != nil {
		return found, err
	}
	tracks, err := tracks(said)
	if err != nil {
		return found, err
	}
	if len(tracks) == 0 {
		return found, proof.Prove(evidence{by: p, said: said, question: q, before: before})
	}
	for _, t := range tracks {
		found.Tracks = append(found.Tracks, t.Track)
	}
	err = found.Choose(q.pick, func(n int) (caption.File, error) { return v.track(p, q.id, tracks[n]) })
	return found, err
}

// answer returns what a player says about the video.
func (v *visit) answer(p Player, q question) (*player.Answer, error) {
	if p.Name != InPage {
		return v.ask(p, q)
	}
	said, ok := player.Read(q.page)
	if !ok {
		return nil, errSilent
	}
	return said, nil
}

// withheld is the error of an earlier player that listed captions or hid them.
func withheld(before error) bool {
	return refusal.CaptionToken.Names(before) || player.IsUndelivered(before)
}
