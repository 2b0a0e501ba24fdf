package whisper

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/redact"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/checking"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	serverName = "whisper-server"
	// formSize is more bytes than a request has beside the recording.
	formSize = 8192
	// A normalized recording has a header and then so many bytes in a second.
	headerSize     = 44
	bytesPerSecond = 2 * speech.SampleRate
)

// ServerOptions say which server a [Server] asks.
type ServerOptions struct {
	// URL is the address, http or https. One without a path gets the server's own,
	// /inference; a path is used as it is. A user and password in it are sent.
	URL string
	// Model is the name of what the server has loaded, which it does not tell; it is
	// for people only and may be empty.
	Model string
	// HTTP sends the requests; redirects are not followed. nil means a client of its
	// own, which heeds no proxy of the environment. Give it no timeout: a request
	// lasts as long as the recognition.
	HTTP *http.Client `json:"-"`
	// CheckTimeout is how long the server may take to answer [Server.Check]; 0 means 4
	// seconds.
	CheckTimeout time.Duration
	// MaxBytes is the largest request that the server, or what stands before it,
	// accepts, in bytes; 0 means any. It sets the longest chunk: a second has 32,000
	// bytes.
	MaxBytes int64
}

// Format prints the options without user, password and query of the URL.
func (o ServerOptions) Format(s fmt.State, verb rune) {
	redact.Print(s, verb, o.shown())
}

// MarshalJSON is Format for JSON.
func (o ServerOptions) MarshalJSON() ([]byte, error) { return json.Marshal(o.shown()) }

// shownOptions are ServerOptions without their methods.
type shownOptions ServerOptions

func (o ServerOptions) shown() shownOptions {
	o.URL = redact.URL(o.URL)
	return shownOptions(o)
}

// Server implements [engine.Recognizer] and [engine.Checker] with a running
// whisper-server. Safe for concurrent use: the server recognizes one recording at
// a time, so one request is sent at a time and the others wait here, where their
// time does not run.
//
// The server has no password and loads any file that it is told to: it must be
// reachable by this service only.
type Server struct {
	http      *http.Client
	host      string        // for messages
	inference func() string // they may hold a password; funcs, as these print as none
	health    func() string
	model     string
	maxBytes  int64
	patience  time.Duration // of a check
	turn      chan struct{} // holds a token while a request is under way
}

var (
	_ engine.Recognizer = (*Server)(nil)
	_ engine.Checker    = (*Server)(nil)
)

// NewServer returns a recognizer that asks a server. Whether that is there shows
// in [Server.Check]. The error says which option cannot be used, and repeats nothing
// of the URL.
func NewServer(o ServerOptions) (*Server, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("whisper: the server's URL is no http or https address") // err would show it
	}
	if least := int64(formSize + headerSize + bytesPerSecond); o.MaxBytes != 0 && o.MaxBytes < least {
		return nil, fmt.Errorf("whisper: uploads of at most %d bytes do not hold a second of sound: %d is the least", o.MaxBytes, least)
	}
	if o.CheckTimeout < 0 {
		return nil, fmt.Errorf("whisper: CheckTimeout is %s: it must not be negative", o.CheckTimeout)
	}
	s := &Server{
		http:     &http.Client{Transport: direct()},
		host:     u.Host,
		model:    o.Model,
		maxBytes: o.MaxBytes,
		patience: cmp.Or(o.CheckTimeout, checking.DefaultPatience),
		turn:     make(chan struct{}, 1),
	}
	if o.HTTP != nil {
		own := *o.HTTP
		s.http = &own
	}
	s.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	u.Fragment = ""
	s.inference, s.health = addresses(u)
	return s, nil
}

// addresses are where a recording and where the state is asked for.
func addresses(u *url.URL) (inference, health func() string) {
	const own = "/inference"
	asks := *u
	if asks.Path == "" || asks.Path == "/" {
		asks.Path, asks.RawPath = own, ""
	}
	state := asks
	base, _ := strings.CutSuffix(asks.Path, own)
	if base == asks.Path {
		base = "" // a path of another name: its state is still told beside the root
	}
	state.Path, state.RawPath, state.RawQuery = base+"/health", "", ""
	return asks.String, state.String
}

// direct is a transport without a proxy.
func direct() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
	}
}

