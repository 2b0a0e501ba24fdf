package text

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	linesOfForm   = 50        // of a page of the form
	maxLinesBytes = 512 << 10 // of the form, which has each line twice
	editTries     = 3         // if others save meanwhile
)

// editPage is a form that corrects lines of a text. It needs no JavaScript.
type editPage struct {
	reading
	Form     []formLine
	Names    []string     // of the speakers, as in the text
	From     int          // the number of the first line, from 0
	Total    int          // lines of the text
	Done     bool         // whether changes have just been saved
	Trouble  string       // why they have not; empty: no fault
	Refusal  *web.Trouble // why the service has not saved them; nil: it was not asked, or has saved them
	Conflict bool         // whether a line of the form was changed elsewhere
}

// formLine is a line of the form.
type formLine struct {
	Index    int
	Start    float64
	Text     string // what the visitor wrote, or the present text
	Speaker  string
	Was      transcript.Segment // the text that the form was made from
	Conflict bool               // whether the line was changed elsewhere, into Was
}

// wrote returns the line as the visitor wants it.
func (f formLine) wrote() transcript.Segment {
	return transcript.Segment{Text: f.Text, Speaker: f.Speaker}
}

// First returns the number of the first line of the form, from 1.
func (e editPage) First() int { return e.From + 1 }

// Last returns the number of the last line of the form, from 1.
func (e editPage) Last() int { return e.From + len(e.Form) }

// At returns the address of the form from a line on; empty: there is no such line.
func (e editPage) At(from int) string {
	if from < 0 || from >= e.Total {
		return ""
	}
	return e.Here() + "/edit" + e.Language() + "&from=" + strconv.Itoa(from)
}

// Before returns the address of the lines before, and After of the lines after.
func (e editPage) Before() string {
	if e.From == 0 {
		return ""
	}
	return e.At(max(e.From-linesOfForm, 0))
}

// After returns the address of the lines after; empty: none.
func (e editPage) After() string { return e.At(e.From + linesOfForm) }

// edits are the forms that correct a text.
type edits struct{ *web.Site }

// show shows lines of a text in a form.
func (p edits) show(r *web.Request) error {
	saved, err := p.API.Library.Get(r.Context(), keyOf(r))
	if err != nil {
		return err
	}
	from, _ := strconv.Atoi(r.FormValue("from")) // a value that is no number means the first line
	shown := newEditPage(saved, from)
	shown.Done = r.FormValue("done") != ""
	for n := shown.From; n < min(shown.From+linesOfForm, shown.Total); n++ {
		s := saved.Transcript.Segments[n]
		shown.Form = append(shown.Form, formLine{Index: n, Start: s.Start, Text: strings.TrimSpace(s.Text), Speaker: s.Speaker, Was: s})
	}
	return r.Show(http.StatusOK, "edit", shown)
}

func newEditPage(saved *library.Saved, from int) editPage {
	shown := editPage{reading: reading{Transcript: saved.Transcript, Known: true}, Total: len(saved.Transcript.Segments)}
	if shown.From = from; from < 0 || from >= shown.Total {
		shown.From = 0
	}
	for _, s := range saved.Transcript.Segments {
		if s.Speaker != "" && !slices.Contains(shown.Names, s.Speaker) {
			shown.Names = append(shown.Names, s.Speaker)
		}
	}
	return shown
}

// save saves the lines of a form. A line that was also changed elsewhere is shown again
// with both versions, and the other lines of the form wait for the visitor's choice.
func (p edits) save(r *web.Request) error {
	key := keyOf(r)
	from, _ := strconv.Atoi(r.PostFormValue("from")) // a value that is no number means the first line
	form, err := readLines(r.Request)
	if err != nil {
		return r.Refuse(transcript.InvalidRequest, "edit.unreadable")
	}
	for try := 1; ; try++ {
		saved, err := p.API.Library.Get(r.Context(), key)
		if err != nil {
			return notCorrected(r, withoutText(key, from, form), err)
		}
		shown := newEditPage(saved, from)
		edits := shown.merge(form, saved.Transcript.Segments)
		if shown.Conflict {
			return r.Show(http.StatusConflict, "edit", shown)
		}
		if len(edits) > 0 {
			_, err = p.API.Library.Edit(r.Context(), key, saved.Revision, library.Edit{Segments: edits})
		}
		switch {
		case err == nil:
			return r.Redirect(shown.At(shown.From) + "&done=1")
		case errors.Is(err, transcript.StateConflict) && try < editTries:
			continue
		case errors.Is(err, transcript.InvalidRequest):
			shown.Trouble = r.Text("edit.badLine")
			return r.Show(http.StatusUnprocessableEntity, "edit", shown)
		}
		return notCorrected(r, shown, err)
	}
}

