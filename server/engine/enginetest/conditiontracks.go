package enginetest

import (
	"net/http"
	"strings"
)

// ofTracks are conditions of the list of tracks and of one track.
var ofTracks = []Condition{
	{Name: "token required, by another name", Codes: token, Blocks: true, says: func(_ *Site, said object) {
		eachTrack(said, func(address string) string { return address + "&exp=xpv" })
	}},
	{Name: "tracks without an address", Codes: upstream, Blocks: true, says: func(_ *Site, said object) {
		eachTrack(said, func(string) string { return "" })
	}},
	{Name: "a list of tracks of another shape", Codes: upstream, Blocks: true, says: func(_ *Site, said object) {
		said["captions"] = object{"captionsViewModel": object{}}
	}},
	{Name: "translations alone", Codes: upstream, Blocks: true, says: func(_ *Site, said object) {
		eachTrack(said, func(address string) string { return address + "&tlang=de" })
	}},
	{Name: "tracks of another content", Codes: upstream, Blocks: true, says: func(_ *Site, said object) {
		eachTrack(said, func(address string) string { return inQuestion.ReplaceAllString(address, otherContent) })
	}},
	{Name: "a track in another language", Codes: upstream, Blocks: true, says: func(_ *Site, said object) {
		eachTrack(said, func(address string) string { return strings.Replace(address, "lang=en", "lang=de", 1) })
	}},
	{Name: "404 (track)", Codes: upstream, at: track, does: status(http.StatusNotFound, "")},
	{Name: "captcha page (track)", Codes: blocked, Blocks: true, at: track, does: captcha},
	{Name: "consent page (track)", Codes: upstream, Blocks: true, at: track, does: consent},
	{Name: "cut text (track)", Codes: upstream, Blocks: true, at: track, does: cutText},
	{Name: "compressed without end (track)", Codes: upstream, Avoidable: true, at: track, does: bomb},
	{Name: "blank cues (track)", Codes: upstream, Blocks: true, at: track, does: blankCues},
	{Name: "no cues (track)", Codes: upstream, Blocks: true, at: track, does: noCues},
}
