package cluster

import (
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Team has the abilities of the processes that share the work, one element for each
// process.
type Team []Abilities

// Anyone reports whether can is true for a process. It also returns true if the abilities
// of a process are unknown.
func (t Team) Anyone(can func(Abilities) bool) bool {
	return slices.ContainsFunc(t, func(a Abilities) bool { return a.unknown || can(a) })
}

// ReadsCaptions reports whether a process can read the captions of the platform.
func (t Team) ReadsCaptions(platform transcript.Platform) bool {
	return t.Anyone(func(a Abilities) bool { return slices.Contains(a.Captions, platform) })
}

// Lists reports whether a process can read the playlists and channels of the platform.
func (t Team) Lists(platform transcript.Platform) bool {
	return t.Anyone(func(a Abilities) bool { return slices.Contains(a.Lists, platform) })
}

// Discovers reports whether a process can search the video site.
func (t Team) Discovers() bool { return t.Anyone(func(a Abilities) bool { return a.Discovery }) }

// Downloads reports whether a process can download the sound of a link.
func (t Team) Downloads() bool { return t.Anyone(func(a Abilities) bool { return a.Audio }) }

// Decodes reports whether a process can decode the media of a link, or of an upload. A
// link needs a process that also downloads.
func (t Team) Decodes(link bool) bool {
	return t.Anyone(func(a Abilities) bool { return a.Media && (a.Audio || !link) })
}

// DecodesDirect reports whether a process can fetch and decode the media of a direct link.
func (t Team) DecodesDirect() bool {
	return t.Anyone(func(a Abilities) bool { return a.Media && slices.Contains(a.Captions, transcript.Upload) })
}

// TakesPrompts reports whether a recognizer takes a prompt.
func (t Team) TakesPrompts() bool {
	return t.Anyone(func(a Abilities) bool { return a.Recognizer != nil && a.Recognizer.Prompts })
}

// TakesTurns reports whether the chunks of a recording are recognized one after another.
// They are if a recognizer for one of the languages uses the voices of earlier chunks.
func (t Team) TakesTurns(list transcript.LanguageList) bool {
	return slices.ContainsFunc(t.Recognizers(), func(r Recognizer) bool {
		_, ok := language.RecognizeAs(list, r.Languages)
		return ok && r.Voices > 0
	})
}

// Recognizes returns the first language of the list that a recognizer knows.
func (t Team) Recognizes(list transcript.LanguageList) (tag string, ok bool) {
	if len(list) == 0 {
		return "", len(t.Recognizers()) > 0
	}
	for n := range list {
		for _, r := range t.Recognizers() {
			if tag, ok := language.RecognizeAs(list[n:n+1], r.Languages); ok {
				return tag, true
			}
		}
	}
	return "", false
}

// TellsSpeakers reports whether a recognizer tells speakers apart.
func (t Team) TellsSpeakers() bool {
	return t.Anyone(func(a Abilities) bool { return a.Recognizer != nil && a.Recognizer.Speakers })
}

// Diarizes reports whether a process can tell speakers apart with any recognizer.
func (t Team) Diarizes() bool { return t.Anyone(func(a Abilities) bool { return a.Diarizes }) }

// Recognizers describes the recognizers of the processes.
func (t Team) Recognizers() (all []Recognizer) {
	for _, a := range t {
		if a.Recognizer != nil {
			all = append(all, *a.Recognizer)
		}
	}
	return all
}

// shortestChunk is the lower bound for the chunk length of another process. A shorter
// length is considered a mistake and ignored.
const shortestChunk = time.Second

// Lengths returns the chunk lengths for a recording in one of the languages. Among the
// recognizers that know such a language, the recognizer with the shortest chunks counts.
func (t Team) Lengths(list transcript.LanguageList) (shortest recognition.Lengths) {
	for _, r := range t.Recognizers() {
		wants := recognition.Lengths{Longest: durationOf(r.ChunkSec), Window: durationOf(r.WindowSec)}
		if _, ok := language.RecognizeAs(list, r.Languages); ok && wants.Longest >= shortestChunk && (shortest.Longest == 0 || wants.Longest < shortest.Longest) {
			shortest = wants
		}
	}
	return shortest
}

func durationOf(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// CanTranscribe returns NOT_IMPLEMENTED if no process decodes media files, or if no
// recognizer knows one of the languages.
func (t Team) CanTranscribe(list transcript.LanguageList) error {
	if err := t.CanRecognize(list); err != nil {
		return err
	}
	if !t.Decodes(false) {
		return transcript.Errorf(transcript.NotImplemented, "This service cannot read media files.")
	}
	return nil
}

// CanRecognize returns NOT_IMPLEMENTED if there is no recognizer, or if no recognizer
// knows one of the languages.
func (t Team) CanRecognize(list transcript.LanguageList) error {
	if t.Anyone(func(Abilities) bool { return false }) { // the abilities of a process are unknown
		return nil
	}
	if len(t.Recognizers()) == 0 {
		return transcript.Errorf(transcript.NotImplemented, "This service has no speech recognizer.")
	}
	if _, ok := t.Recognizes(list); ok {
		return nil
	}
	var names, known []string
	for _, r := range t.Recognizers() {
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

// distinct returns the values without repeats, in their order.
func distinct(values []string) (all []string) {
	for _, v := range values {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}
