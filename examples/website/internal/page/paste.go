package page

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// linkForm is the form of the first page, as it was filled in.
type linkForm struct {
	Links     string
	Tag       string // the language of the captions that are wanted first; empty: the service's default
	Recognize bool   // recognize the speech also where there are captions
	Language  string // a priority list, which takes the place of both; empty: none
}

func readLinkForm(values url.Values) linkForm {
	return linkForm{
		Links: values.Get("links"), Tag: values.Get("tag"), Recognize: values.Get("recognize") != "",
		Language: strings.TrimSpace(values.Get("language")),
	}
}

// Open reports whether there is something about languages to be seen.
func (f linkForm) Open() bool { return f.Tag != "" || f.Recognize || f.Language != "" }

// maxQuery is the longest text that is kept in the address of a page, in bytes.
const maxQuery = 2048

// query is the form in the address of a page. What is too long for that is left out.
func (f linkForm) query() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{"links": f.Links, "tag": f.Tag, "language": f.Language} {
		if value != "" && len(value) <= maxQuery {
			q.Set(name, value)
		}
	}
	if f.Recognize {
		q.Set("recognize", "1")
	}
	return q
}

// languages is the priority list that the form asks for; nil: the service's default.
func (f linkForm) languages() ([]string, error) {
	list := f.Language
	switch {
	case list != "":
	case f.Recognize && f.Tag != "":
		list = "asr-" + f.Tag
	case f.Recognize:
		list = "asr"
	default:
		list = f.Tag
	}
	if list == "" {
		return nil, nil
	}
	parsed, err := transcript.ParseLanguageList(list)
	if err != nil {
		return nil, err
	}
	all := make([]string, len(parsed))
	for n, entry := range parsed {
		all[n] = entry.String()
	}
	return all, nil
}

func joined(languages []string) string { return strings.Join(languages, ",") }

// pasted is what was pasted: a single link, or what a batch is made from.
type pasted struct {
	single string
	batch  client.BatchParams
}

// pasteFault says why nothing can be asked for, with the key of a text about a link.
type pasteFault struct {
	key, link string
	words     string // these may be searched for; empty: there is nothing to search
}

func (e *pasteFault) Error() string { return e.key }

// readPasted takes a link, many links, a playlist or a channel. A link that names a
// recording within a list is that recording.
func readPasted(text string, sites *site.Table) (pasted, error) {
	found, err := splitLinks(text, sites)
	if err != nil {
		return pasted{}, err
	}
	lists, unknown := 0, []string(nil)
	for _, link := range found {
		switch _, isList := listOf(link, sites); {
		case isList:
			lists++
		case !looksLikeLink(link, sites):
			unknown = append(unknown, link)
		}
	}
	switch {
	case len(found) == 0:
		return pasted{}, &pasteFault{key: "start.nothing"}
	case len(unknown) > 0:
		return pasted{}, &pasteFault{"start.noLink", excerpt(unknown[0]), excerpt(text)}
	case len(found) == 1 && lists == 1:
		list, _ := listOf(found[0], sites)
		return pasted{batch: list}, nil
	case len(found) == 1:
		return pasted{single: found[0]}, nil
	case lists > 0:
		return pasted{}, &pasteFault{key: "start.listAlone"}
	}
	return pasted{batch: client.BatchParams{URLs: found}}, nil
}

// mostPieces is how many words and commas a text may have to be looked at, which takes a
// while for each: a batch may have far fewer links.
const mostPieces = 4 * mostItems

// splitLinks are the links of a text in which they stand on lines of their own, or between
// spaces or commas. A comma may also stand within a link.
func splitLinks(text string, sites *site.Table) ([]string, error) {
	words := strings.Fields(text)
	if len(words)+strings.Count(text, ",") > mostPieces {
		return nil, &transcript.Error{Code: transcript.BatchLimitExceeded, Status: http.StatusUnprocessableEntity}
	}
	if links := linksInProse(words, sites); links != nil {
		return links, nil
	}
	var found []string
	for _, word := range words {
		begin := len(found)
		for piece := range strings.SplitSeq(word, ",") {
			if len(found) == begin || looksLikeLink(piece, sites) {
				found = append(found, piece)
			} else {
				found[len(found)-1] += "," + piece
			}
		}
	}
	whole := found[:0]
	for _, link := range found {
		if link = strings.Trim(link, ",;<>\"'"); link != "" {
			whole = append(whole, link)
		}
	}
	return whole, nil
}

