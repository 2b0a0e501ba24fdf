package servertest

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Engine is the fake engine of a test server. By default, every file is ten seconds of
// speech, in which the engine recognizes "hello world" at once. Every link leads to such
// a file. If the platform of the link has captions, the link has English captions with
// the same text. An Engine is safe for concurrent use.
type Engine struct {
	mu        sync.Mutex
	begun     int
	changed   chan struct{} // closed and replaced whenever begun grows
	media     Media
	mediaErr  error
	gate      chan struct{} // nil means open
	recognize Recognize

	links links
	lists lists
	site  site
}

// Media describes every file.
type Media struct {
	Format string // the container; empty means "wav"
	// Duration is the length of the speech; 0 means ten seconds.
	Duration time.Duration
	// Claimed is the length in the file's header; 0 means no length. It may differ from
	// Duration.
	Claimed time.Duration
	// Silent media have an audio track without speech.
	Silent bool
	// NoAudio media have no audio track.
	NoAudio bool
}

// Recognize is a function that replaces the recognizer. call is the number of the
// recognition, from 1.
type Recognize func(ctx context.Context, call int, a engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error)

func newEngine() *Engine {
	e := &Engine{changed: make(chan struct{})}
	e.links.reads, e.links.downloads = map[transcript.Platform]int{}, map[transcript.Platform]int{}
	e.Say("hello world")
	e.SetTracks(Track{Lang: "en", Text: "hello world"})
	e.SetMetadata(transcript.Metadata{Title: "A talk", CreatorName: "Somebody", Duration: 10})
	return e
}

// SetMedia sets the properties of every later file.
func (e *Engine) SetMedia(m Media) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.media = m
}

// FailMedia makes all later readings of files fail with err; nil makes them work again.
// Use errors with codes, such as [transcript.UploadInvalid]: see [engine.MediaTool].
func (e *Engine) FailMedia(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mediaErr = err
}

// SetRecognize makes the engine call f for every recognition that begins later.
func (e *Engine) SetRecognize(f Recognize) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.recognize = f
}

// Say makes every recognition return the text, with its words spread evenly over the audio.
func (e *Engine) Say(text string) {
	e.SetRecognize(func(_ context.Context, _ int, a engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
		if o.Progress != nil {
			o.Progress(a.Duration / 2)
			o.Progress(a.Duration)
		}
		return Heard(text, a.Duration), nil
	})
}

// Fail makes every recognition fail with err. After INTERNAL, UPSTREAM_FAILED and
// RATE_LIMITED, the service tries again after some seconds.
func (e *Engine) Fail(err error) {
	e.SetRecognize(func(context.Context, int, engine.Audio, engine.RecognizeOptions) (engine.Recognition, error) {
		return engine.Recognition{}, err
	})
}

// Hold blocks every recognition that begins later until release is called or the
// recognition's context ends. Calling release again does nothing.
func (e *Engine) Hold() (release func()) { return e.hold(&e.gate) }

// hold closes a gate. A nil gate is open.
func (e *Engine) hold(at *chan struct{}) (release func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	gate := make(chan struct{})
	*at = gate
	return sync.OnceFunc(func() {
		close(gate)
		e.mu.Lock()
		defer e.mu.Unlock()
		if *at == gate {
			*at = nil
		}
	})
}

// pass returns when the gate is open, or with the context's error.
func pass(ctx context.Context, gate chan struct{}) error {
	if gate == nil {
		return nil
	}
	select {
	case <-gate:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Recognitions returns how many recognitions have begun.
func (e *Engine) Recognitions() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.begun
}

// Await waits until n recognitions have begun. If ctx ends first, it returns the error
// of ctx.
func (e *Engine) Await(ctx context.Context, n int) error {
	for {
		e.mu.Lock()
		begun, changed := e.begun, e.changed
		e.mu.Unlock()
		if begun >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Heard returns a recognition of the text as one segment, with its words spread evenly over the
// duration.
func Heard(text string, over time.Duration) engine.Recognition {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return engine.Recognition{Language: "en"}
	}
	step := over.Seconds() / float64(len(fields))
	segment := transcript.Segment{Text: text, Duration: over.Seconds()}
	for i, word := range fields {
		start := float64(i) * step
		segment.Words = append(segment.Words, transcript.Word{Text: word, Start: start, End: start + step})
	}
	return engine.Recognition{Segments: []transcript.Segment{segment}, Language: "en"}
}

func (e *Engine) asEngine() engine.Engine {
	platforms := scriptedPlatforms{e}
	return engine.Engine{
		Captions:   []engine.CaptionSource{platforms},
		Lists:      scriptedLists{e},
		Discovery:  scriptedSite{e},
		Audio:      platforms,
		Media:      scriptedMedia{e},
		Recognizer: scriptedRecognizer{e},
	}
}

// scriptedMedia is the Engine in the role of a media tool.
type scriptedMedia struct{ e *Engine }

func (s scriptedMedia) script() (Media, error) {
	s.e.mu.Lock()
	defer s.e.mu.Unlock()
	m := s.e.media
	if m.Format == "" {
		m.Format = "wav"
	}
	if m.Duration == 0 {
		m.Duration = 10 * time.Second
	}
	return m, s.e.mediaErr
}

func (s scriptedMedia) Probe(context.Context, string) (engine.MediaInfo, error) {
	m, err := s.script()
	return engine.MediaInfo{Format: m.Format, Duration: m.Claimed, HasAudio: !m.NoAudio}, err
}

func (s scriptedMedia) Normalize(_ context.Context, _, out string, o engine.NormalizeOptions) (engine.Sound, error) {
	m, err := s.script()
	if err != nil {
		return engine.Sound{}, err
	}
	duration := min(m.Duration, o.Max)
	var sound io.Reader = tone{}
	if m.Silent {
		sound = silence{}
	}
	return engine.Sound{Audio: engine.Audio{Path: out, Duration: duration}}, writeWAV(out, sound, duration)
}

func writeWAV(path string, pcm io.Reader, d time.Duration) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(speech.WriteWAV(f, pcm, int64(d.Seconds()*speech.SampleRate)), f.Close())
}

// scriptedRecognizer is the Engine in the role of a recognizer. It knows English, and reports
// English.
type scriptedRecognizer struct{ e *Engine }

func (s scriptedRecognizer) Info() engine.RecognizerInfo {
	return engine.RecognizerInfo{Name: "scripted", Model: "test", Languages: []string{"en"}}
}

func (s scriptedRecognizer) Recognize(ctx context.Context, a engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
	s.e.mu.Lock()
	s.e.begun++
	close(s.e.changed)
	s.e.changed = make(chan struct{})
	call, gate, answer := s.e.begun, s.e.gate, s.e.recognize
	s.e.mu.Unlock()
	if err := pass(ctx, gate); err != nil {
		return engine.Recognition{}, err
	}
	return answer(ctx, call, a, o)
}

// silence is a stream of silent samples.
type silence struct{}

func (silence) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// tone is a stream of samples as loud as speech: 16 bit, little endian.
type tone struct{}

func (tone) Read(p []byte) (int, error) {
	p = p[:len(p)&^1]
	for i := 0; i < len(p); i += 2 {
		p[i], p[i+1] = 0x40, 0x1f // 8000
		if i/256%2 == 0 {
			p[i], p[i+1] = 0xc0, 0xe0 // -8000
		}
	}
	return len(p), nil
}
