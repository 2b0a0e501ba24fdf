package player

import (
	"errors"
	"fmt"
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
)

// statement is a player's answer to a question about the video with an id.
type statement struct {
	*Answer
	id string
}

// played has the requirements for an answer that shows a video.
var played = Absence[statement]{
	{Name: "the player says that it plays the video", Missing: statement.refused},
	{Name: "the answer is about this video", Missing: statement.another},
	{Name: "the video has begun", Missing: statement.upcoming},
	{Name: "the video has ended", Missing: statement.live},
}

// none has the additional requirements for an answer that proves that its video has no
// captions.
var none = Absence[statement]{
	{Name: "the list of tracks can be read", Missing: statement.unread},
	{Name: "the list has no track", Missing: statement.listed},
}

func (s statement) refused() error {
	switch p := s.Playability; {
	case p.Status == "":
		return misunderstood(errors.New("no playability status"))
	case p.Status == "OK":
		return nil
	case p.ErrorScreen.Captcha != nil:
		return refusal.Blocked.Because(errors.New("player: a captcha, with " + clip.Line(p.Status+": "+p.Reason, 500)))
	default:
		return judge(p.Status, p.Reason+" "+p.ErrorScreen.Message.Subreason.String())
	}
}

// another returns an error for an answer about another video: the site sends such answers to
// addresses that it blocks.
func (s statement) another() error {
	if s.Details.VideoID == "" {
		return misunderstood(errors.New("no video"))
	}
	if s.Details.VideoID != s.id {
		return refusal.Blocked.Because(errors.New("player: content " + clip.Line(s.Details.VideoID, 50)))
	}
	return nil
}

func (s statement) upcoming() error {
	if s.Details.IsUpcoming {
		return refusal.Upcoming.Because(nil)
	}
	return nil
}

func (s statement) live() error {
	if s.Details.IsLive {
		return live.Because(nil)
	}
	return nil
}

func (s statement) unread() error {
	_, err := s.Tracks()
	return err
}

func (s statement) listed() error {
	tracks, _ := s.Tracks() // the requirement before has checked the error
	switch {
	case slices.ContainsFunc(tracks, func(t Track) bool { return WantsToken(t.BaseURL) }):
		return refusal.CaptionToken.Because(errors.New("player: tracks that want a token"))
	case len(tracks) > 0:
		return undelivered.Because(fmt.Errorf("player: %d tracks are named", len(tracks)))
	}
	return nil
}

// Playable returns nil if the answer says that the video with that id can be played; otherwise
// the error says why the answer proves nothing. The site refuses some players with an answer
// about another video.
func (a *Answer) Playable(id string) error { return played.Prove(statement{a, id}) }

// ProveNone returns nil if the answer proves that the video with that id has no captions;
// otherwise the error says why it does not.
func (a *Answer) ProveNone(id string) error {
	if err := a.Playable(id); err != nil {
		return err
	}
	return none.Prove(statement{a, id})
}
