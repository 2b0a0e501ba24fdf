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
	"github.com/transcriptkit/transcriptkit/server/engine/internal/unknownhost"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	serverName = "whisper-server"
	// formSize exceeds the bytes of a request other than the recording.
	formSize = 8192
	// A normalized recording has a header and then this many bytes per second.
	headerSize     = 44
	bytesPerSecond = 2 * speech.SampleRate
)

// ServerOptions configure a [Server].
type ServerOptions struct {
	// URL is the address, http or https. If it has no path, the server's own path /inference is
	// used. A user and password in the URL are sent.
	URL string
	// Model is the name of the model that the server has loaded, because the server
	// does not report it. It is only shown to people and may be empty.
	Model string
	// HTTP sends the requests; redirects are not followed. nil means a client without a proxy.
	// Give it no timeout: a request lasts as long as the recognition.
	HTTP *http.Client `json:"-"`
	// CheckTimeout is the longest time that [Server.Check] waits for the server; 0
	// means 4 seconds.
	CheckTimeout time.Duration
	// MaxBytes is the largest request that the server, or a proxy in front of it, accepts, in
	// bytes; 0 means no bound. It determines the longest chunk: a second has 32,000 bytes.
	MaxBytes int64
}

// Format prints the options without user, password and query of the URL.
func (o ServerOptions) Format(s fmt.State, verb rune) {
	redact.Print(s, verb, o.shown())
}

// MarshalJSON leaves out the same parts as Format.
func (o ServerOptions) MarshalJSON() ([]byte, error) { return json.Marshal(o.shown()) }

// shownOptions is ServerOptions without its methods.
type shownOptions ServerOptions

func (o ServerOptions) shown() shownOptions {
	o.URL = redact.URL(o.URL)
	return shownOptions(o)
}

// Server implements [engine.Recognizer] and [engine.Checker] with a running
// whisper-server. It is safe for concurrent use. The server recognizes one recording at
// a time, so Server sends one request at a time. Other calls wait. The time limit of a
// call begins when its request is sent.
//
// A whisper-server has no password and loads any file that a request names, so make
// sure that only this service can reach it.
type Server struct {
	http      *http.Client
	host      string        // for messages
	inference func() string // the addresses may hold a password; funcs, because printing them shows no address
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

// NewServer returns a recognizer that uses a running server. It sends no request;
// [Server.Check] does. The error names the invalid option and contains no part of the
// URL.
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
		patience: cmp.Or(o.CheckTimeout, whispermodel.DefaultPatience),
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

// addresses returns the address for recordings and the address of the server's state.
func addresses(u *url.URL) (inference, health func() string) {
	const own = "/inference"
	asks := *u
	if asks.Path == "" || asks.Path == "/" {
		asks.Path, asks.RawPath = own, ""
	}
	state := asks
	base, _ := strings.CutSuffix(asks.Path, own)
	if base == asks.Path {
		base = "" // with another path name, the state is still at the root
	}
	state.Path, state.RawPath, state.RawQuery = base+"/health", "", ""
	return asks.String, state.String
}

// direct returns a transport without a proxy.
func direct() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
	}
}

// Info describes the recognizer. The server may have any model, so a call with a language that
// the model does not know returns an error.
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

// Check requests the state of the server and waits for at most
// ServerOptions.CheckTimeout. If the server cannot be reached or fails, the code is
// UPSTREAM_FAILED. If it accepts the connection but does not answer in time, perhaps
// because it works on a recording, the code is RATE_LIMITED. If it requires credentials
// or does not report that it is ready, the code is CONFIG_ERROR: for example, it has no
// model, or it is from before 2024. Otherwise the error is the context's.
func (s *Server) Check(ctx context.Context) error {
	var unfit error
	busy, err := whispermodel.AskServer(ctx, s.patience, func(ctx context.Context) error {
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
	// The server answers 404 while it has no model.
	return transcript.Errorf(transcript.ConfigError, "The server at %s does not report that it is ready to recognize speech: start whisper-server with a model.", s.host).
		With("engine", serverName).Because(complaint(resp, ""))
}

func (s *Server) away(err error) error {
	if unknown := unknownhost.Of(err); unknown != nil {
		return unknown.With("engine", serverName)
	}
	return upstream("The speech recognition server at " + s.host + " cannot be reached, or fails: start whisper-server with a model.").
		Because(fmt.Errorf("whisper: %w", err))
}

func upstream(message string) *transcript.Error {
	return transcript.Errorf(transcript.UpstreamFailed, "%s", message).With("engine", serverName)
}

// Recognize waits for its turn and sends the recording to the server. Its segments are
// those of the server, cut to the audio, with words if the server returns their times.
// A segment without length is extended to the next segment, or joined to it. The server
// reports no progress, so Progress is called once, at the end.
//
// Errors: A language that whisper or the server's model does not know is
// NOT_IMPLEMENTED. If the recording is larger than the server accepts, the code is
// MEDIA_TOO_LARGE. If the server refuses the request, it is CONFIG_ERROR, or
// RATE_LIMITED if the server is busy. If the server cannot be reached or fails, it is
// UPSTREAM_FAILED. A recording that cannot be read is INTERNAL. Otherwise the error is
// the context's.
func (s *Server) Recognize(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
	code, known := whispermodel.Code(opts.Language)
	if opts.Language != "" && !known {
		return engine.Recognition{}, unknownLanguage(serverName, opts.Language)
	}
	rec, err := whispermodel.OpenRecording(audio.Path)
	if err != nil {
		return engine.Recognition{}, unreadable(err)
	}
	defer rec.Close()
	if ctx.Err() != nil {
		return engine.Recognition{}, context.Cause(ctx)
	}
	heard := engine.Recognition{Language: opts.Language}
	if rec.Length >= shortest {
		result, err := s.inTurn(ctx, rec, code, opts.Prompt)
		if err != nil {
			return engine.Recognition{}, err
		}
		if heard, err = result.recognition(opts.Language, code, rec.Length); err != nil {
			return engine.Recognition{}, err
		}
		heard.Prompted = opts.Prompt != ""
	}
	finished(opts, rec.Length)
	return heard, nil
}

// inTurn sends the recording when no other request is under way.
func (s *Server) inTurn(ctx context.Context, rec *whispermodel.Recording, code, prompt string) (answer, error) {
	if s.maxBytes > 0 && rec.Size+formSize > s.maxBytes {
		return answer{}, tooLarge(fmt.Errorf("a recording of %d bytes in a request of at most %d", rec.Size, s.maxBytes))
	}
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return answer{}, context.Cause(ctx)
	}
	defer func() { <-s.turn }()
	return s.send(ctx, rec, code, prompt)
}
