// Package openai recognizes speech with any endpoint that has the transcription API of
// OpenAI, hosted or on your own machine.
//
//	recognizer, err := openai.New(openai.Options{
//		BaseURL: "http://127.0.0.1:8000/v1",
//		Model:   "whisper-1",
//	})
//	heard, err := recognizer.Recognize(ctx, audio, engine.RecognizeOptions{})
//
// Each call is one request that carries the recording and no text of earlier calls. The
// package sends requests to no other host, follows no redirect, and reads no
// environment variable. It repeats a request only to leave out parameters that the
// endpoint refuses.
package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/redact"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	name = "openai"

	// DefaultModel is used if [Options] names no model.
	DefaultModel = "whisper-1"
	// DefaultMaxBytes is the upload limit of the hosted service: 25 MiB.
	DefaultMaxBytes = 25 << 20

	headRoom       = 64 << 10 // for the form around the samples, some 2 kB, and for rounding
	bytesPerSecond = 2 * speech.SampleRate
	longestChunk   = 10 * time.Minute
	textChunk      = 30 * time.Second
	// Endpoints charge for each request, long or short, and most models are whisper's, which
	// work on half a minute at once.
	bestChunk = 2 * time.Minute
	window    = 30 * time.Second
	// leastAudio is the shortest audio that the hosted service accepts. Shorter audio contains
	// no word.
	leastAudio = 100 * time.Millisecond
)

// Options configure a [Recognizer]. BaseURL is required.
type Options struct {
	// BaseURL is the address above "audio/transcriptions", http or https, without
	// query, user or password: "http://127.0.0.1:8000/v1".
	BaseURL string
	// Model is the endpoint's name for the model; empty means [DefaultModel].
	Model string
	// Speakers makes the endpoint distinguish speakers, with the response format
	// diarized_json. For a model with "diarize" in its name, the package always does
	// that.
	Speakers bool
	// Key is sent as bearer token; empty sends none. Printing or marshaling the options does
	// not show it.
	Key string `json:"-"`
	// MaxBytes is the largest upload that the endpoint accepts, in bytes; 0 means
	// [DefaultMaxBytes]. The recording is read from the disk while it is sent.
	MaxBytes int64
	// CheckTimeout is the longest time that [Recognizer.Check] waits for the endpoint;
	// 0 means 4 seconds.
	CheckTimeout time.Duration
	// HTTP sends the requests; nil means a client that uses no proxy. Its policy
	// for redirects is not used.
	HTTP *http.Client `json:"-"`
}

// Format prints the options without the key.
func (o Options) Format(s fmt.State, verb rune) {
	type shown Options // has no methods
	o.Key = redact.Text(o.Key)
	redact.Print(s, verb, shown(o))
}

// Recognizer implements [engine.Recognizer] and [engine.Checker]. It is safe for concurrent use
// and needs no closing.
type Recognizer struct {
	base         string // ends with a slash
	model        string
	maxBytes     int64
	speakers     bool
	checkTimeout time.Duration
	http         *http.Client
	authorize    func(*http.Request) // adds the key to a request; a func, because printing it shows no key
	scrub        func(string) string // takes the key out of a text
	// detail is how much detail requests ask for. It is lowered when the endpoint refuses.
	detail atomic.Int32
}

var (
	_ engine.Recognizer = (*Recognizer)(nil)
	_ engine.Checker    = (*Recognizer)(nil)
)

// New returns a recognizer. It sends no request; [Recognizer.Check] does. The error names the
// invalid option and never holds the key.
func New(o Options) (*Recognizer, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil { // the error repeats the address, and a password with it
		return nil, errors.New("openai: the base URL is no address")
	}
	if base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, fmt.Errorf("openai: the base URL %q is not of the form http://host/path, with nothing else in it", base.Redacted())
	}
	if strings.ContainsFunc(o.Key, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return nil, errors.New("openai: the key holds invalid characters, perhaps a line break")
	}
	maxBytes := cmp.Or(o.MaxBytes, DefaultMaxBytes)
	if maxBytes < headRoom+bytesPerSecond {
		return nil, fmt.Errorf("openai: uploads of at most %d bytes do not hold a second of sound: %d is the least", maxBytes, headRoom+bytesPerSecond)
	}
	if o.CheckTimeout < 0 {
		return nil, fmt.Errorf("openai: CheckTimeout is %s: it must not be negative", o.CheckTimeout)
	}
	base.Path = strings.TrimRight(base.Path, "/") + "/"
	r := &Recognizer{
		base:         base.String(),
		model:        cmp.Or(o.Model, DefaultModel),
		maxBytes:     maxBytes,
		speakers:     o.Speakers || diarizes(o.Model),
		checkTimeout: cmp.Or(o.CheckTimeout, whispermodel.DefaultPatience),
		http:         httpClient(o.HTTP),
		authorize:    authorizer(o.Key),
		scrub:        scrubber(o.Key),
	}
	r.detail.Store(int32(r.most()))
	return r, nil
}

// most returns the most detail that requests ask for.
func (r *Recognizer) most() detail {
	switch {
	case r.speakers:
		return withSpeakers
	case tellsNoTimes(r.model):
		return textOnly
	}
	return withWords
}

