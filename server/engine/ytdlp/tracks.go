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

// captionList are the entries of a JSON object in their order: the program's name of a
// language, and the files for it.
type captionList []captionEntry

type captionEntry struct {
	key   string // "en", "en-orig", "pt-BR", "English"
	files []captionFile
}

// captionFile is a track in one file format. raw is what the program needs to fetch it.
type captionFile struct {
	ext, url, name, protocol string
	raw                      json.RawMessage
}

// UnmarshalJSON reads a value that is no object as an empty list.
func (l *captionList) UnmarshalJSON(data []byte) error {
	*l = nil
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil //nolint:nilerr // null, or something that the program never writes
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		e := captionEntry{key: key.(string)} // keys of an object are strings
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		e.files = captionFiles(raw)
		*l = append(*l, e)
	}
	return nil
}

// captionFiles reads the files of one entry and leaves out other values.
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

// guarded reports whether the file is fetched through the guard.
func (f captionFile) guarded() bool { return guarded(f.url, f.protocol) }

// guarded reports whether the program fetches an address through the guard: with a protocol for
// which it uses an HTTP proxy. Data without an address needs no fetching.
func guarded(address, protocol string) bool {
	if address != "" && !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return false
	}
	return protocol == "" || throughProxy.MatchString(protocol)
}

// captionFormats hold text with times. Chats ("json") and comments that fly across the picture
// ("xml") are no captions.
var captionFormats = []string{
	"vtt", "srt", "ttml", "dfxp", "json3", "srv1", "srv2", "srv3", "ass", "ssa", "sbv", "scc", "smi", "sami", "stl",
}

// noCaptions are the keys of chats and comments in any format.
var noCaptions = []string{"live_chat", "rechat", "danmaku", "comments"}

// original is the suffix of the key of automatic captions in the spoken language.
const original = "-orig"

// track is a caption track with its files.
type track struct {
	transcript.Track
	files []captionFile
}

// tracks lists at most trackid.MaxTracks caption tracks of a content, manual ones first: one
// for each key of the platform, without machine translations.
func (m *media) tracks() []track {
	var all []track
	for _, e := range m.Subtitles {
		if t, ok := e.track(transcript.TrackManual); ok && !e.translated() && len(all) < trackid.MaxTracks {
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
			t.ID += "." + strconv.Itoa(n) // two spellings of a key
		}
	}
	return all
}

// track makes a track from an entry. ok is false if the entry is none. The id depends only on
// the key, not on other tracks.
func (e captionEntry) track(kind transcript.TrackKind) (track, bool) {
	if len(e.files) == 0 || slices.Contains(noCaptions, strings.ToLower(e.key)) {
		return track{}, false
	}
	lang, rest := trackid.Split(strings.TrimSuffix(e.key, original))
	t := track{files: e.files}
	t.Lang, t.Kind = lang, kind
	t.Name = clip.Line(strings.TrimSuffix(e.files[0].name, " (Original)"), maxName)
	if lang == "und" && t.Name == "" {
		t.Name = clip.Line(rest, maxName) // people may know what it means
	}
	if strings.EqualFold(rest, "forced") {
		t.Kind, rest = transcript.TrackForced, ""
	}
	t.ID = trackid.New(lang, t.Kind, rest)
	return t, true
}

// same reports whether two entries are one track. The program lists the captions in the spoken
// language under two keys, and lists manual captions among the automatic ones too.
func (t track) same(other track) bool {
	return t.ID == other.ID || t.files[0].url != "" && t.files[0].url == other.files[0].url
}

// translated reports whether a machine translates the text on request.
func (e captionEntry) translated() bool {
	return strings.Contains(e.files[0].url, "tlang=")
}

// untranslated returns the address of a track without the language to translate to.
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

// spokenLanguage returns the language of the content, empty if the platform does not tell.
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