// linksInProse are the links that stand among other words, such as "see (https://…)."; nil
// where there are no other words, or no links that say that they are links. A word of
// eleven letters may be the id of a video: among other words it is a word.
func linksInProse(words []string, sites *site.Table) (links []string) {
	prose := false
	for _, word := range strings.Fields(betweenLinks.Replace(strings.Join(words, " "))) {
		at := beginOfLink(word)
		bare := trimLink(word[at:])
		switch {
		case strings.Contains(bare, "://"), strings.Contains(bare, "/") && looksLikeLink(bare, sites):
			links = append(links, bare)
			prose = prose || at > 0
		case bare != "" && !looksLikeLink(bare, sites):
			prose = true
		}
	}
	if !prose {
		return nil
	}
	return links
}

// betweenLinks parts links that have a comma or semicolon between them and no blank.
var betweenLinks = strings.NewReplacer(
	",https://", ", https://", ",http://", ", http://", ";https://", "; https://", ";http://", "; http://",
)

// beginOfLink is where the first link of a word begins, 0 where there is none. A link that
// stands within another one is a part of that.
func beginOfLink(word string) int {
	before, _, found := strings.Cut(word, "://")
	before = strings.TrimSuffix(before, "s")
	if !found || !strings.HasSuffix(before, "http") {
		return 0
	}
	return len(before) - len("http")
}

// trimLink takes quotes, brackets and the end of a sentence off a link. A bracket stays
// whose other half stands in the link: "https://media.example/talk_(live)".
func trimLink(text string) string {
	link := strings.TrimLeft(text, "([{<“‘«\"'")
	for {
		short := strings.TrimRight(link, ".,;:!?>”’»\"'")
		for _, pair := range []string{"()", "[]", "{}"} {
			if strings.HasSuffix(short, pair[1:]) && strings.Count(short, pair[:1]) < strings.Count(short, pair[1:]) {
				short = short[:len(short)-1]
			}
		}
		if short == link {
			return link
		}
		link = short
	}
}

// looksLikeLink is true of what some site may know, and of what says so itself.
func looksLikeLink(text string, sites *site.Table) bool {
	if strings.Contains(text, "://") {
		return true
	}
	match, err := sites.Detect(text)
	_, isList := listOf(text, sites)
	return err == nil || errors.Is(err, transcript.UnsupportedPlatform) || match.Platform != "" || isList
}

// listOf is the batch of a playlist or channel, if a link names one and no recording.
func listOf(link string, sites *site.Table) (client.BatchParams, bool) {
	if _, err := sites.Detect(link); err == nil {
		return client.BatchParams{}, false
	}
	if _, err := sites.Playlist(link); err == nil {
		return client.BatchParams{Playlist: link}, true
	}
	_, err := sites.Channel(link)
	return client.BatchParams{Channel: link}, err == nil
}

// excerpt is the beginning of a text, for a sentence about it.
func excerpt(text string) string {
	const most = 100
	if runes := []rune(strings.TrimSpace(text)); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return strings.TrimSpace(text)
}

// tongue is a language to choose.
type tongue struct{ Tag, Name string }

// tongues are those that stand in the list, by name; any other can be typed.
func tongues() []tongue {
	var all []tongue
	for _, tag := range []string{
		"ar", "bn", "cs", "de", "el", "en", "es", "fa", "fr", "he", "hi", "id", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "uk", "vi", "zh-Hans", "zh-Hant",
	} {
		all = append(all, tongue{tag, languageName(tag)})
	}
	slices.SortFunc(all, func(a, b tongue) int { return strings.Compare(a.Name, b.Name) })
	return all
}
