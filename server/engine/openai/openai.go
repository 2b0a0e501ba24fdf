// Package openai recognizes speech with any endpoint that speaks the transcription
// API of OpenAI, hosted or on a machine of one's own.
//
//	recognizer, err := openai.New(openai.Options{
//		BaseURL: "http://127.0.0.1:8000/v1",
//		Model:   "whisper-1",
//	})
//	heard, err := recognizer.Recognize(ctx, audio, engine.RecognizeOptions{})
//
// Each call is one request that carries the recording and nothing of what was
// heard before it. The package asks no other host, follows no redirect, sends no
// request twice on its own account, and reads no environment variable.
package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/openai/openai-go/v3"

	"github.com/transcriptkit/transcriptkit/internal/redact"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/checking"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	name = "openai"

	// DefaultModel is the model where [Options] name none.
	DefaultModel = "whisper-1"
	// DefaultMaxBytes is the upload limit of the hosted service: 25 MiB.
	DefaultMaxBytes = 25 << 20

	headRoom       = 64 << 10 // for what is sent around the samples, some 2 kB, and for what they are rounded by
	bytesPerSecond = 2 * speech.SampleRate
	longestChunk   = 10 * time.Minute
	textChunk      = 30 * time.Second
	// A request has its price, whatever it holds, and most models are whisper's, which
	// work on half a minute at once.
	bestChunk = 2 * time.Minute
	window    = 30 * time.Second
	// leastAudio is what the hosted service takes: there is no word in less.
	leastAudio = 100 * time.Millisecond
)

// Options say which endpoint to ask and how. BaseURL is required.
type Options struct {
	// BaseURL is the address above "audio/transcriptions", http or https, without
	// query, user or password: "http://127.0.0.1:8000/v1".
	BaseURL string
	// Model is the endpoint's name of the model; empty means [DefaultModel].
	Model string
	// Speakers asks the endpoint who speaks, with the response format diarized_json. A
	// model that has "diarize" in its name is asked without.
	Speakers bool
	// Key is sent as bearer token; empty sends none. It is not shown when options
	// are printed or marshaled.
	Key string `json:"-"`
	// MaxBytes is the largest upload that the endpoint takes, in bytes; 0 means
	// [DefaultMaxBytes]. A call holds at most as much in memory, some twice over:
	// the SDK writes the whole request before it sends it.
	MaxBytes int64
	// CheckTimeout is how long the endpoint may take to answer [Recognizer.Check]; 0
	// means 4 seconds.
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

// Recognizer implements [engine.Recognizer] and [engine.Checker]. Safe for
// concurrent use; it needs no closing.
type Recognizer struct {
	base           string // for messages
	model          string
	maxBytes       int64
	speakers       bool
	checkTimeout   time.Duration
	transcriptions sdk.AudioTranscriptionService
	models         sdk.ModelService
	scrub          func(string) string // takes the key out of a text; a func, as that prints as none
	// detail is what the endpoint is asked for: less once it has refused more.
	detail atomic.Int32
}

var (
	_ engine.Recognizer = (*Recognizer)(nil)
	_ engine.Checker    = (*Recognizer)(nil)
)

// New returns a recognizer. It asks nothing of the endpoint: [Recognizer.Check]
// does. The error says which option cannot be used, and never holds the key.
func New(o Options) (*Recognizer, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil { // the error repeats the address, and a password with it
		return nil, errors.New("openai: the base URL is no address")
	}
	if base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, fmt.Errorf("openai: the base URL %q is not of the form http://host/path, with nothing else in it", base.Redacted())
	}
	if strings.ContainsFunc(o.Key, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return nil, errors.New("openai: the key holds characters that no key has, perhaps a line's end")
	}
	maxBytes := cmp.Or(o.MaxBytes, DefaultMaxBytes)
	if maxBytes < headRoom+bytesPerSecond {
		return nil, fmt.Errorf("openai: uploads of at most %d bytes do not hold a second of sound: %d is the least", maxBytes, headRoom+bytesPerSecond)
	}
	if o.CheckTimeout < 0 {
		return nil, fmt.Errorf("openai: CheckTimeout is %s: it must not be negative", o.CheckTimeout)
	}
	base.Path = strings.TrimRight(base.Path, "/") + "/" // the SDK sets paths relative to it
	options := requestOptions(base.String(), o.Key, o.HTTP)
	r := &Recognizer{
		base:           base.String(),
		model:          cmp.Or(o.Model, DefaultModel),
		maxBytes:       maxBytes,
		speakers:       o.Speakers || diarizes(o.Model),
		checkTimeout:   cmp.Or(o.CheckTimeout, checking.DefaultPatience),
		transcriptions: sdk.NewAudioTranscriptionService(options...),
		models:         sdk.NewModelService(options...),
		scrub:          scrubber(o.Key),
	}
	r.detail.Store(int32(r.most()))
	return r, nil
}