// Info describes the recognizer. The server may have any model: a language that it
// turns out not to know is an error of the call.
func (s *Server) Info() engine.RecognizerInfo {
	info := engine.RecognizerInfo{
		Name:      serverName,
		Model:     s.model,
		Quality:   "as good as the model that the server has loaded",
		Languages: whispermodel.Tags(),
		Detects:   true,
		Window:    window,
		Prompts:   true,
	}
	if s.maxBytes > 0 {
		info.MaxChunk = time.Duration((s.maxBytes-formSize-headerSize)/bytesPerSecond) * time.Second
	}
	return info
}

// Check asks the server for its state, for at most ServerOptions.CheckTimeout. The error
// is an UPSTREAM_FAILED for one that cannot be reached or fails, a RATE_LIMITED for one
// that takes the connection and does not answer in time, as one that works on a recording
// may, a CONFIG_ERROR for one that wants to know who asks or does not say that it is
// ready, as one without a model or one from before 2024 does; or the context's.
func (s *Server) Check(ctx context.Context) error {
	var unfit error
	busy, err := checking.Ask(ctx, s.patience, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.health(), nil)
		if err != nil {
			return err
		}
		req.Close = true
		resp, err := s.http.Do(req)
		if err != nil {
			return err
		}
		defer func() { _ = resp.Body.Close() }() // it was only read
		unfit = s.judge(resp)
		return nil
	})
	switch {
	case err == nil:
		return unfit
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case busy:
		return transcript.Errorf(transcript.RateLimited, "The speech recognition server at %s takes connections, and has not answered within %s: it may be busy. If it always is, raise the time that a check may take.", s.host, s.patience).
			With("engine", serverName).Because(withoutURL(err))
	}
	return s.away(withoutURL(err))
}

// judge reads the state from an answer.
func (s *Server) judge(resp *http.Response) error {
	switch code := resp.StatusCode; {
	case code == http.StatusOK:
		return nil
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return refused(resp, "")
	case code >= 500:
		return s.away(complaint(resp, ""))
	}
	// It says 404 while it has no model.
	return transcript.Errorf(transcript.ConfigError, "The server at %s does not say that it recognizes speech: start whisper-server with a model.", s.host).
		With("engine", serverName).Because(complaint(resp, ""))
}

func (s *Server) away(err error) error {
	return upstream("The speech recognition server at " + s.host + " cannot be reached, or fails: start whisper-server with a model.").
		Because(fmt.Errorf("whisper: %w", err))
}

func upstream(message string) *transcript.Error {
	return transcript.Errorf(transcript.UpstreamFailed, "%s", message).With("engine", serverName)
}

// Recognize sends the recording to the server, when it is its turn. Its segments
// are whisper's, cut to the audio, with words where the server tells their times;
// one without length lasts until the next, or joins it. The server tells no
// progress: all is done at once.
//
// Errors: NOT_IMPLEMENTED for a language that whisper or the server's model does
// not know, MEDIA_TOO_LARGE for more than the server accepts, CONFIG_ERROR for a
// server that refuses, RATE_LIMITED, UPSTREAM_FAILED for one that cannot be
// reached or fails, INTERNAL for a recording that cannot be read; or the
// context's.
func (s *Server) Recognize(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
	code, known := whispermodel.Code(opts.Language)
	if opts.Language != "" && !known {
		return engine.Recognition{}, unknownLanguage(serverName, opts.Language)
	}
	rec, err := openUpload(audio.Path)
	if err != nil {
		return engine.Recognition{}, unreadable(err)
	}
	defer rec.close()
	if ctx.Err() != nil {
		return engine.Recognition{}, context.Cause(ctx)
	}
	heard := engine.Recognition{Language: opts.Language}
	if rec.length >= shortest {
		result, err := s.inTurn(ctx, rec, code, opts.Prompt)
		if err != nil {
			return engine.Recognition{}, err
		}
		if heard, err = result.recognition(opts.Language, code, rec.length); err != nil {
			return engine.Recognition{}, err
		}
		heard.Prompted = opts.Prompt != ""
	}
	finished(opts, rec.length)
	return heard, nil
}

// inTurn sends the recording once no other one is under way.
func (s *Server) inTurn(ctx context.Context, rec *upload, code, prompt string) (answer, error) {
	if s.maxBytes > 0 && rec.size+formSize > s.maxBytes {
		return answer{}, tooLarge(fmt.Errorf("a recording of %d bytes in a request of at most %d", rec.size, s.maxBytes))
	}
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return answer{}, context.Cause(ctx)
	}
	defer func() { <-s.turn }()
	return s.send(ctx, rec, code, prompt)
}
