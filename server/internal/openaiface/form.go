package openaiface

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/api/recordingform"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/uploads"
	"github.com/transcriptkit/transcriptkit/transcript"
)

type responseFormat string

// The forms of an answer.
const (
	asJSON     responseFormat = "json"
	asText     responseFormat = "text"
	asSRT      responseFormat = "srt"
	asVerbose  responseFormat = "verbose_json"
	asVTT      responseFormat = "vtt"
	asDiarized responseFormat = "diarized_json"
)

func (f responseFormat) mediaType() string {
	switch f {
	case asText, asSRT, asVTT:
		return "text/plain; charset=utf-8"
	}
	return edge.JSONType
}

type granularity string

const (
	byWord    granularity = "word"
	bySegment granularity = "segment"
)

// form has the fields of POST /v1/audio/transcriptions.
type form struct {
	team cluster.Team
	plan account.Plan

	model, language, prompt, temperature, chunking string
	languages, keywords, include                   []string
	format                                         responseFormat
	granularities                                  []granularity
	stream                                         bool
	vad                                            [4]string // the members of chunking_strategy as an object, which have no effect

	fields *request.Form
}

// The limits of the lists in a form.
const (
	mostEntries = 100
	longestTerm = 100 // characters
)

func newForm(team cluster.Team, plan account.Plan) *form {
	f := &form{team: team, plan: plan}
	terms := request.List(request.Text(1, longestTerm), 1, mostEntries)
	f.fields = request.Table{Fields: []*request.Field{
		request.New("model", &f.model, request.Text(1, 200)).Required(),
		request.New("language", &f.language, request.Text(1, longestTerm)),
		request.New("languages", &f.languages, terms),
		request.New("keywords", &f.keywords, terms),
		request.New("prompt", &f.prompt, request.Text(0, 0)),
		request.New("response_format", &f.format, request.Enum([]responseFormat{asJSON, asText, asSRT, asVerbose, asVTT, asDiarized}).Default(asJSON)),
		request.New("temperature", &f.temperature, request.Text(1, longestTerm)),
		request.New("include", &f.include, terms),
		request.New("timestamp_granularities", &f.granularities, request.List(request.Enum([]granularity{byWord, bySegment}), 1, mostEntries)),
		request.New("stream", &f.stream, request.Boolean().Default(false)),
		request.New("chunking_strategy", &f.chunking, request.Text(1, 1000)),
		request.New("chunking_strategy[type]", &f.vad[0], request.Text(1, longestTerm)),
		request.New("chunking_strategy[prefix_padding_ms]", &f.vad[1], request.Text(1, longestTerm)),
		request.New("chunking_strategy[silence_duration_ms]", &f.vad[2], request.Text(1, longestTerm)),
		request.New("chunking_strategy[threshold]", &f.vad[3], request.Text(1, longestTerm)),
	}}.NewForm()
	return f
}

// read reads the body of a request, and calls begin when the file begins. The caller owns the upload.
func (f *Face) read(r *http.Request, p account.Principal, begin func() error) (*form, *uploads.Upload, error) {
	asked := newForm(f.Pipeline.Team(r.Context()), p.Plan)
	upload, err := recordingform.Receive(r, p, f.Pipeline, recordingform.Form{
		Field: asked.add,
		Check: func() error {
			if err := asked.fields.Check(); err != nil {
				return err
			}
			return asked.checkEach()
		},
		Begin: begin,
		Read: func() error {
			if err := asked.fields.Read(); err != nil {
				return err
			}
			if err := asked.checkEach(); err != nil {
				return err
			}
			return asked.checkTogether()
		},
		Expected: func() intake.Submission { return f.submission(p, asked, new(uploads.Upload)) },
	})
	return asked, upload, err
}

// add reads a field. Programs send an empty field if they mean none.
func (f *form) add(name string, value io.Reader) error {
	plain := strings.TrimSuffix(name, "[]")
	if plain == "known_speaker_names" || plain == "known_speaker_references" {
		return invalid(plain, "unsupported_parameter", "The service takes no voices in a request: leave out %s.", plain)
	}
	buffered := bufio.NewReaderSize(value, 16)
	if _, err := buffered.Peek(1); errors.Is(err, io.EOF) && plain != "model" {
		return nil
	}
	if !slices.Contains(known, plain) {
		name := clip.Text(strings.ToValidUTF8(name, "\uFFFD"))
		return invalid(name, "unknown_parameter", "Unknown parameter: %q.", name)
	}
	return f.fields.Add(plain, buffered)
}

