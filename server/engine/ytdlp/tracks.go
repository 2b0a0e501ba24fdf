package ytdlp

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/trackid"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// captionList are the entries of a JSON object in its order: what the program
// calls a language, and the files there are for it.
type captionList []captionEntry

type captionEntry struct {
	key   string // "en", "en-orig", "pt-BR", "English"
	files []captionFile
}

// captionFile is a track in one file format. What the program needs to fetch it
// is kept as it is.
type captionFile struct {
	ext, url, name, protocol string
	raw                      json.RawMessage
}

// UnmarshalJSON takes what is no object for an empty one.
func (l *captionList) UnmarshalJSON(data []byte) error {
	*l = nil
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil //nolint:nilerr // null, or nothing the program writes
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		e := captionEntry{key: key.(string)} // of an object, so it is one
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		e.files = captionFiles(raw)
		*l = append(*l, e)
	}
	return nil
}

// captionFiles reads the files of one entry; what is none is left out.
func captionFiles(data json.RawMessage) (files []captionFile) {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		return nil
	}
	for _, raw := range list {
		var f struct{ Ext, URL, Name, Protocol text }
		if json.Unmarshal(raw, &f) == nil && slices.Contains(captionFormats, string(f.Ext)) {
			files = append(files, captionFile{string(f.Ext), string(f.URL), string(f.Name), string(f.Protocol), raw})
		}
	}
	return files
}

// guarded reports whether a file is fetched through the guard.
func (f captionFile) guarded() bool { return guarded(f.url, f.protocol) }

// guarded reports whether something is fetched through the guard: by a protocol for
// which the program uses an HTTP proxy. What has no address is there already.
func guarded(address, protocol string) bool {
	if address != "" && !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return false
	}
	return protocol == "" || throughProxy.MatchString(protocol)
}

// captionFormats hold text with times. Chats ("json") and comments that fly
// across the picture ("xml") are no captions.
var captionFormats = []string{
	"vtt", "srt", "ttml", "dfxp", "json3", "srv1", "srv2", "srv3", "ass", "ssa", "sbv", "scc", "smi", "sami", "stl",
}

// noCaptions are keys of chats and comments, in whatever format.
var noCaptions = []string{"live_chat", "rechat", "danmaku", "comments"}

// original marks, at the end of a key, the automatic captions in the language
// that is spoken.
const original = "-orig"

// track is a caption track with the files it can be had in.
type track struct {
	transcript.Track
	files []captionFile
}

// tracks lists the caption tracks of a content, those that people made first:
// one for each key of the platform, without machine translations, at most
// trackid.MaxTracks.
func (m *media) tracks() []track {
	var all []track
	for _, e := range m.Subtitles {
		if t, ok := e.track(transcript.TrackManual); ok && len(all) < trackid.MaxTracks {
			all = append(all, t)
		}
	}
	translated := make(map[string]bool)
	for _, e := range m.Automatic {
		t, ok := e.track(transcript.TrackAuto)
		switch {
		case !ok:
		case e.translated():
			translated[untranslated(e.files[0].url)] = true
		case len(all) < trackid.MaxTracks && !slices.ContainsFunc(all, t.same):
			all = append(all, t)
		}
	}
	spoken := m.spokenLanguage()
	for i := range all {
		t := &all[i]
		t.IsTranslatable = translated[untranslated(t.files[0].url)]
		t.IsDefault = t.Lang == spoken && t.Kind != transcript.TrackForced &&
			!slices.ContainsFunc(all[:i], func(u track) bool { return u.IsDefault })
		for n := 2; slices.ContainsFunc(all[:i], func(u track) bool { return u.ID == t.ID }); n++ {
			t.ID += "." + strconv.Itoa(n) // two spellings of one key
		}
	}
	return all
}

// track makes a track of an entry, if it is one. Its id is made of its key
// alone, so it does not depend on what else is there.
func (e captionEntry) track(kind transcript.TrackKind) (track, bool) {
	if len(e.files) == 0 || slices.Contains(noCaptions, strings.ToLower(e.key)) {
		return track{}, false
	}
	lang, rest := trackid.Split(strings.TrimSuffix(e.key, original))
	t := track{files: e.files}
	t.Lang, t.Kind = lang, kind
	t.Name = clip.Line(strings.TrimSuffix(e.files[0].name, " (Original)"), maxName)
	if lang == "und" && t.Name == "" {
		t.Name = clip.Line(rest, maxName) // whatever it is, people may know it
	}
	if strings.EqualFold(rest, "forced") {
		t.Kind, rest = transcript.TrackForced, ""
	}
	t.ID = trackid.New(lang, t.Kind, rest)
	return t, true
}

// same reports whether two entries are one track: the program lists the captions in
// the spoken language under two keys, and what people made among the automatic
// captions too.
func (t track) same(other track) bool {
	return t.ID == other.ID || t.files[0].url != "" && t.files[0].url == other.files[0].url
}

// translated reports whether a machine translates the text when it is asked for.
func (e captionEntry) translated() bool {
	return strings.Contains(e.files[0].url, "tlang=")
}

// untranslated is the address of a track without the language to translate to.
func untranslated(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	q := u.Query()
	q.Del("tlang")
	u.RawQuery = q.Encode()
	return u.String()
}

// spokenLanguage is the language of the content, empty when the platform does not say.
func (m *media) spokenLanguage() string {
	for _, e := range m.Automatic {
		if key, ok := strings.CutSuffix(e.key, original); ok && len(e.files) > 0 && !e.translated() {
			lang, _ := trackid.Split(key)
			return lang
		}
	}
	if m.Language == "" {
		return ""
	}
	lang, _ := trackid.Split(string(m.Language))
	return lang
}
