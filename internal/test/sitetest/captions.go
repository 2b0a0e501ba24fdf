package sitetest

import (
	"fmt"
	"html"
	"net/http"
)

// Texts returns the texts of the tracks, by language: one from 0.5 s to 2 s, and one from there
// to 3.5 s.
func Texts() map[string][]string {
	return map[string][]string{"en": {"hello world", "how are you"}, "de": {"hallo Welt", "wie geht’s & steht’s"}}
}

// sendTrack sends the track in a language as a file of a format. The default is srv1.
func sendTrack(w http.ResponseWriter, r *http.Request, lang, format string) {
	texts := Texts()[lang]
	if texts == nil {
		http.NotFound(w, r)
		return
	}
	a, b := html.EscapeString(texts[0]), html.EscapeString(texts[1])
	switch format {
	case "vtt":
		send(w, "text/vtt; charset=utf-8", VTT(lang))
	case "srt":
		send(w, "application/x-subrip", fmt.Sprintf("1\r\n00:00:00,500 --> 00:00:02,000\r\n%s\r\n\r\n2\r\n00:00:02,000 --> 00:00:03,500\r\n%s\r\n", texts[0], texts[1]))
	case "ttml":
		send(w, "application/ttml+xml", fmt.Sprintf(`<?xml version="1.0" encoding="utf-8"?><tt xmlns="http://www.w3.org/ns/ttml" xml:lang="%s"><body><div>`+
			`<p begin="00:00:00.500" end="00:00:02.000">%s</p><p begin="00:00:02.000" end="00:00:03.500">%s</p></div></body></tt>`, lang, a, b))
	case "json3":
		reply(w, object{"wireMagic": "pb3", "events": []object{
			{"tStartMs": 500, "dDurationMs": 1500, "segs": []object{{"utf8": texts[0]}}},
			{"tStartMs": 2000, "dDurationMs": 1500, "segs": []object{{"utf8": texts[1]}}},
		}})
	default:
		send(w, "text/xml; charset=utf-8", fmt.Sprintf(`<?xml version="1.0" encoding="utf-8" ?><transcript>`+
			`<text start="0.5" dur="1.5">%s</text><text start="2" dur="1.5">%s</text></transcript>`, html.EscapeString(a), html.EscapeString(b)))
	}
}

// VTT returns the track in a language as WebVTT.
func VTT(lang string) string {
	texts := Texts()[lang]
	return "WEBVTT\nKind: captions\nLanguage: " + lang + "\n\n" +
		"00:00:00.500 --> 00:00:02.000\n" + html.EscapeString(texts[0]) + "\n\n00:00:02.000 --> 00:00:03.500\n" + html.EscapeString(texts[1]) + "\n"
}
