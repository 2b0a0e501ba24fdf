package text

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// historyPage lists the revisions of a text, and shows what one of them changed.
type historyPage struct {
	reading
	Revisions []library.Revision // the present one first
	Present   int                // the number of the present revision
	Shown     int                // the revision whose changes are shown; 0: none
	Changes   []changedLine      // of the revision before and the shown one, at most mostChanges
	More      int                // changes beyond that
	Restored  int                // a revision that has just been restored; 0: none
	Undo      int                // the revision that was present before; 0: none
}

// changedLine is a line that two revisions have in different words. A line that only one of
// them has is empty in the other one.
type changedLine struct {
	Start    float64
	Was, Now string
}

// mostChanges bounds the changes that a page shows.
const mostChanges = 200

// histories are the pages of the revisions of a text.
type histories struct{ *web.Site }

// show shows the revisions of a text.
func (p histories) show(r *web.Request) error {
	key := keyOf(r)
	saved, err := p.API.Library.Get(r.Context(), key)
	if err != nil {
		return err
	}
	key.Language = saved.Transcript.Lang
	shown := historyPage{reading: reading{Transcript: saved.Transcript, Known: true}, Present: saved.Revision}
	if shown.Revisions, err = p.API.Library.Revisions(r.Context(), key); err != nil {
		return err
	}
	shown.Restored = shown.number(r.FormValue("restored"))
	shown.Undo = shown.number(r.FormValue("undo"))
	if shown.Shown = shown.number(r.FormValue("revision")); shown.Shown != 0 {
		if err := p.compare(r, key, &shown); err != nil {
			return err
		}
	}
	return r.Show(http.StatusOK, "history", shown)
}

// number returns the number of a listed revision; 0 if the list has no such revision.
func (h historyPage) number(asked string) int {
	n, _ := strconv.Atoi(asked) // no number: no revision
	if !slices.ContainsFunc(h.Revisions, func(r library.Revision) bool { return r.Number == n }) {
		return 0
	}
	return n
}

// Before returns the listed revision before another one; 0: there is none.
func (h historyPage) Before(n int) int {
	at := slices.IndexFunc(h.Revisions, func(r library.Revision) bool { return r.Number == n })
	if at < 0 || at+1 >= len(h.Revisions) {
		return 0
	}
	return h.Revisions[at+1].Number
}

// compare finds out what the shown revision changed.
func (p histories) compare(r *web.Request, key library.Key, shown *historyPage) error {
	before := shown.Before(shown.Shown)
	if before == 0 {
		return nil
	}
	was, err := p.API.Library.Revision(r.Context(), key, before)
	if err != nil {
		return err
	}
	now, err := p.API.Library.Revision(r.Context(), key, shown.Shown)
	if err != nil {
		return err
	}
	shown.Changes = changesOf(was.Transcript.Segments, now.Transcript.Segments)
	if len(shown.Changes) > mostChanges {
		shown.More, shown.Changes = len(shown.Changes)-mostChanges, shown.Changes[:mostChanges]
	}
	return nil
}

// changesOf compares two texts by the times of their lines.
func changesOf(was, now []transcript.Segment) (all []changedLine) {
	for len(was) > 0 || len(now) > 0 {
		switch {
		case len(now) == 0 || len(was) > 0 && was[0].Start < now[0].Start:
			all = append(all, changedLine{was[0].Start, spoken(was[0]), ""})
			was = was[1:]
		case len(was) == 0 || now[0].Start < was[0].Start:
			all = append(all, changedLine{now[0].Start, "", spoken(now[0])})
			now = now[1:]
		default:
			if before, after := spoken(was[0]), spoken(now[0]); before != after {
				all = append(all, changedLine{now[0].Start, before, after})
			}
			was, now = was[1:], now[1:]
		}
	}
	return all
}

// spoken returns a line with its speaker.
func spoken(s transcript.Segment) string {
	if s.Speaker == "" {
		return strings.TrimSpace(s.Text)
	}
	return s.Speaker + ": " + strings.TrimSpace(s.Text)
}

// restore makes an older revision the present text. The page that follows offers to undo that.
func (p histories) restore(r *web.Request) error {
	key := keyOf(r)
	n, err := strconv.Atoi(r.PostFormValue("revision"))
	if err != nil {
		return r.Refuse(transcript.InvalidRequest, "edit.unreadable")
	}
	saved, err := p.API.Library.Get(r.Context(), key)
	if err != nil {
		return err
	}
	restored, err := p.API.Library.Restore(r.Context(), key, n, saved.Revision)
	if err != nil {
		return err
	}
	at := reading{Transcript: restored.Transcript}
	return r.Redirect(at.Here() + "/history" + at.Language() + "&restored=" + strconv.Itoa(n) + "&undo=" + strconv.Itoa(saved.Revision))
}
