package pipeline

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// abilities are what one process can do. Each that works says so in its row among the
// processes, as JSON, for those that accept requests.
type abilities struct {
	Captions   []transcript.Platform `json:"captions,omitempty"`  // those whose captions it reads
	Lists      []transcript.Platform `json:"lists,omitempty"`     // those whose playlists and channels it reads
	Discovery  bool                  `json:"discovery,omitempty"` // it finds what the video site has
	Audio      bool                  `json:"audio,omitempty"`     // it downloads sound
	Media      bool                  `json:"media,omitempty"`     // it reads media files
	Recognizer *recognizer           `json:"recognizer,omitempty"`

	// unknown is set for a process that does not say: it may be able to do anything.
	unknown bool
}

// recognizer is what others must know of a process's recognizer.
type recognizer struct {
	Name      string   `json:"name"`
	Model     string   `json:"model,omitempty"`
	Languages []string `json:"languages"` // null: any
	ChunkSec  float64  `json:"chunkSec"`  // the length of its chunks, in seconds
	WindowSec float64  `json:"windowSec,omitempty"`
	Prompts   bool     `json:"prompts,omitempty"` // it takes a prompt
	Voices    int      `json:"voices,omitempty"`  // how many it heeds
}

func abilitiesOf(e engine.Engine) (a abilities) {
	for _, platform := range transcript.Platforms() {
		if slices.ContainsFunc(e.Captions, func(s engine.CaptionSource) bool { _, ok := s.Origin(platform); return ok }) {
			a.Captions = append(a.Captions, platform)
		}
		if e.Lists != nil && e.Lists.Lists(platform) {
			a.Lists = append(a.Lists, platform)
		}
	}
	a.Discovery, a.Audio, a.Media = e.Discovery != nil, e.Audio != nil, e.Media != nil
	if e.Recognizer != nil {
		info := e.Recognizer.Info()
		a.Recognizer = &recognizer{
			Name: info.Name, Model: info.Model, Languages: info.Languages,
			ChunkSec: speech.LengthsFor(info).Longest.Seconds(), WindowSec: info.Window.Seconds(), Prompts: info.Prompts, Voices: info.Voices,
		}
	}
	return a
}

// readAbilities reads what a process says. What a newer version says beyond that is
// ignored; of one that says nothing, nothing is known.
func readAbilities(said []byte) (a abilities) {
	if len(said) == 0 || json.Unmarshal(said, &a) != nil {
		return abilities{unknown: true}
	}
	return a
}

// team are the processes that share the work.
type team []abilities

func (t team) anyone(can func(abilities) bool) bool {
	return slices.ContainsFunc(t, func(a abilities) bool { return a.unknown || can(a) })
}

// readsCaptions tells that the captions of a platform can be read.
func (t team) readsCaptions(platform transcript.Platform) bool {
	return t.anyone(func(a abilities) bool { return slices.Contains(a.Captions, platform) })
}

// lists tells that the playlists and channels of a platform can be read.
func (t team) lists(platform transcript.Platform) bool {
	return t.anyone(func(a abilities) bool { return slices.Contains(a.Lists, platform) })
}

// discovers tells that the video site can be asked what there is.
func (t team) discovers() bool { return t.anyone(func(a abilities) bool { return a.Discovery }) }

// downloads tells that the sound of a link can be had.
func (t team) downloads() bool { return t.anyone(func(a abilities) bool { return a.Audio }) }

// prepares tells that the media of a link, or of an upload, can be decoded.
func (t team) prepares(link bool) bool {
	return t.anyone(func(a abilities) bool { return a.Media && (a.Audio || !link) })
}

// recognizes tells that some recognizer knows one of the languages, and which.
func (t team) recognizes(list transcript.LanguageList) (tag string, ok bool) {
	if len(list) == 0 {
		return "", len(t.recognizers()) > 0
	}
	for n := range list {
		for _, r := range t.recognizers() {
			if tag, ok := list[n : n+1].RecognizeAs(r.Languages); ok {
				return tag, true
			}
		}
	}
	return "", false
}

func (t team) recognizers() (all []recognizer) {
	for _, a := range t {
		if a.Recognizer != nil {
			all = append(all, *a.Recognizer)
		}
	}
	return all
}

// shortestChunk is the least that is believed of what another process wants.
const shortestChunk = time.Second

// lengths are those of the recognizer which wants the shortest chunks, of those that
// know one of the languages.
func (t team) lengths(list transcript.LanguageList) (shortest speech.Lengths) {
	for _, r := range t.recognizers() {
		wants := speech.Lengths{Longest: seconds(r.ChunkSec), Window: seconds(r.WindowSec)}
		if _, ok := list.RecognizeAs(r.Languages); ok && wants.Longest >= shortestChunk && (shortest.Longest == 0 || wants.Longest < shortest.Longest) {
			shortest = wants
		}
	}
	return shortest
}

func seconds(sec float64) time.Duration { return time.Duration(sec * float64(time.Second)) }

// canTranscribe returns an error if nobody can read media files, or nobody recognizes
// one of the languages.
func (t team) canTranscribe(list transcript.LanguageList) error {
	if err := t.canRecognize(list); err != nil {
		return err
	}
	if !t.prepares(false) {
		return transcript.Errorf(transcript.NotImplemented, "This service cannot read media files.")
	}
	return nil
}

// canRecognize returns an error if there is no recognizer, or none that knows one of
// the languages.
func (t team) canRecognize(list transcript.LanguageList) error {
	if t.anyone(func(abilities) bool { return false }) { // somebody has not said
		return nil
	}
	if len(t.recognizers()) == 0 {
		return transcript.Errorf(transcript.NotImplemented, "This service has no speech recognizer.")
	}
	if _, ok := t.recognizes(list); ok {
		return nil
	}
	var names, known []string
	for _, r := range t.recognizers() {
		names, known = append(names, r.Name), append(known, r.Languages...)
	}
	name, known := strings.Join(distinct(names), ", "), distinct(known)
	tags := make([]string, len(list))
	for i, entry := range list {
		tags[i] = clip.Text(entry.Tag)
	}
	return transcript.Errorf(transcript.NotImplemented, "The recognizer %s does not know %s: it knows %s.",
		name, clip.Text(strings.Join(tags, ", ")), clip.Text(strings.Join(known, ", "))).
		With("languages", tags).With("engine", name).With("known", known)
}

// distinct are the values without repeats, in their order.
func distinct[T comparable](values []T) (all []T) {
	for _, v := range values {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}
