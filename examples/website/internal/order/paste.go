package order

import (
	"errors"
	"net/url"
	"strings"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
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
	return parseLanguages(list)
}

// parseLanguages returns the entries of a priority list.
func parseLanguages(list string) ([]string, error) {
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

// pasted is the pasted input: a single link, or the content of a batch.
type pasted struct {
	single string
	batch  client.BatchParams
	passed web.Passed
}

// pasteFault is the reason why the input cannot be transcribed: the key of a text, and links.
type pasteFault struct {
	key, link string
	words     string // words for a search; empty: none
}

func (e *pasteFault) Error() string { return e.key }

// readPasted reads a link, many links, a playlist or a channel. It passes over other words around
// links. A link to a recording within a list means the recording.
func readPasted(text string, sites *site.Table) (pasted, error) {
	found, err := findLinks(text, sites)
	if err != nil {
		return pasted{}, err
	}
	lists := 0
	for _, link := range found.links {
		if _, isList := listOf(link, sites); isList {
			lists++
		}
	}
	read := pasted{passed: web.Passed{Links: len(found.links), Words: len(found.words), Repeats: found.repeats}}
	switch {
	case len(found.links) == 0 && len(found.words) == 0:
		return pasted{}, &pasteFault{key: "start.nothing"}
	case len(found.links) == 0 && len(found.words) > 1:
		return pasted{}, &pasteFault{key: "start.noLinks", words: excerpt(text)}
	case len(found.links) == 0, found.doubtful:
		return pasted{}, &pasteFault{"start.noLink", quoted(found.words), excerpt(text)}
	case len(found.links) == 1 && lists == 1:
		read.batch, _ = listOf(found.links[0], sites)
	case len(found.links) == 1:
		read.single = found.links[0]
	case lists > 0:
		return pasted{}, &pasteFault{key: "start.listAlone"}
	default:
		read.batch.URLs = found.links
	}
	return read, nil
}

// quoted names the first words of a list.
func quoted(words []string) string {
	const most = 3
	var all []string
	for _, word := range words[:min(len(words), most)] {
		all = append(all, "“"+excerpt(word)+"”")
	}
	if len(words) > most {
		all = append(all, "…")
	}
	return strings.Join(all, ", ")
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
