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

// linkForm is the form of the start page as the visitor filled it in.
type linkForm struct {
	Links     string
	Tag       string // the preferred language of the captions; empty: the service's default
	Recognize bool   // recognize the speech even if there are captions
	Language  string // a priority list, which replaces both; empty: none
}

func readLinkForm(values url.Values) linkForm {
	return linkForm{
		Links: values.Get("links"), Tag: values.Get("tag"), Recognize: values.Get("recognize") != "",
		Language: strings.TrimSpace(values.Get("language")),
	}
}

// Open reports whether the part for languages has input.
func (f linkForm) Open() bool { return f.Tag != "" || f.Recognize || f.Language != "" }

// maxQuery is the longest text that a page's address keeps, in bytes.
const maxQuery = 2048

// query encodes the form for the address of a page. It leaves out texts that are too long.
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

// languages returns the form's priority list; nil: the service's default.
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

// pasted is the pasted input: a single link, or the content of a batch.
type pasted struct {
	single string
	batch  client.BatchParams
}

// pasteFault is the reason why the input cannot be transcribed: the key of a text, and a link.
type pasteFault struct {
	key, link string
	words     string // words for a search; empty: none
}

func (e *pasteFault) Error() string { return e.key }

// readPasted reads a link, many links, a playlist or a channel. A link to a recording within a
// list means the recording.
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

// mostPieces bounds the words and commas of an input, because checking each takes time. A batch
// may have far fewer links.
const mostPieces = 4 * mostItems

// splitLinks returns the links of a text that are separated by lines, spaces or commas. A comma
// may also be a part of a link.
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

// linksInProse returns the links among other words, such as "see (https://…).". It returns nil
// if there are no other words, or no links with an explicit form. A word of eleven letters
// could be the id of a video, but among other words it counts as a word.
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

// betweenLinks separates links that have only a comma or semicolon between them.
var betweenLinks = strings.NewReplacer(
	",https://", ", https://", ",http://", ", http://", ";https://", "; https://", ";http://", "; http://",
)

// beginOfLink returns where the first link of a word begins, 0 if there is none. A link inside
// another link is a part of it.
func beginOfLink(word string) int {
	before, _, found := strings.Cut(word, "://")
	before = strings.TrimSuffix(before, "s")
	if !found || !strings.HasSuffix(before, "http") {
		return 0
	}
	return len(before) - len("http")
}

// trimLink removes quotes, brackets and final punctuation from a link. It keeps a bracket whose
// counterpart is in the link: "https://media.example/talk_(live)".
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

// looksLikeLink reports whether a text has the form of a link, or a site of the table knows it.
func looksLikeLink(text string, sites *site.Table) bool {
	if strings.Contains(text, "://") {
		return true
	}
	match, err := sites.Detect(text)
	_, isList := listOf(text, sites)
	return err == nil || errors.Is(err, transcript.UnsupportedPlatform) || match.Platform != "" || isList
}

// listOf returns the batch of a playlist or channel, if a link names one and no recording.
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

// excerpt returns the beginning of a text, for a sentence about it.
func excerpt(text string) string {
	const most = 100
	if runes := []rune(strings.TrimSpace(text)); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return strings.TrimSpace(text)
}

// tongue is a language to choose.
type tongue struct{ Tag, Name string }

// tongues returns the languages of the list, sorted by name. A visitor can type any other
// language.
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
