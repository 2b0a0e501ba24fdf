package service

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/transcriptkit/transcriptkit/examples/internal/settings"
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
	ASR ASR `name:"asr" placeholder:"NAME[:WHERE]" help:"The recognizer of speech: whisper-server:URL, openai:URL, whisper-cli:MODEL (a ggml file), parakeet-cli:MODEL, faster-whisper (the model tiny.en, English only), pocketsphinx or none. Default: the best available ones: pulled models (parakeet where one of its languages is asked for, else one of Whisper), else whisper-cli with an installed model, else faster-whisper, else pocketsphinx, else none."`
	ModelsFlag
	RecognizersFlag
}

// RecognizersFlag is the flag for the file with the settings of recognizers.
type RecognizersFlag struct {
	Recognizers settings.Recognizers `placeholder:"FILE" help:"Settings of recognizers, such as the key of a server: a JSON file, as in docs/operate/recognizers.md, which is read again when it changes."`
}

// ASR is a value of --asr: a name and, after a colon, a URL or a model.
type ASR struct {
	Name  string // empty means the best one
	Model string // of whisper-cli or parakeet-cli, a file
	// Before is used before this recognizer, for the languages that it knows; nil means
	// none.
	Before *ASR
	// Program replaces Recognizers.WhisperCLI, and SHA256 is the hash of the model, if the model was
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

// check refuses contradictory flags.
func (f RecognizerFlags) check() error {
	if f.ASR.Name == ASRFasterWhisper && !filepath.IsAbs(f.fasterWhisper()) {
		return errors.New("--asr=faster-whisper needs the member fasterWhisper of the file that --recognizers names: in a checkout, make setup installs faster-whisper")
	}
	if _, err := f.Recognizer(engine.Host{}); err != nil { // without a host, it can only be about the model
		return fmt.Errorf("--asr: %w", err)
	}
	return nil
}

// addresses returns the address of the recognizer's server, which no link may reach.
func (f RecognizerFlags) addresses() []string {
	if f.ASR.url.at == nil {
		return nil
	}
	return []string{settings.Address(f.ASR.url.at)}
}

// Recognizer makes the recognizer that --asr names, with the recognizer that is used before
// it; nil means none.
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
		set := f.Recognizers.WhisperServer
		return whisper.NewServer(whisper.ServerOptions{
			URL: f.ASR.url.at.String(), Model: set.Model, MaxBytes: set.UploadLimitBytes, CheckTimeout: settings.Timeout(set.CheckTimeoutSec),
		})
	case asrOpenAI:
		set := f.Recognizers.OpenAI
		return openai.New(openai.Options{
			BaseURL: f.ASR.url.at.String(), Model: set.Model, Speakers: set.Speakers, Key: f.Recognizers.Key, MaxBytes: set.UploadLimitBytes,
			CheckTimeout: settings.Timeout(set.CheckTimeoutSec),
		})
	case ASRWhisperCLI:
		return whisper.NewCLI(host, whisper.CLIOptions{
			Program: cmp.Or(asr.Program, f.Recognizers.Whisper()), Model: asr.Model, ModelSHA256: asr.SHA256,
		})
	case ASRParakeetCLI:
		return whisper.NewParakeet(host, whisper.CLIOptions{
			Program: cmp.Or(asr.Program, f.parakeetCLI()), Model: asr.Model, ModelSHA256: asr.SHA256,
		})
	case ASRFasterWhisper:
		r, err := fasterwhisper.New(host, fasterwhisper.Options{Python: f.fasterWhisper()})
		return english{r}, err
	case ASRPocketsphinx:
		return modest{pocketsphinx.New(host)}, nil
	}
	return nil, nil //nolint:nilnil // no recognizer is one of the choices
}

// parakeetCLI returns the parakeet-cli in the folder of whisper-cli. If whisper-cli has no folder,
// the system finds both programs.
func (f RecognizerFlags) parakeetCLI() string {
	if dir, _ := filepath.Split(f.Recognizers.Whisper()); dir != "" {
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