// most is all that the endpoint is asked for.
func (r *Recognizer) most() detail {
	switch {
	case r.speakers:
		return withSpeakers
	case tellsNoTimes(r.model):
		return textOnly
	}
	return withWords
}

func scrubber(key string) func(string) string {
	if key == "" {
		return func(s string) string { return s }
	}
	return func(s string) string { return strings.ReplaceAll(s, key, "[key]") }
}

// Info describes the recognizer. MaxChunk is what fits into Options.MaxBytes, at
// most 10 minutes; it is 30 seconds for models that tell no times, whose text is
// one segment over the whole chunk. One that tells speakers is sent as much as can be,
// at most 20 minutes, and takes four voices. The others are taken for whisper's, with
// its window.
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
		// Whatever a request holds, its speakers have to be known again in the next one:
		// the fewest are the best.
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

// Recognize sends the whole recording. Its segments have words and confidence
// where the endpoint tells them; one without length lasts until the next, or joins
// it. What the endpoint itself takes for silence is
// left out: a probability of no speech above 0.6 with a mean log probability below
// -1, which is whisper's own rule. Who speaks is told where Options.Speakers has it
// asked for, unless the endpoint refuses to tell; voices are sent along, as many as fit,
// unless it refuses these. Audio of less than a tenth of a second is
// silence and not sent. Progress is told once, at the end.
//
// Errors: CONFIG_ERROR for a wrong address, model or key, an account without
// credit and a request that the endpoint refuses for good; NOT_IMPLEMENTED for a
// language that it refuses; MEDIA_TOO_LARGE for a recording over the upload limit,
// the endpoint's or Options.MaxBytes; RATE_LIMITED with RetryAfter; UPSTREAM_FAILED
// for an endpoint that cannot be reached, breaks off, fails, answers with
// something else, or takes longer than 5 minutes and 10 times the audio; INTERNAL
// for a recording that cannot be read. When ctx ends, the error is its cause.
func (r *Recognizer) Recognize(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
	if ctx.Err() != nil {
		return engine.Recognition{}, context.Cause(ctx)
	}
	rec, err := open(audio.Path)
	if err != nil {
		return engine.Recognition{}, transcript.Errorf(transcript.Internal, "The recording cannot be read.").Because(err)
	}
	defer func() { _ = rec.Close() }() // it was only read

	heard := engine.Recognition{Language: opts.Language, KnowsVoices: r.asked() == withSpeakers}
	if rec.length >= leastAudio {
		if heard, err = r.recognize(ctx, rec, opts); err != nil {
			return engine.Recognition{}, err
		}
	}
	if opts.Progress != nil {
		opts.Progress(rec.length)
	}
	return heard, nil
}

func (r *Recognizer) recognize(ctx context.Context, rec *recording, opts engine.RecognizeOptions) (engine.Recognition, error) {
	if rec.size+headRoom/2 > r.maxBytes {
		return engine.Recognition{}, tooLarge(r.maxBytes)
	}
	q := question{rec: rec, language: opts.Language}
	if takesPrompts(r.model) {
		q.prompt = opts.Prompt
	}
	var err error
	if q.voices, err = references(opts.Voices, r.maxBytes-rec.size-headRoom/2); err != nil {
		return engine.Recognition{}, err
	}
	patient, cancel := context.WithTimeout(ctx, 5*time.Minute+10*rec.length)
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
		Segments:    answer.segments(rec.length.Seconds()),
		Language:    heardLanguage(answer.language(), opts.Language),
		Prompted:    answered.prompt != "",
		KnowsVoices: answered.detail == withSpeakers && (len(answered.voices) > 0 || len(q.voices) == 0),
	}, nil
}

// recording is an open WAV.
type recording struct {
	*os.File
	size   int64
	length time.Duration
}

func open(path string) (*recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("openai: open recording: %w", err)
	}
	rec := &recording{File: f}
	if err := rec.measure(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return rec, nil
}

func (r *recording) measure() error {
	st, err := r.Stat()
	if err != nil {
		return fmt.Errorf("openai: open recording: %w", err)
	}
	wav, err := speech.NewRecording(r, st.Size())
	if err != nil {
		return err
	}
	r.size, r.length = st.Size(), wav.Duration()
	return nil
}
