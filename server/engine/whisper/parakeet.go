package whisper

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
)

const (
	parakeetName = "parakeet-cli"
	// parakeetChunk is the best length of audio for one call: the program loads the model for
	// each call, and the time for the audio itself grows with the square of its length.
	parakeetChunk = 2 * time.Minute
	// longestParakeet is the longest audio that a small machine recognizes within its memory.
	longestParakeet = 5 * time.Minute
	// manyPieces is the vocabulary of a Parakeet model for 25 languages.
	manyPieces = 8192
)

// european are the languages of a Parakeet model for many languages, English first.
var european = [...]string{
	"en", "bg", "cs", "da", "de", "el", "es", "et", "fi", "fr", "hr", "hu", "it",
	"lt", "lv", "mt", "nl", "pl", "pt", "ro", "ru", "sk", "sl", "sv", "uk",
}

// Parakeet implements [engine.Recognizer] and [engine.Checker] with the program
// parakeet-cli of whisper.cpp and a Parakeet model of NVIDIA. By published figures, the
// model for 25 European languages makes half as many errors as Whisper's model small,
// in half the time. The model detects these languages, but the program does not return
// the detected language. The program supports no prompts. A Parakeet is safe for
// concurrent use, like a [CLI].
type Parakeet struct{ program *program }

var (
	_ engine.Recognizer = (*Parakeet)(nil)
	_ engine.Checker    = (*Parakeet)(nil)
)

// NewParakeet returns a recognizer that runs its program on host. NewParakeet itself
// does not use host; the methods need host.Programs. NewParakeet reads the header of
// the model file, and returns a CONFIG_ERROR if the file is not a Parakeet model.
// [Parakeet.Check] checks whether the program is installed.
func NewParakeet(host engine.Host, o CLIOptions) (*Parakeet, error) {
	p, err := newProgram(host, parakeetName, o, readParakeet)
	if err != nil {
		return nil, err
	}
	return &Parakeet{p}, nil
}

// readParakeet reads the head of the Parakeet model at path. Its error is a CONFIG_ERROR.
func readParakeet(path string) (model, error) {
	h, size, err := readHead(path)
	if err == nil && h.Vocabulary > manyPieces {
		err = errors.New("it is no Parakeet model")
	}
	if err != nil {
		return model{}, noModel(parakeetName, path, err)
	}
	return h.model(path, size, manyPieces), nil
}

// Info describes the recognizer. If the vocabulary of the model is small, the model is
// for English only.
func (p *Parakeet) Info() engine.RecognizerInfo {
	languages := european[:]
	if p.program.model.english {
		languages = european[:1]
	}
	return engine.RecognizerInfo{
		Name:        parakeetName,
		Model:       p.program.model.name,
		ModelSHA256: p.program.sha256,
		Quality:     "Parakeet: very good; takes no names, and does not tell the language",
		Languages:   slices.Clone(languages),
		Detects:     !p.program.model.english,
		Chunk:       parakeetChunk,
		MaxChunk:    longestParakeet,
	}
}

// Check looks for the program and reads the header of the model file. The error is a
// CONFIG_ERROR that names what is missing and how to get it.
func (p *Parakeet) Check(context.Context) error {
	if err := p.program.check(); err != nil {
		return err
	}
	_, err := readParakeet(p.program.model.path)
	return err
}

// Recognize runs the program on the audio. Its segments have words, and end at pauses.
// The program has no option for the language: Recognize returns the language of opts,
// which may be empty. Progress is called once, at the end. Prompts are ignored.
//
// Errors: A language that the model does not know is NOT_IMPLEMENTED. A missing program or
// model, and a program that is too old, are CONFIG_ERROR. A recording that cannot be read, and
// a failing program, are INTERNAL. Otherwise the error is the context's.
func (p *Parakeet) Recognize(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
	if opts.Language != "" && !p.knows(opts.Language) {
		return engine.Recognition{}, unknownLanguage(parakeetName, opts.Language)
	}
	rec, err := measure(audio)
	if err != nil {
		return engine.Recognition{}, err
	}
	if ctx.Err() != nil {
		return engine.Recognition{}, context.Cause(ctx)
	}
	heard := engine.Recognition{}
	if rec.length >= shortest {
		heard, err = p.program.inTurn(ctx, func(dir string) (engine.Recognition, error) {
			return p.hear(ctx, dir, rec)
		})
		if err != nil {
			return engine.Recognition{}, err
		}
	}
	heard.Language = opts.Language
	finished(opts, rec.length)
	return heard, nil
}

// knows reports whether the model knows the language of a tag.
func (p *Parakeet) knows(tag string) bool {
	code, known := whispermodel.Code(tag)
	return known && slices.Contains(p.Info().Languages, code)
}

// hear runs the program in dir. The program writes the words with their times to its log.
func (p *Parakeet) hear(ctx context.Context, dir string, rec recording) (engine.Recognition, error) {
	log := newParakeetLog()
	exit, err := p.program.run(ctx, dir, rec, []string{"-m", p.program.model.path, "-f", rec.path, "-ps", "-np"}, log)
	if err != nil {
		return engine.Recognition{}, err
	}
	log.end() // the last line may have no end
	// The exit code proves nothing: it is 0 for a recording that cannot be read.
	if !log.complete() {
		return engine.Recognition{}, p.program.exitError(exit, log.complaints, errors.New("no list of segments"))
	}
	return engine.Recognition{Segments: log.segments(rec.length)}, nil
}
