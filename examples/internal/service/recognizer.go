package service

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/fasterwhisper"
	"github.com/transcriptkit/transcriptkit/server/engine/models"
	"github.com/transcriptkit/transcriptkit/server/engine/openai"
	"github.com/transcriptkit/transcriptkit/server/engine/pocketsphinx"
	"github.com/transcriptkit/transcriptkit/server/engine/whisper"
)

// The names in --asr.
const (
	asrWhisperServer = "whisper-server"
	asrOpenAI        = "openai"
	ASRWhisperCLI    = models.WhisperCLI
	ASRParakeetCLI   = models.ParakeetCLI
	ASRFasterWhisper = "faster-whisper"
	ASRPocketsphinx  = "pocketsphinx"
	ASRNone          = "none"
)

// pocketsphinxProgram is the program of PocketSphinx.
const pocketsphinxProgram = "pocketsphinx_continuous"

// RecognizerFlags configure the recognizer.
type RecognizerFlags struct {
	ASR ASR `name:"asr" placeholder:"NAME[:WHERE]" help:"The recognizer of speech: whisper-server:URL, openai:URL, whisper-cli:MODEL (a ggml file), parakeet-cli:MODEL, faster-whisper (the model tiny.en, English only, in the environment of --faster-whisper), pocketsphinx or none. Default: the best available ones: pulled models (parakeet where one of its languages is asked for, else one of Whisper), else whisper-cli with an installed model, else faster-whisper, else pocketsphinx, else none."`
	ModelsFlag
	ASRModel        string        `name:"asr-model" placeholder:"NAME" help:"The model to request from an openai:URL (whisper-1), or the loaded model of a whisper-server:URL, only for information."`
	ASRKeyFile      keyFile       `name:"asr-key-file" placeholder:"FILE" help:"A file with only the key for openai:URL."`
	ASRSpeakers     bool          `name:"asr-speakers" help:"Ask an openai:URL to tell speakers apart. A model with diarize in its name is always asked."`
	ASRUploadLimit  int64         `name:"asr-upload-limit" placeholder:"BYTES" help:"The largest upload that the server accepts; longer audio is sent in smaller parts."`
	ASRCheckTimeout time.Duration `name:"asr-check-timeout" default:"4s" placeholder:"DURATION" help:"How long the server may take to answer a check (${default}). A slower server counts as busy, and still gets recordings."`
	FasterWhisperFlag
	WhisperCLI Executable `name:"whisper-cli" default:"whisper-cli" placeholder:"PATH" help:"The program for models of Whisper (${default}). In its folder is parakeet-cli."`
}

// ASR is a value of --asr: a name and, after a colon, a URL or a model.
type ASR struct {
	Name  string // empty: the best one
	Model string // of whisper-cli or parakeet-cli, a file
	// Before is asked before this recognizer, for the languages that it knows; nil: none.
	Before *ASR
	// Program replaces --whisper-cli, and SHA256 is the hash of the model, if the model was
	// pulled.
	Program string
	SHA256  string

	url serviceURL // of a server
}

// UnmarshalText is called by the parser. Its errors do not repeat the value, which may hold a
// password.
func (e *ASR) UnmarshalText(text []byte) error {
	name, where, given := strings.Cut(string(text), ":")
	*e = ASR{Name: name}
	switch {
	case name == asrWhisperServer, name == asrOpenAI:
		return e.readURL(where)
	case (name == ASRWhisperCLI || name == ASRParakeetCLI) && where == "":
		return fmt.Errorf("%s wants a model, a ggml file: %[1]s:MODEL", name)
	case name == ASRWhisperCLI, name == ASRParakeetCLI:
		e.Model = where
		return nil
	case (name == ASRFasterWhisper || name == ASRPocketsphinx || name == ASRNone) && !given:
		return nil
	}
	return errors.New("want whisper-server:URL, openai:URL, whisper-cli:MODEL, parakeet-cli:MODEL, faster-whisper, pocketsphinx or none")
}