func authorizer(key string) func(*http.Request) {
	return func(r *http.Request) {
		if key != "" {
			r.Header.Set("Authorization", "Bearer "+key)
		}
	}
}

func scrubber(key string) func(string) string {
	if key == "" {
		return func(s string) string { return s }
	}
	return func(s string) string { return strings.ReplaceAll(s, key, "[key]") }
}

// Info describes the recognizer. MaxChunk is the audio that fits into Options.MaxBytes,
// at most 10 minutes. It is 30 seconds for models that return no times, because their
// text is one segment over the whole chunk. A model that distinguishes speakers gets
// the longest possible chunks, up to 20 minutes, and four voices. All other models are
// treated like Whisper, with Whisper's window.
func (r *Recognizer) Info() engine.RecognizerInfo {
	info := engine.RecognizerInfo{
		Name:     name,
		Model:    r.model,
		Quality:  "as good as the endpoint's model",
		Detects:  true,
		MaxChunk: longestChunk,
		Prompts:  takesPrompts(r.model),
	}
	switch r.most() {
	case withSpeakers:
		info.Speakers, info.Voices = true, mostVoices
		// Speakers have to be recognized again in every request, so the fewest requests are the
		// best.
		length := longestFor(r.maxBytes)
		info.Chunk, info.MaxChunk, info.Window = length, length, length
	case textOnly:
		info.MaxChunk = textChunk
	default:
		info.Chunk, info.Window = bestChunk, window
	}
	info.MaxChunk = min(info.MaxChunk, time.Duration((r.maxBytes-headRoom)/bytesPerSecond)*time.Second)
	return info
}

// Recognize sends the whole recording. Its segments have words and confidence if the
// endpoint returns them. A segment without length is extended to the next segment, or
// joined to it. Segments that the endpoint itself considers silent are left out: with a
// probability of no speech above 0.6 and a mean log probability below -1, which is
// whisper's own rule. If Options.Speakers is set, Recognize asks for speakers and sends
// as many voices as fit, until the endpoint refuses. Audio shorter than a tenth of a
// second is silence and is not sent. Progress is called once, at the end.
//
// The error has the code CONFIG_ERROR for a wrong address, model or key, an account
// without credit, and a request that the endpoint refuses permanently; NOT_IMPLEMENTED
// if the endpoint refuses the language; MEDIA_TOO_LARGE if the recording is larger than
// the endpoint or Options.MaxBytes permits; RATE_LIMITED, with RetryAfter, if there are
// too many requests; and INTERNAL if the recording cannot be read. It has the code
// UPSTREAM_FAILED if the endpoint cannot be reached, breaks off, fails, sends an
// unexpected answer, or takes longer than 5 minutes plus 10 times the audio. When ctx
// ends, the error is context.Cause(ctx).
func (r *Recognizer) Recognize(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
	if ctx.Err() != nil {
		return engine.Recognition{}, context.Cause(ctx)
	}
	rec, err := whispermodel.OpenRecording(audio.Path)
	if err != nil {
		return engine.Recognition{}, transcript.Errorf(transcript.Internal, "The recording cannot be read.").Because(err)
	}
	defer rec.Close()

	heard := engine.Recognition{Language: opts.Language, KnowsVoices: r.asked() == withSpeakers}
	if rec.Length >= leastAudio {
		if heard, err = r.recognize(ctx, rec, opts); err != nil {
			return engine.Recognition{}, err
		}
	}
	if opts.Progress != nil {
		opts.Progress(rec.Length)
	}
	return heard, nil
}

func (r *Recognizer) recognize(ctx context.Context, rec *whispermodel.Recording, opts engine.RecognizeOptions) (engine.Recognition, error) {
	if rec.Size+headRoom/2 > r.maxBytes {
		return engine.Recognition{}, tooLarge(r.maxBytes)
	}
	q := question{rec: rec, language: opts.Language}
	if takesPrompts(r.model) {
		q.prompt = opts.Prompt
	}
	if takesHints(r.model) {
		q.hints = hintsOf(opts)
	}
	var err error
	if q.voices, err = references(opts.Voices, r.maxBytes-rec.Size-headRoom/2); err != nil {
		return engine.Recognition{}, err
	}
	patient, cancel := context.WithTimeout(ctx, 5*time.Minute+10*rec.Length)
	defer cancel()
	body, answered, err := r.transcribe(patient, q)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return engine.Recognition{}, context.Cause(ctx)
	case patient.Err() != nil:
		return engine.Recognition{}, upstream("The endpoint for speech recognition did not answer in time.", err)
	default:
		return engine.Recognition{}, r.fault(err, q.language, q.prompt)
	}
	answer, err := parse(body)
	if err != nil {
		return engine.Recognition{}, upstream("The endpoint for speech recognition does not answer as it should.", err)
	}
	return engine.Recognition{
		Segments:    answer.segments(rec.Length.Seconds()),
		Language:    heardLanguage(answer.language(), opts.Language),
		Prompted:    answered.prompt != "" || len(answered.hints.keywords) > 0,
		KnowsVoices: answered.detail == withSpeakers && (len(answered.voices) > 0 || len(q.voices) == 0),
	}, nil
}
