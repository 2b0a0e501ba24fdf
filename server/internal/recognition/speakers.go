package recognition

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	mostSpeakers = 32  // that are distinguished in a recording
	longestLabel = 100 // characters
	leastClip    = 2.0 // seconds: the least that recognizers need for a voice
	bestClip     = 8.0 // seconds: the most that recognizers need
	turnPause    = 1.0 // seconds: after a shorter pause a speaker goes on
	wavHeader    = 44  // bytes, in a clip
)

// Speaker is a speaker in a recording.
type Speaker struct {
	Name   string  // in the transcript
	Spoken float64 // seconds, in the recognized chunks
	// Clip is a WAV of 2 to 8 seconds in which only this speaker is heard; nil: not found yet.
	Clip []byte
}

// Cast lists the speakers in the recognized chunks of a recording, which are recognized one
// after the other: at most 32, ordered by how much they have spoken, most first. Nil: no
// speaker yet.
type Cast []Speaker

// WithClip returns the first n speakers of the cast that have a clip, or all of them if there
// are fewer.
func (c Cast) WithClip(n int) Cast {
	var out Cast
	for _, s := range c {
		if s.Clip != nil && len(out) < n {
			out = append(out, s)
		}
	}
	return out
}

// Admit gives the speakers in a chunk's result their names in the recording, and returns the
// cast with them. The chunk was recognized with the voices of offered, each under its
// [speech.VoiceName]; audio is the chunk's audio. A speaker without a voice is new and keeps the
// recognizer's label as name. If the name is taken, the speaker gets a similar one: for "A" the
// next free letter.
//
// If there are earlier speakers, and no speaker in the chunk matches a voice, the speakers
// cannot be identified. The cast then stays as it was, and [Stitch] marks their names. Admit
// returns an error if the audio cannot be read.
func (c Cast) Admit(chunk Chunk, r *Result, offered Cast, audio *speech.Recording) (Cast, error) {
	names := map[string]string{"": ""} // names by label
	for i, s := range offered {
		names[speech.VoiceName(i)] = s.Name
	}
	isKnown := func(s transcript.Segment) bool { return names[s.Speaker] != "" }
	if len(c) > 0 && !slices.ContainsFunc(r.Segments, isKnown) {
		return c, nil
	}
	cast, solos := slices.Clone(c), solosOf(r.Segments)
	for i := range r.Segments {
		s := &r.Segments[i]
		if _, known := names[s.Speaker]; !known {
			names[s.Speaker] = cast.add(s.Speaker)
		}
		s.Speaker = names[s.Speaker]
		if at := cast.index(s.Speaker); at >= 0 {
			cast[at].Spoken += s.Duration
		}
	}
	for label, alone := range solos {
		if at := cast.index(names[label]); at >= 0 {
			if err := cast[at].hear(audio, chunk, alone); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(cast, func(a, b Speaker) int { return cmp.Compare(b.Spoken, a.Spoken) })
	r.Named = true
	return cast, nil
}

// add adds a speaker and returns the name: the label if it is free, else a similar one. The
// name is empty if there are too many speakers.
func (c *Cast) add(label string) (name string) {
	if len(*c) == mostSpeakers {
		return ""
	}
	name = label
	for n := 2; c.index(name) >= 0; n++ {
		if len(name) == 1 && 'A' <= name[0] && name[0] < 'Z' {
			name = string(name[0] + 1)
		} else {
			name = fmt.Sprintf("%s %d", label, n)
		}
	}
	*c = append(*c, Speaker{Name: name})
	return name
}

func (c Cast) index(name string) int {
	return slices.IndexFunc(c, func(s Speaker) bool { return s.Name == name })
}

// solo is a span in which only one speaker is heard, in seconds on the media clock.
type solo struct{ from, to float64 }

func (s solo) seconds() float64 { return s.to - s.from }

// solosOf returns each speaker's longest solo, by label.
func solosOf(segments []transcript.Segment) map[string]solo {
	longest := map[string]solo{}
	var before ends
	for i := 0; i < len(segments); {
		speaker, turn := segments[i].Speaker, solo{segments[i].Start, segments[i].End()}
		for i++; i < len(segments) && segments[i].Speaker == speaker && segments[i].Start-turn.to <= turnPause; i++ {
			turn.to = max(turn.to, segments[i].End())
		}
		alone := solo{max(turn.from, before.others(speaker)), turn.to}
		if i < len(segments) && segments[i].Speaker != speaker {
			alone.to = min(alone.to, segments[i].Start)
		}
		if alone.seconds() > longest[speaker].seconds() {
			longest[speaker] = alone
		}
		before.add(speaker, turn.to)
	}
	return longest
}

// ends records when the previous speakers have ended.
type ends struct {
	speaker string  // the speaker who ends last
	last    float64 // the end of that speaker
	other   float64 // the latest end of the other speakers
}

func (e *ends) add(speaker string, at float64) {
	switch {
	case speaker == e.speaker:
		e.last = max(e.last, at)
	case at > e.last:
		*e = ends{speaker, at, e.last}
	default:
		e.other = max(e.other, at)
	}
}

// others returns the latest end of all speakers except one.
func (e *ends) others(speaker string) float64 {
	if speaker == e.speaker {
		return e.other
	}
	return e.last
}

// hear keeps the middle of the speaker's solo as the clip, if it is longer than the present
// clip.
func (s *Speaker) hear(audio *speech.Recording, chunk Chunk, alone solo) error {
	length := min(alone.seconds(), bestClip)
	from := alone.from + (alone.seconds()-length)/2
	samples := toSamples(time.Duration(length * float64(time.Second)))
	if length < leastClip || wavHeader+samples*bytesPerSample <= int64(len(s.Clip)) {
		return nil
	}
	first := toSamples(time.Duration(from*float64(time.Second))) - chunk.First
	var wav bytes.Buffer
	if err := (Chunk{First: first, Last: first + samples}).Write(&wav, audio); err != nil {
		return err
	}
	s.Clip = wav.Bytes()
	return nil
}

// cleanSpeakers puts the labels of a chunk's speakers on one line of bounded length. If there
// are more than 32, the labels of those who speak least are removed.
func cleanSpeakers(segments []transcript.Segment) {
	spoken := map[string]float64{}
	for i := range segments {
		s := &segments[i]
		if s.Speaker = clip.Line(s.Speaker, longestLabel); s.Speaker != "" {
			spoken[s.Speaker] += s.Duration
		}
	}
	if len(spoken) <= mostSpeakers {
		return
	}
	all := slices.SortedFunc(maps.Keys(spoken), func(a, b string) int {
		return cmp.Or(cmp.Compare(spoken[b], spoken[a]), cmp.Compare(a, b))
	})
	for i := range segments {
		if s := &segments[i]; !slices.Contains(all[:mostSpeakers], s.Speaker) {
			s.Speaker = ""
		}
	}
}

// markParts marks names that are valid in one chunk only with the number of the chunk among
// those with speech, "A (part 2)", unless only one chunk has speakers. results are in order.
func markParts(results []Result) {
	with, named := 0, 0
	for _, r := range results {
		if hasSpeakers(r) {
			with++
			if r.Named {
				named++
			}
		}
	}
	if with < 2 {
		return
	}
	for n, r := range results {
		if r.Named && named > 1 {
			continue // its names are valid in the other chunks too
		}
		results[n].Segments = markPart(r.Segments, n+1)
	}
}

func markPart(segments []transcript.Segment, part int) []transcript.Segment {
	segments = slices.Clone(segments)
	for i := range segments {
		if s := &segments[i]; s.Speaker != "" {
			s.Speaker = fmt.Sprintf("%s (part %d)", s.Speaker, part)
		}
	}
	return segments
}

// Early returns the segments of the result before the results of all other chunks are known.
// part is the number of the chunk among those with speech, from 1. Speakers' labels that are
// valid in this chunk only are marked as [Stitch] marks them if several chunks have speakers.
func (r Result) Early(part int) []transcript.Segment {
	if r.Named {
		return r.Segments
	}
	return markPart(r.Segments, part)
}

func hasSpeakers(r Result) bool {
	return slices.ContainsFunc(r.Segments, func(s transcript.Segment) bool { return s.Speaker != "" })
}
