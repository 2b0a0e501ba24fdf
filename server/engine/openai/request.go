package openai

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared/constant"
)

const (
	maxAnswer  = 16 << 20 // ten minutes with words take less than 1 MB
	maxRefusal = 64 << 10
	dialTime   = 10 * time.Second
)

// detail is how much a request asks the endpoint to tell about the text.
type detail int32

const (
	withSpeakers detail = iota // segments and their speakers
	withWords                  // segments and words
	withSegments               // segments, and words only if the endpoint adds them
	textOnly                   // text without times
)

// tellsNoTimes reports whether a model tells no times: the hosted models except whisper.
func tellsNoTimes(model string) bool {
	return strings.HasPrefix(model, "gpt-")
}

// takesPrompts reports whether a model takes a prompt: all models do, except the hosted one
// that tells speakers apart.
func takesPrompts(model string) bool { return !diarizes(model) }

// requestOptions make the SDK send every request to base once, and to no other host.
func requestOptions(base, key string, client *http.Client) []option.RequestOption {
	own := http.Client{Transport: &http.Transport{ // no Proxy: the environment is not asked
		DialContext:            (&net.Dialer{Timeout: dialTime}).DialContext,
		TLSHandshakeTimeout:    dialTime,
		IdleConnTimeout:        time.Minute,
		MaxResponseHeaderBytes: maxRefusal,
		ForceAttemptHTTP2:      true,
	}}
	if client != nil {
		own = *client
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	options := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithHTTPClient(&own),
		option.WithMaxRetries(0), // the caller knows better when to try again
		option.WithMiddleware(judge),
	}
	if key != "" {
		options = append(options, option.WithAPIKey(key))
	}
	return options
}

// judge passes answers of status 200, with a bounded body. It turns other answers into a
// *refusal here, because the SDK would read them without a bound and understands only JSON.
func judge(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	resp, err := next(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer func() { _ = resp.Body.Close() }() // it was only read
		return nil, readRefusal(resp)
	}
	resp.Body = http.MaxBytesReader(nil, resp.Body, maxAnswer)
	return resp, nil
}

// question holds the parameters of one request.
type question struct {
	rec              *recording
	language, prompt string
	voices           []reference
	detail           detail
}

// asked returns how much detail requests ask for now.
func (r *Recognizer) asked() detail { return detail(r.detail.Load()) }

// transcribe asks for the text of a WAV. It returns the answer and the question that was
// answered. After the endpoint has refused a detail, no later request asks for that detail. If
// the endpoint refuses a prompt or voices, transcribe asks again without them; later requests
// have theirs, because these ones may only have been too long.
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

func (r *Recognizer) send(ctx context.Context, q question) ([]byte, error) {
	params := sdk.AudioTranscriptionNewParams{
		File:  sdk.File(io.NewSectionReader(q.rec, 0, q.rec.size), "audio.wav", "audio/wav"),
		Model: r.model,
	}
	if q.detail != withSpeakers {
		params.Temperature = sdk.Float(0)
	}
	if q.language != "" {
		params.Language = sdk.String(subtag(q.language))
	}
	if q.prompt != "" {
		params.Prompt = sdk.String(q.prompt)
	}
	switch q.detail {
	case withSpeakers:
		params.ResponseFormat = sdk.AudioResponseFormatDiarizedJSON
		params.ChunkingStrategy.OfAuto = constant.ValueOf[constant.Auto]() // required for more than half a minute of audio
		for _, v := range q.voices {
			params.KnownSpeakerNames = append(params.KnownSpeakerNames, v.name)
			params.KnownSpeakerReferences = append(params.KnownSpeakerReferences, v.clip)
		}
	case withWords:
		params.ResponseFormat = sdk.AudioResponseFormatVerboseJSON
		params.TimestampGranularities = []string{"segment", "word"}
	case withSegments:
		params.ResponseFormat = sdk.AudioResponseFormatVerboseJSON
	case textOnly:
		params.ResponseFormat = sdk.AudioResponseFormatJSON
	}
	var body []byte // the SDK's own type rejects an answer that is not labeled as JSON
	_, err := r.transcriptions.New(ctx, params, option.WithResponseBodyInto(&body))
	return body, err
}