func (e *ASR) readURL(text string) error {
	if text == "" {
		return fmt.Errorf("%s wants its URL: %[1]s:http://HOST:PORT…", e.Name)
	}
	if err := e.url.UnmarshalText([]byte(text)); err != nil {
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	if e.Name != asrOpenAI {
		return nil
	}
	_, err := openai.New(openai.Options{BaseURL: text})
	return err
}

// keyFile is the key in a file.
type keyFile string

// UnmarshalText is called by the parser, with the file's name.
func (k *keyFile) UnmarshalText(path []byte) error {
	text, err := os.ReadFile(string(path))
	if err != nil {
		return err
	}
	*k = keyFile(bytes.TrimSpace(text))
	if *k == "" || bytes.ContainsFunc([]byte(*k), func(c rune) bool { return c <= ' ' || c > '~' }) {
		return fmt.Errorf("%s: want a key and nothing else", path)
	}
	return nil
}

// check refuses contradictory flags.
func (f RecognizerFlags) check() error {
	server := f.ASR.url.at != nil
	switch {
	case !server && f.ASRModel != "":
		return errors.New("--asr-model goes with --asr=whisper-server:URL or --asr=openai:URL only")
	case !server && f.ASRUploadLimit != 0:
		return errors.New("--asr-upload-limit goes with --asr=whisper-server:URL or --asr=openai:URL only")
	case f.ASR.Name != asrOpenAI && f.ASRSpeakers:
		return errors.New("--asr-speakers goes with --asr=openai:URL only")
	case f.ASR.Name != asrOpenAI && f.ASRKeyFile != "":
		return errors.New("--asr-key-file goes with --asr=openai:URL only")
	case f.ASR.Name == ASRFasterWhisper && !filepath.IsAbs(string(f.FasterWhisper)):
		return errors.New("--asr=faster-whisper needs --faster-whisper, the path of an interpreter: in a checkout, make setup installs one")
	case f.ASRCheckTimeout < 0:
		return errors.New("--asr-check-timeout must not be negative")
	case f.ASRUploadLimit < 0:
		return errors.New("--asr-upload-limit must not be negative")
	}
	// Without a host, an error can only be about the model or the limit.
	_, err := f.Recognizer(engine.Host{})
	switch {
	case err == nil:
		return nil
	case server:
		return fmt.Errorf("--asr-upload-limit: %w", err)
	}
	return fmt.Errorf("--asr: %w", err)
}

// addresses returns the address of the recognizer's server, which no link may reach.
func (f RecognizerFlags) addresses() []string {
	if f.ASR.url.at == nil {
		return nil
	}
	return []string{f.ASR.url.address()}
}

// Recognizer makes the recognizer that --asr names, with the recognizer that is asked before
// it; nil: none.
func (f RecognizerFlags) Recognizer(host engine.Host) (engine.Recognizer, error) {
	last, err := f.recognizer(host, f.ASR)
	if err != nil || f.ASR.Before == nil {
		return last, err
	}
	first, err := f.recognizer(host, *f.ASR.Before)
	if err != nil {
		return nil, err
	}
	return byLanguage{first, last}, nil
}

func (f RecognizerFlags) recognizer(host engine.Host, asr ASR) (engine.Recognizer, error) {
	switch asr.Name {
	case asrWhisperServer:
		return whisper.NewServer(whisper.ServerOptions{URL: f.ASR.url.at.String(), Model: f.ASRModel, MaxBytes: f.ASRUploadLimit, CheckTimeout: f.ASRCheckTimeout})
	case asrOpenAI:
		return openai.New(openai.Options{
			BaseURL: f.ASR.url.at.String(), Model: f.ASRModel, Speakers: f.ASRSpeakers, Key: string(f.ASRKeyFile), MaxBytes: f.ASRUploadLimit,
			CheckTimeout: f.ASRCheckTimeout,
		})
	case ASRWhisperCLI:
		return whisper.NewCLI(host, whisper.CLIOptions{
			Program: cmp.Or(asr.Program, string(f.WhisperCLI)), Model: asr.Model, ModelSHA256: asr.SHA256,
		})
	case ASRParakeetCLI:
		return whisper.NewParakeet(host, whisper.CLIOptions{
			Program: cmp.Or(asr.Program, f.parakeetCLI()), Model: asr.Model, ModelSHA256: asr.SHA256,
		})
	case ASRFasterWhisper:
		r, err := fasterwhisper.New(host, fasterwhisper.Options{Python: string(f.FasterWhisper)})
		return english{r}, err
	case ASRPocketsphinx:
		return modest{pocketsphinx.New(host)}, nil
	}
	return nil, nil //nolint:nilnil // no recognizer is one of the choices
}

// parakeetCLI returns the parakeet-cli in the folder of --whisper-cli. If --whisper-cli names no
// folder, the system finds both programs.
func (f RecognizerFlags) parakeetCLI() string {
	if dir, _ := filepath.Split(string(f.WhisperCLI)); dir != "" {
		return filepath.Join(dir, ASRParakeetCLI)
	}
	return ASRParakeetCLI
}

// english is faster-whisper. Its quality text names the command that installs a recognizer for
// other languages.
type english struct{ *fasterwhisper.Recognizer }

// Info describes the recognizer.
func (e english) Info() engine.RecognizerInfo {
	info := e.Recognizer.Info()
	info.Quality += "; `" + PullCommand() + "` installs a better recognizer, for a hundred languages"
	return info
}

// modest is PocketSphinx. Its quality text names the command that installs a better recognizer.
type modest struct{ *pocketsphinx.Recognizer }

// Info describes the recognizer.
func (m modest) Info() engine.RecognizerInfo {
	info := m.Recognizer.Info()
	info.Quality += "; `" + PullCommand() + "` installs a better recognizer"
	return info
}
