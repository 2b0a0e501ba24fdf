package whisper

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// blank is the models' text for silence.
const blank = "[BLANK_AUDIO]"

// span is a stretch of text as whisper gives it, in seconds from the start of
// the audio. A missing time is nil.
type span struct {
	text     string
	from, to *float64
	tokens   []token // nil if not requested
}

// token is a word, a part of a word, or a punctuation mark. The first token of a word begins
// with a space.
type token struct {
	text        string
	from, to    *float64
	probability float64
}

// segmentsOf makes segments from spans: within the audio, sorted, and with words if every token
// has its times. A span without times lasts from the start to the end.
// [whispermodel.WithDurations] decides how long a span without length lasts. Spans without text
// or outside the audio are left out.
func segmentsOf(spans []span, language string, length time.Duration) []transcript.Segment {
	end := length.Seconds()
	var out []transcript.Segment
	for _, s := range spans {
		text := strings.Join(strings.Fields(s.text), " ")
		from, to, within := whispermodel.Clamp(or(s.from, 0), or(s.to, end), end)
		if text == "" || text == blank || !within {
			continue
		}
		seg := transcript.Segment{Text: text, Start: from, Duration: to - from}
		seg.Words = clock{from, to}.words(s.tokens, whispermodel.Unspaced(language))
		seg.Confidence = confidence(seg.Words)
		out = append(out, seg)
	}
	return whispermodel.WithDurations(out, end)
}

func or(at *float64, otherwise float64) float64 {
	if at == nil {
		return otherwise
	}
	return *at
}

// clock moves times into a span of the audio, in seconds, because whisper's times may lie
// after its end.
type clock struct{ start, end float64 }

func (c clock) place(at float64) float64 { return min(max(at, c.start), c.end) }

// words joins tokens to words, which begin at spaces. If the language is written without
// spaces, each token is a word, except punctuation. The confidence of a word is the mean of its
// tokens' probabilities, as in OpenAI's own program. If a token has no times or is half a
// character, there are no words.
func (c clock) words(tokens []token, unspaced bool) []transcript.Word {
	var out []transcript.Word
	parts, latest := 0.0, 0.0 // tokens of the last word; the earliest start of the next
	for _, t := range tokens {
		if special(t.text) || t.text == "" {
			continue
		}
		if t.from == nil || t.to == nil || strings.ContainsRune(t.text, utf8.RuneError) {
			return nil
		}
		from := max(c.place(*t.from), latest)
		to := max(c.place(*t.to), from)
		p := min(max(t.probability, 0), 1)
		if len(out) == 0 || begins(t.text, unspaced) {
			out, parts = append(out, transcript.Word{Text: t.text, Start: from, End: to, Confidence: p}), 1
		} else {
			w := &out[len(out)-1]
			w.Text, w.End = w.Text+t.text, max(w.End, to)
			w.Confidence = (w.Confidence*parts + p) / (parts + 1)
			parts++
		}
		latest = from
	}
	for i := range out {
		out[i].Text = strings.TrimSpace(out[i].Text)
	}
	return slices.DeleteFunc(out, func(w transcript.Word) bool { return w.Text == "" })
}

// special reports whether a token is not text: [_BEG_], [_TT_481].
func special(text string) bool {
	return strings.HasPrefix(text, "[_") && strings.HasSuffix(text, "]")
}

// begins reports whether a token begins a word.
func begins(token string, unspaced bool) bool {
	first, _ := utf8.DecodeRuneInString(token)
	if unicode.IsSpace(first) {
		return true
	}
	return unspaced && !unicode.IsPunct(first) && !unicode.IsMark(first)
}

// confidence returns the mean confidence of the words, nil if there are none.
func confidence(words []transcript.Word) *float64 {
	if len(words) == 0 {
		return nil
	}
	sum := 0.0
	for _, w := range words {
		sum += w.Confidence
	}
	mean := sum / float64(len(words))
	return &mean
}
