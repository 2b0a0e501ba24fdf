package openai

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
)

const (
	maxAnswer  = 16 << 20 // ten minutes with words take less than 1 MB
	maxRefusal = 64 << 10
	dialTime   = 10 * time.Second
)

// detail is how much information about the text a request asks for.
type detail int32

const (
	withSpeakers detail = iota // segments and their speakers
	withWords                  // segments and words
	withSegments               // segments, and words only if the endpoint adds them
	textOnly                   // text without times
)

// tellsNoTimes reports whether a model returns no times: the hosted models except
// whisper.
func tellsNoTimes(model string) bool {
	return strings.HasPrefix(path.Base(model), "gpt-")
}

// takesPrompts reports whether a model takes a prompt: all models do, except the hosted one
// that tells speakers apart.
func takesPrompts(model string) bool { return !diarizes(model) }

// httpClient returns the client that sends requests. The client follows no redirect, and so
// asks no other host.
func httpClient(given *http.Client) *http.Client {
	own := http.Client{Transport: &http.Transport{ // no Proxy, so that the environment is ignored
		DialContext:            (&net.Dialer{Timeout: dialTime}).DialContext,
		TLSHandshakeTimeout:    dialTime,
		IdleConnTimeout:        time.Minute,
		MaxResponseHeaderBytes: maxRefusal,
		ForceAttemptHTTP2:      true,
	}}
	if given != nil {
		own = *given
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// do sends a request once, because the caller knows better when to try again. The body of an
// answer of status 200 is bounded, and the caller closes it. Any other answer is a *refusal.
func (r *Recognizer) do(req *http.Request) (io.ReadCloser, error) {
	r.authorize(req)
	resp, err := r.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer func() { _ = resp.Body.Close() }() // it was only read
		return nil, readRefusal(resp)
	}
	return http.MaxBytesReader(nil, resp.Body, maxAnswer), nil
}

// question holds the parameters of one request.
type question struct {
	rec              *whispermodel.Recording
	language, prompt string
	hints            hints
	voices           []reference
	detail           detail
}

// asked returns how much detail requests ask for now.
func (r *Recognizer) asked() detail { return detail(r.detail.Load()) }

// transcribe asks for the text of a WAV. It returns the answer and the question that was
// answered. After the endpoint has refused a detail, no later request asks for that detail. If
// the endpoint refuses a prompt, keywords, languages or voices, transcribe asks again without
// them; later requests have theirs, because these ones may only have been too long.
func (r *Recognizer) transcribe(ctx context.Context, q question) ([]byte, question, error) {
	for {
		q.detail = r.asked()
		body, err := r.send(ctx, q)
		less, ok := lower(q.detail, err)
		switch {
		case q.voices != nil && refusesVoices(err):
			q.voices = nil
		case ok:
			r.detail.CompareAndSwap(int32(q.detail), int32(less)) // or another call has lowered it
		case q.hints.refused(err):
			// The hints no longer contain the refused ones.
		case q.prompt != "" && refusesPrompt(err):
			q.prompt = ""
		default:
			return body, q, err
		}
	}
}

// refusesPrompt reports whether the endpoint refuses prompts, or this prompt.
func refusesPrompt(err error) bool {
	var refused *refusal
	return errors.As(err, &refused) && refused.badRequest() && refused.mentions("prompt")
}

// lower returns the detail to ask for after the endpoint has refused the requested detail.
func lower(asked detail, err error) (detail, bool) {
	var refused *refusal
	switch {
	case !errors.As(err, &refused) || !refused.badRequest() || asked == textOnly:
		return asked, false
	case asked == withSpeakers && refused.mentions("response_format", "diarized_json", "chunking_strategy"):
		return withWords, true
	case asked == withWords && refused.mentions("granularit"):
		return withSegments, true
	case refused.mentions("response_format", "verbose_json", "granularit"):
		return textOnly, true
	}
	return asked, false
}

// send asks the endpoint once, and returns the answer.
func (r *Recognizer) send(ctx context.Context, q question) ([]byte, error) {
	req, err := q.rec.Post(ctx, r.base+"audio/transcriptions", r.form(q))
	if err != nil {
		return nil, err
	}
	body, err := r.do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }() // it was only read
	return io.ReadAll(body)
}

// form returns the fields of a request, without the recording.
func (r *Recognizer) form(q question) []whispermodel.Field {
	fields := []whispermodel.Field{{Name: "model", Value: r.model}}
	add := func(name, value string) { fields = append(fields, whispermodel.Field{Name: name, Value: value}) }
	if q.detail != withSpeakers && !takesHints(r.model) {
		add("temperature", "0")
	}
	if q.language != "" && !takesHints(r.model) {
		add("language", subtag(q.language))
	}
	for _, l := range q.hints.languages {
		add("languages[]", l)
	}
	for _, k := range q.hints.keywords {
		add("keywords[]", k)
	}
	if q.prompt != "" {
		add("prompt", q.prompt)
	}
	switch q.detail {
	case withSpeakers:
		add("response_format", "diarized_json")
		add("chunking_strategy", "auto") // required for more than half a minute
		for _, v := range q.voices {
			add("known_speaker_names[]", v.name)
			add("known_speaker_references[]", v.clip)
		}
	case withWords:
		add("response_format", "verbose_json")
		add("timestamp_granularities[]", "segment")
		add("timestamp_granularities[]", "word")
	case withSegments:
		add("response_format", "verbose_json")
	case textOnly:
		add("response_format", "json")
	}
	return fields
}
