// Package fasterwhisper recognizes English with faster-whisper and the model tiny.en, offline, in
// a Python environment that holds the packages of requirements.txt. make setup installs this
// environment in a checkout.
//
//	recognizer, err := fasterwhisper.New(host, fasterwhisper.Options{Python: "/srv/whisper/bin/python"})
//	heard, err := recognizer.Recognize(ctx, audio, engine.RecognizeOptions{})
//
// The recognizer starts servers with OpenAI's API, as confined programs of the host,
// and asks them through package openai. A server listens on no address: the connection
// is its standard input and output. It exits half a minute after its last recording.
package fasterwhisper

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/openai"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	name  = "faster-whisper"
	model = "tiny.en"
	// The server is named as a host only because a request needs one.
	baseURL = "http://faster-whisper/v1"
	// bestChunk is short, because the server reports no progress within a chunk, and loads the
	// model only once.
	bestChunk = time.Minute
	window    = 30 * time.Second
	idleTime  = 30 * time.Second
	// A server takes 250 MB of memory.
	mostServers = 4
)

// Options configure a [Recognizer]. Python is required.
type Options struct {
	// Python is the absolute path of the environment's interpreter: ENVIRONMENT/bin/python.
	Python string
}

// Recognizer implements [engine.Recognizer] and [engine.Checker]. It is safe for concurrent use: a
// call has a server of its own, with one thread. As many calls run at once as there are
// processors, at most four; further calls wait. It needs no closing.
type Recognizer struct {
	python string
	host   engine.Host
	asks   *openai.Recognizer
	turns  chan struct{} // holds a token for each running call
}

var (
	_ engine.Recognizer = (*Recognizer)(nil)
	_ engine.Checker    = (*Recognizer)(nil)
)

// New returns a recognizer that runs its program on host. New itself starts nothing and
// does not use host. [Recognizer.Check] checks whether the environment exists.
func New(host engine.Host, o Options) (*Recognizer, error) {
	if !filepath.IsAbs(o.Python) {
		return nil, errors.New("fasterwhisper: Python is not an absolute path")
	}
	r := &Recognizer{python: o.Python, host: host, turns: make(chan struct{}, min(runtime.GOMAXPROCS(0), mostServers))}
	var err error
	r.asks, err = openai.New(openai.Options{BaseURL: baseURL, Model: model, HTTP: &http.Client{
		Transport: &http.Transport{DialContext: r.start, MaxIdleConnsPerHost: mostServers, IdleConnTimeout: idleTime},
	}})
	return r, err
}

// Info describes the recognizer.
func (r *Recognizer) Info() engine.RecognizerInfo {
	return engine.RecognizerInfo{
		Name:      name,
		Model:     model,
		Quality:   "fair: English only, and of clear real speech about one word in fifteen is wrong",
		Languages: []string{"en"},
		Chunk:     bestChunk,
		MaxChunk:  r.asks.Info().MaxChunk,
		Window:    window,
		Prompts:   true,
	}
}

// Check looks for the interpreter. Its error is a CONFIG_ERROR.
func (r *Recognizer) Check(context.Context) error {
	if _, err := r.host.Programs.Look(r.python); err != nil {
		return transcript.Errorf(transcript.ConfigError, "%s is not installed: run make setup in the checkout.", name).
			With("engine", name).Because(err)
	}
	return nil
}

// Recognize recognizes English. Its segments have words with their probabilities. A prompt guides
// each half minute. Progress is called once, at the end.
//
// Errors: Another language is NOT_IMPLEMENTED. A missing interpreter is CONFIG_ERROR. A recording
// that cannot be read, and a failing program, are INTERNAL. Otherwise the error is the context's.
func (r *Recognizer) Recognize(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
	if !isEnglish(opts.Language) {
		return engine.Recognition{}, transcript.Errorf(transcript.NotImplemented, "The model %s recognizes English only.", model).
			With("language", opts.Language).With("engine", name)
	}
	if err := r.Check(ctx); err != nil {
		return engine.Recognition{}, err
	}
	select {
	case r.turns <- struct{}{}:
	case <-ctx.Done():
		return engine.Recognition{}, context.Cause(ctx)
	}
	defer func() { <-r.turns }()
	heard, err := r.asks.Recognize(ctx, audio, opts)
	if ctx.Err() == nil && errors.Is(err, transcript.UpstreamFailed) { // the program ended, or said nothing for too long
		err = transcript.Errorf(transcript.Internal, "Speech recognition failed.").With("engine", name).Because(err)
	}
	return heard, err
}

// isEnglish reports whether a tag is absent or one of English.
func isEnglish(tag string) bool {
	language, _, _ := strings.Cut(tag, "-")
	return language == "" || strings.EqualFold(language, "en")
}