// notCorrected shows the form again, with the reason why the service has not saved it.
func notCorrected(r *web.Request, shown editPage, err error) error {
	shown.Refusal = r.Trouble(err)
	return r.Show(shown.Refusal.Status, "edit", shown)
}

// withoutText is the page of a form whose text cannot be read now.
func withoutText(key library.Key, from int, form []formLine) editPage {
	text := transcript.Transcript{Platform: key.Platform, ExternalID: key.ExternalID, Lang: key.Language}
	return editPage{reading: reading{Transcript: text, Known: true}, Form: form, From: from, Total: from + len(form)}
}

// merge puts the lines of a form on top of the present text, and returns the edits.
func (e *editPage) merge(form []formLine, present []transcript.Segment) (edits []library.SegmentEdit) {
	for _, l := range form {
		if l.Index >= len(present) {
			e.Conflict = true // another text has taken the place: the visitor still sees the words
			l.Conflict, l.Was = true, transcript.Segment{}
			e.Form = append(e.Form, l)
			continue
		}
		now := present[l.Index]
		now.Text = strings.TrimSpace(now.Text)
		l.Start = now.Start
		changed := !sameLine(l.wrote(), l.Was)
		switch {
		case !changed:
			l.Text, l.Speaker = now.Text, now.Speaker
		case !sameLine(l.Was, now) && !sameLine(l.wrote(), now):
			l.Conflict, e.Conflict = true, true
		case !sameLine(l.wrote(), now):
			edits = append(edits, library.SegmentEdit{Index: l.Index, Text: changedText(l.Text, now.Text), Speaker: changedText(l.Speaker, now.Speaker)})
		}
		l.Was = now
		e.Form = append(e.Form, l)
	}
	return edits
}

func sameLine(a, b transcript.Segment) bool { return a.Text == b.Text && a.Speaker == b.Speaker }

// changedText returns a text for an edit; nil if the text stays.
func changedText(text, was string) *string {
	if text == was {
		return nil
	}
	return &text
}

var errLines = errors.New("the form has not the same number of all fields")

// readLines reads the lines of a form.
func readLines(r *http.Request) ([]formLine, error) {
	if err := r.ParseForm(); err != nil {
		return nil, err
	}
	fields := func(name string) []string { return r.PostForm[name] }
	numbers := fields("line")
	form := make([]formLine, len(numbers))
	for _, name := range []string{"text", "speaker", "was", "wasSpeaker"} {
		if len(fields(name)) != len(numbers) {
			return nil, errLines
		}
	}
	for n := range form {
		index, err := strconv.Atoi(numbers[n])
		if err != nil || index < 0 {
			return nil, errLines
		}
		form[n] = formLine{
			Index: index, Text: plainText(fields("text")[n]), Speaker: plainText(fields("speaker")[n]),
			Was: transcript.Segment{Text: plainText(fields("was")[n]), Speaker: fields("wasSpeaker")[n]},
		}
		if starts := fields("start"); n < len(starts) { // the text itself has the time too
			form[n].Start, _ = strconv.ParseFloat(starts[n], 64)
		}
	}
	return form, nil
}

// plainText returns the text of a field, in which a browser ends lines as on the web.
func plainText(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }

// nameSpeaker gives a speaker of a text another name in all lines.
func (p edits) nameSpeaker(r *web.Request) error {
	name := strings.TrimSpace(r.PostFormValue("name"))
	saved, err := p.API.Library.Edit(r.Context(), keyOf(r), 0, library.Edit{Speakers: map[string]string{r.PostFormValue("speaker"): name}})
	if err != nil {
		return err
	}
	return r.Redirect(newEditPage(saved, 0).At(0) + "&done=1")
}

// entitle gives a text the visitor's own title. An empty title brings the given one back.
func (p edits) entitle(r *web.Request) error {
	key := keyOf(r)
	title := strings.TrimSpace(r.PostFormValue("title"))
	if err := p.API.Library.Label(r.Context(), key, library.Label{Title: &title}); err != nil {
		return err
	}
	back := reading{Transcript: transcript.Transcript{Platform: key.Platform, ExternalID: key.ExternalID, Lang: key.Language}}
	return r.Redirect(back.Back())
}
