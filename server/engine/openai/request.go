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
	maxAnswer  = 16 << 20 // ten minutes with words are below 1 MB
	maxRefusal = 64 << 10
	dialTime   = 10 * time.Second
)

// detail is how much the endpoint is asked to tell about the text.
type detail int32

const (
	withSpeakers detail = iota // segments and who speaks in them
	withWords                  // segments and words
	withSegments               // what it tells without being asked for words
	textOnly                   // text without times
)

// tellsNoTimes reports whether a model tells no times: the hosted ones that are
// no whisper.
func tellsNoTimes(model string) bool {
	return strings.HasPrefix(model, "gpt-")
}

// takesPrompts reports whether a model takes a prompt: all do but the hosted one that
// tells speakers.
func takesPrompts(model string) bool { return !diarizes(model) }

// requestOptions make every request to base one that is sent once, to that host
// and no other.
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
		option.WithMaxRetries(0), // whoever calls knows better when to try again
		option.WithMiddleware(judge),
	}
	if key != "" {
		options = append(options, option.WithAPIKey(key))
	}
	return options
}

// judge lets answers of status 200 pass, bounded. The others become a *refusal
// here, as the SDK reads them without a bound and understands JSON only.
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

// question is what a request asks.
type question struct {
	rec              *recording
	language, prompt string
	voices           []reference
	detail           detail
}

// asked is what the endpoint is asked for now.
func (r *Recognizer) asked() detail { return detail(r.detail.Load()) }

// transcribe asks for the text of a WAV, and returns the answer with the question that
// it was given to. What an endpoint has once refused to tell it is not asked for again.
// A prompt or voices that it refuses it is asked without, and the next ones it gets again:
// these may have been too long for it.
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

// refusesPrompt reports whether the endpoint takes no prompt, or not this one.
func refusesPrompt(err error) bool {
	var refused *refusal
	return errors.As(err, &refused) && refused.badRequest() && refused.mentions("prompt")
}

// lower is what to ask for instead, when the endpoint has refused to tell as much
// as it was asked for.
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
		params.ChunkingStrategy.OfAuto = constant.ValueOf[constant.Auto]() // wanted for more than half a minute
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
	var body []byte // the SDK's own type takes no answer that is not labeled as JSON
	_, err := r.transcriptions.New(ctx, params, option.WithResponseBodyInto(&body))
	return body, err
}
