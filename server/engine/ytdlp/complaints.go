package ytdlp

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// Bounds of what the log repeats of a run: complaints, and runes of each.
const (
	maxComplaints = 20
	maxComplaint  = 500
)

// complaintList is what the program has complained of in a run, each complaint
// once. One may have several lines.
type complaintList struct{ errors, warnings []string }

// ours are complaints about what the program is told to do.
var ours = []string{"ffmpeg-location /nonexistent does not exist"}

// complaints reads the program's standard error. Lines that follow no complaint,
// such as those of Python, are a warning.
func complaints(stderr []byte) (l complaintList) {
	list := &l.warnings
	var last []string
	end := func() {
		text := strings.TrimSpace(strings.Join(last, "\n"))
		own := slices.ContainsFunc(ours, func(phrase string) bool { return strings.HasPrefix(text, phrase) })
		if text != "" && !own && !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
		last = nil
	}
	for line := range strings.Lines(string(stderr)) {
		if strings.HasPrefix(line, debugging) {
			continue // it tells of the proxy too, with its password
		}
		if text, ok := strings.CutPrefix(line, "ERROR: "); ok {
			end()
			list, line = &l.errors, text
		} else if text, ok := strings.CutPrefix(line, "WARNING: "); ok {
			end()
			list, line = &l.warnings, text
		}
		last = append(last, strings.TrimRight(line, "\r\n"))
	}
	end()
	return l
}

// debugging begins a line that is not meant for users.
const debugging = "[debug] "

// refusing is in the line by which the program tells that the site refuses a player. It is
// not meant for users, but often nothing else tells of that.
const refusing = "player response playability status"

// complaintsOnly takes out of what the program has said what it has merely done, which may
// stand between complaints and in the middle of one. What tells of a refused player is made
// a warning.
func complaintsOnly(said []byte) []byte {
	var kept strings.Builder
	for line := range strings.Lines(string(said)) {
		switch text, debug := strings.CutPrefix(line, debugging); {
		case debug && strings.Contains(text, refusing):
			kept.WriteString("WARNING: " + text)
		case strings.HasPrefix(line, "["), strings.HasPrefix(line, " "):
		default:
			kept.WriteString(line)
		}
	}
	return []byte(kept.String())
}

// hideWords takes out of what the program has said what a results page is asked for: it
// calls that page by the words, in quotes.
func hideWords(link string, said []byte) []byte {
	u, err := url.Parse(link)
	if err != nil {
		return said // no page of ours
	}
	asked := u.Query()
	words := cmp.Or(asked.Get("search_query"), asked.Get("query"))
	if words == "" {
		return said
	}
	return []byte(strings.NewReplacer(link, aSearch, `"`+words+`"`, `"`+aSearch+`"`).Replace(string(said)))
}

// lines are all complaints for the log, the errors first.
func (l complaintList) lines() (all []string) {
	for _, complaint := range slices.Concat(l.errors, l.warnings) {
		if len(all) == maxComplaints {
			break
		}
		all = append(all, clip.Line(complaint, maxComplaint))
	}
	return all
}

// lastComplaint is the last error of the program, else the last of what it said.
func lastComplaint(stderr []byte) string {
	l := complaints(stderr)
	for _, list := range [][]string{l.errors, l.warnings} {
		if len(list) > 0 {
			return clip.Line(list[len(list)-1], maxComplaint)
		}
	}
	return ""
}

// because is the cause of an error, for the log.
func because(complaint string) error {
	return errors.New("ytdlp: " + clip.Line(complaint, maxComplaint))
}
