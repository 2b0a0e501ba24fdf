package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/openai"
	"github.com/transcriptkit/transcriptkit/server/engine/pocketsphinx"
	"github.com/transcriptkit/transcriptkit/server/engine/whisper"
)

// The names in --asr.
const (
	asrWhisperServer = "whisper-server"
	asrOpenAI        = "openai"
	asrWhisperCLI    = "whisper-cli"
	asrPocketsphinx  = "pocketsphinx"
	asrNone          = "none"
)

const pocketsphinxProgram = "pocketsphinx_continuous"

// recognizerFlags say who recognizes speech.
type recognizerFlags struct {
	ASR asrEngine `name:"asr" placeholder:"NAME[:WHERE]" help:"Who recognizes speech: whisper-server:URL, openai:URL, whisper-cli:MODEL (a ggml file), pocketsphinx or none. Default: the best that is there: a model that was pulled, else whisper-cli with a model that is installed, else pocketsphinx, else none."`
	modelsFlag
	ASRModel       string     `name:"asr-model" placeholder:"NAME" help:"The model to ask an openai:URL for (whisper-1), or the one that a whisper-server:URL has loaded, for the record."`
	ASRKeyFile     keyFile    `name:"asr-key-file" placeholder:"FILE" help:"A file that holds the key for openai:URL and nothing else."`
	ASRSpeakers    bool       `name:"asr-speakers" help:"Ask an openai:URL who speaks. A model with diarize in its name is asked without."`
	ASRUploadLimit int64      `name:"asr-upload-limit" placeholder:"BYTES" help:"The largest upload that the server takes; less audio is then sent at once."`
	WhisperCLI     executable `name:"whisper-cli" default:"whisper-cli" placeholder:"PATH" help:"The program for models of whisper.cpp (${default})."`
}

// asrEngine is a value of --asr: a name and, after a colon, what is used.
type asrEngine struct {
	name  string
	url   serviceURL // of a server
	model string     // of whisper-cli, a file

	// What choose finds of a model that was pulled.
	program string // in the place of --whisper-cli
	sha256  string // of the model
}

// UnmarshalText is called by the parser. Its errors leave the value out, which may
// hold a password.
func (e *asrEngine) UnmarshalText(text []byte) error {
	name, where, given := strings.Cut(string(text), ":")
	*e = asrEngine{name: name}
	switch {
	case name == asrWhisperServer, name == asrOpenAI:
		return e.readURL(where)
	case name == asrWhisperCLI && where == "":
		return errors.New("whisper-cli wants a model, a ggml file: whisper-cli:MODEL")
	case name == asrWhisperCLI:
		e.model = where
		return nil
	case (name == asrPocketsphinx || name == asrNone) && !given:
		return nil
	}
	return errors.New("want whisper-server:URL, openai:URL, whisper-cli:MODEL, pocketsphinx or none")
}

func (e *asrEngine) readURL(text string) error {
	if text == "" {
		return fmt.Errorf("%s wants its URL: %[1]s:http://HOST:PORT…", e.name)
	}
	if err := e.url.UnmarshalText([]byte(text)); err != nil {
		return fmt.Errorf("%s: %w", e.name, err)
	}
	if e.name != asrOpenAI {
		return nil
	}
	_, err := openai.New(openai.Options{BaseURL: text})
	return err
}

// keyFile is the key that a file holds.
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

// check refuses flags that do not go together.
func (f recognizerFlags) check() error {
	server := f.ASR.url.at != nil
	switch {
	case !server && f.ASRModel != "":
		return errors.New("--asr-model goes with --asr=whisper-server:URL or --asr=openai:URL only")
	case !server && f.ASRUploadLimit != 0:
		return errors.New("--asr-upload-limit goes with --asr=whisper-server:URL or --asr=openai:URL only")
	case f.ASR.name != asrOpenAI && f.ASRSpeakers:
		return errors.New("--asr-speakers goes with --asr=openai:URL only")
	case f.ASR.name != asrOpenAI && f.ASRKeyFile != "":
		return errors.New("--asr-key-file goes with --asr=openai:URL only")
	case f.ASRUploadLimit < 0:
		return errors.New("--asr-upload-limit must not be negative")
	}
	// Made without a host to work on: it can only be the model, or the limit, that is
	// of no use to it.
	_, err := f.recognizer(engine.Host{})
	switch {
	case err == nil:
		return nil
	case server:
		return fmt.Errorf("--asr-upload-limit: %w", err)
	}
	return fmt.Errorf("--asr: %w", err)
}

// addresses are where the recognizer's server is, which no link may reach.
func (f recognizerFlags) addresses() []string {
	if f.ASR.url.at == nil {
		return nil
	}
	return []string{f.ASR.url.address()}
}

// recognizer makes the recognizer that --asr names; nil: none.
func (f recognizerFlags) recognizer(host engine.Host) (engine.Recognizer, error) {
	switch f.ASR.name {
	case asrWhisperServer:
		return whisper.NewServer(whisper.ServerOptions{URL: f.ASR.url.at.String(), Model: f.ASRModel, MaxBytes: f.ASRUploadLimit})
	case asrOpenAI:
		return openai.New(openai.Options{
			BaseURL: f.ASR.url.at.String(), Model: f.ASRModel, Speakers: f.ASRSpeakers, Key: string(f.ASRKeyFile), MaxBytes: f.ASRUploadLimit,
		})
	case asrWhisperCLI:
		return whisper.NewCLI(host, whisper.CLIOptions{
			Program: cmp.Or(f.ASR.program, string(f.WhisperCLI)), Model: f.ASR.model, ModelSHA256: f.ASR.sha256,
		})
	case asrPocketsphinx:
		return modest{pocketsphinx.New(host)}, nil
	}
	return nil, nil //nolint:nilnil // no recognizer is one of the choices
}

// modest is PocketSphinx, whose quality names the command that gets a better recognizer.
type modest struct{ *pocketsphinx.Recognizer }

// Info describes the recognizer.
func (m modest) Info() engine.RecognizerInfo {
	info := m.Recognizer.Info()
	info.Quality += "; `" + pullCommand() + "` gets a better recognizer"
	return info
}