// known are the names of the fields.
var known = []string{
	"model", "language", "languages", "keywords", "prompt", "response_format", "temperature", "include", "timestamp_granularities", "stream",
	"chunking_strategy", "chunking_strategy[type]", "chunking_strategy[prefix_padding_ms]", "chunking_strategy[silence_duration_ms]", "chunking_strategy[threshold]",
}

// checkEach refuses a field that is invalid by itself. A field that has not arrived yet
// is empty.
func (f *form) checkEach() error {
	if f.model != "" {
		if err := checkModel(f.model, f.team); err != nil {
			return err
		}
	}
	switch {
	case f.format == asDiarized && !tellsSpeakers(f.team):
		return invalid("response_format", "unsupported_value", "This service cannot tell speakers apart: ask for another response_format. %s", engine.CureDiarizer)
	case f.format == asDiarized && !f.team.TellsSpeakers() && !f.plan.Speakers:
		return f.plan.UpgradeRequired("The plan does not include telling speakers apart: ask for another form of the answer.")
	case len(f.include) > 0:
		return invalid("include", "unsupported_value", "The recognizer of this service tells no log probabilities of tokens: leave out include.")
	case !isTemperature(f.temperature):
		return invalid("temperature", "invalid_value", "temperature must be a number from 0 to 1.")
	case !isChunking(f.chunking):
		return invalid("chunking_strategy", "invalid_value", `chunking_strategy must be "auto" or an object of the type "server_vad".`)
	case !utf8.ValidString(f.prompt):
		return invalid("prompt", "invalid_value", "prompt must be UTF-8.")
	}
	for param, tags := range map[string][]string{"language": {f.language}, "languages": f.languages} {
		for _, tag := range tags {
			if tag != "" && languageOf(tag) == nil {
				return invalid(param, "invalid_value", "%q is no language: send its code of ISO 639, such as en.", clip.Text(tag))
			}
		}
	}
	return nil
}

// checkTogether refuses fields that contradict each other, when all fields have arrived.
func (f *form) checkTogether() error {
	switch {
	case f.language != "" && len(f.languages) > 0:
		return invalid("languages", "invalid_value", "Send either language or languages.")
	case len(f.granularities) > 0 && f.format != asVerbose:
		return invalid("timestamp_granularities", "invalid_value", "timestamp_granularities needs the response_format verbose_json.")
	case f.stream && (f.format == asSRT || f.format == asVTT || f.format == asVerbose):
		return invalid("stream", "unsupported_value", "An answer in the response_format %s cannot be streamed.", f.format)
	}
	return nil
}

func isTemperature(text string) bool {
	n, err := strconv.ParseFloat(text, 64)
	return text == "" || err == nil && 0 <= n && n <= 1
}

// isChunking reports whether a text is a strategy of OpenAI's API. No strategy has an effect
// here.
func isChunking(text string) bool {
	var object struct{ Type string }
	return text == "" || text == "auto" || json.Unmarshal([]byte(text), &object) == nil && object.Type == "server_vad"
}

// languageOf returns the list with one language, or nil if the text is not a tag.
func languageOf(tag string) transcript.LanguageList {
	list, err := transcript.ParseLanguageList(tag)
	if err != nil || len(list) != 1 || list[0].ASR {
		return nil
	}
	return list
}

// spoken returns the language to recognize. If recognizers here know several of the languages, the
// recognizer detects which one is spoken. If recognizers know none of them, the list stays, and
// the pipeline refuses it.
func (f *form) spoken() transcript.LanguageList {
	if f.language != "" {
		return languageOf(f.language)
	}
	var all, able transcript.LanguageList
	for _, tag := range f.languages {
		one := languageOf(tag)
		all = append(all, one...)
		if _, ok := f.team.Recognizes(one); ok {
			able = append(able, one...)
		}
	}
	switch len(able) {
	case 0:
		return all
	case 1:
		return able
	}
	return nil
}

// guide is the prompt, preceded by the keywords, in one line. A recognizer uses only the end of a
// long prompt.
func (f *form) guide() string {
	all := slices.Clone(f.keywords)
	if f.prompt != "" {
		all = append(all, f.prompt)
	}
	line := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.Join(all, ", "))
	runes := []rune(strings.Join(strings.Fields(line), " "))
	return string(runes[max(len(runes)-account.MaxPrompt, 0):])
}

// words reports whether the answer has the times of words.
func (f *form) words() bool { return slices.Contains(f.granularities, byWord) }

// segments reports whether an answer as verbose_json has segments.
func (f *form) segments() bool {
	return len(f.granularities) == 0 || slices.Contains(f.granularities, bySegment)
}

// options distinguish the answers about a text.
func (f *form) options() []string {
	return []string{string(f.format), strconv.FormatBool(f.segments()), strconv.FormatBool(f.words())}
}
