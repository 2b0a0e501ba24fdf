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
)

const (
	maxAnswer  = 16 << 20 // ten minutes with words are below 1 MB
	maxRefusal = 64 << 10
	dialTime   = 10 * time.Second
)

// detail is how much the endpoint is asked to tell about the text.
type detail int32

const (
	withWords    detail = iota // segments and words
	withSegments               // what it tells without being asked for words
	textOnly                   // text without times
)

// tellsNoTimes reports whether a model tells no times: the hosted ones that are
// no whisper.
func tellsNoTimes(model string) bool {
	return strings.HasPrefix(model, "gpt-")
}

// takesPrompts reports whether a model takes a prompt: all do but the hosted one that
// tells speakers apart.
func takesPrompts(model string) bool {
	return !strings.HasSuffix(model, "-diarize")
}

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

// transcribe asks for the text of a WAV and returns the answer. What an endpoint
// has once refused to tell it is not asked for again. A prompt that it refuses it is
// asked without, and the next one it gets again: this one may have been too long for it.
func (r *Recognizer) transcribe(ctx context.Context, rec *recording, language, prompt string) (body []byte, prompted bool, err error) {
	for {
		asked := detail(r.detail.Load())
		body, err := r.send(ctx, io.NewSectionReader(rec, 0, rec.size), language, prompt, asked)
		if less, ok := lower(asked, err); ok {
			r.detail.CompareAndSwap(int32(asked), int32(less)) // or another call has lowered it
			continue
		}
		if prompt == "" || !refusesPrompt(err) {
			return body, prompt != "", err
		}
		prompt = ""
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
	case asked == withWords && refused.mentions("granularit"):
		return withSegments, true
	case refused.mentions("response_format", "verbose_json", "granularit"):
		return textOnly, true
	}
	return asked, false
}

func (r *Recognizer) send(ctx context.Context, wav io.Reader, language, prompt string, d detail) ([]byte, error) {
	params := sdk.AudioTranscriptionNewParams{
		File:        sdk.File(wav, "audio.wav", "audio/wav"),
		Model:       r.model,
		Temperature: sdk.Float(0),
	}
	if language != "" {
		params.Language = sdk.String(subtag(language))
	}
	if prompt != "" {
		params.Prompt = sdk.String(prompt)
	}
	switch d {
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
