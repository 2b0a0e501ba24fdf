package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/openai"
	"github.com/transcriptkit/transcriptkit/server/engine/pocketsphinx"
	"github.com/transcriptkit/transcriptkit/server/engine/whisper"
)

// The values of --asr.
const (
	asrAuto          = "auto"
	asrWhisperServer = "whisper-server"
	asrOpenAI        = "openai"
	asrWhisperCLI    = "whisper-cli"
	asrPocketsphinx  = "pocketsphinx"
	asrNone          = "none"
)

// recognizerFlags say who recognizes speech.
type recognizerFlags struct {
	ASR            asrEngine  `name:"asr" default:"auto" placeholder:"ENGINE" help:"Speech recognition: whisper-server:URL, openai:URL, whisper-cli:MODEL, pocketsphinx or none. ${default} takes a server if one is named below, else whisper-cli if its model can be read, else pocketsphinx."`
	ASRModel       string     `name:"asr-model" placeholder:"NAME" help:"The model to ask the endpoint for (whisper-1), or the one that the whisper-server has loaded, for the record."`
	ASRKeyFile     keyFile    `name:"asr-key-file" placeholder:"FILE" help:"A file that holds the endpoint's key and nothing else."`
	ASRUploadLimit int64      `name:"asr-upload-limit" placeholder:"BYTES" help:"The largest upload that the recognizer's server takes; less audio is then sent at once."`
	WhisperServer  serviceURL `placeholder:"URL" help:"A running whisper-server."`
	OpenaiURL      openaiURL  `placeholder:"URL" help:"An endpoint with OpenAI's API, up to and with /v1."`
	WhisperCLI     executable `name:"whisper-cli" default:"whisper-cli" placeholder:"PATH" help:"whisper.cpp's program (${default})."`
	WhisperModel   string     `placeholder:"FILE" help:"The model for whisper-cli, a ggml file."`
}

// asrEngine is a value of --asr: a name, and for some after a colon where it is.
type asrEngine struct{ name, at string }

// UnmarshalText is called by the parser.
func (e *asrEngine) UnmarshalText(text []byte) error {
	e.name, e.at, _ = strings.Cut(string(text), ":")
	switch e.name {
	case asrWhisperServer, asrOpenAI, asrWhisperCLI:
		return nil
	case asrAuto, asrPocketsphinx, asrNone:
		if e.at == "" {
			return nil
		}
	}
	// The value may hold a password.
	return errors.New("want auto, whisper-server:URL, openai:URL, whisper-cli:MODEL, pocketsphinx or none")
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

// openaiURL is the address of an endpoint.
type openaiURL struct{ serviceURL }

// UnmarshalText is called by the parser.
func (u *openaiURL) UnmarshalText(text []byte) error {
	if err := u.serviceURL.UnmarshalText(text); err != nil {
		return err
	}
	_, err := openai.New(openai.Options{BaseURL: string(text)})
	return err
}

// settle puts what stands behind the colon of --asr in its place, and checks that
// all is there and of use to the recognizer.
func (f *recognizerFlags) settle() (err error) {
	switch at := f.ASR.at; {
	case at == "":
	case f.ASR.name == asrWhisperServer:
		err = f.WhisperServer.UnmarshalText([]byte(at))
	case f.ASR.name == asrOpenAI:
		err = f.OpenaiURL.UnmarshalText([]byte(at))
	default:
		f.WhisperModel = at
	}
	switch {
	case err != nil:
		return fmt.Errorf("--asr=%s: %w", f.ASR.name, err)
	case f.ASR.name == asrWhisperServer && f.WhisperServer.at == nil:
		return errors.New("--asr=whisper-server wants a URL: whisper-server:URL")
	case f.ASR.name == asrOpenAI && f.OpenaiURL.at == nil:
		return errors.New("--asr=openai wants a URL: openai:URL")
	case f.ASR.name == asrWhisperCLI && f.WhisperModel == "":
		return errors.New("--asr=whisper-cli wants a model: whisper-cli:MODEL")
	case f.ASR.name == asrAuto && f.WhisperServer.at != nil && f.OpenaiURL.at != nil:
		return errors.New("both --whisper-server and --openai-url are given: choose with --asr")
	case f.ASRUploadLimit < 0:
		return errors.New("--asr-upload-limit must not be negative")
	}
	return f.try()
}

// try makes the recognizer that is asked for, without a host to work on: what can
// be wrong yet is how its flags go together.
func (f recognizerFlags) try() error {
	_, err := f.recognizer(f.asked(), engine.Host{})
	switch {
	case err == nil:
		return nil
	case f.ASR.name == asrWhisperCLI:
		return fmt.Errorf("--asr=whisper-cli: %w", err)
	}
	return fmt.Errorf("--asr-upload-limit: %w", err)
}

// addresses are where the recognizer's servers are, which no link may reach.
func (f recognizerFlags) addresses() []string {
	var all []string
	for _, u := range []serviceURL{f.WhisperServer, f.OpenaiURL.serviceURL} {
		if u.at != nil {
			all = append(all, u.address())
		}
	}
	return all
}

// asked is the value of --asr, or what auto stands for where a server is named.
func (f recognizerFlags) asked() (asr string) {
	switch {
	case f.ASR.name != asrAuto:
		return f.ASR.name
	case f.WhisperServer.at != nil:
		return asrWhisperServer
	case f.OpenaiURL.at != nil:
		return asrOpenAI
	}
	return asrAuto
}

// choose returns the value of --asr that auto stands for. problem is why a
// model that was named is not used.
func (f recognizerFlags) choose(ctx context.Context, host engine.Host) (asr string, problem error) {
	if asr := f.asked(); asr != asrAuto {
		return asr, nil
	}
	if f.WhisperModel == "" {
		return asrPocketsphinx, nil
	}
	cli, problem := whisper.NewCLI(host, f.whisperCLI())
	if problem == nil {
		problem = cli.Check(ctx)
	}
	if problem != nil {
		return asrPocketsphinx, problem
	}
	return asrWhisperCLI, nil
}

// recognizer makes the recognizer that is chosen; nil: none.
func (f recognizerFlags) recognizer(asr string, host engine.Host) (engine.Recognizer, error) {
	switch asr {
	case asrWhisperServer:
		return whisper.NewServer(whisper.ServerOptions{URL: f.WhisperServer.at.String(), Model: f.ASRModel, MaxBytes: f.ASRUploadLimit})
	case asrOpenAI:
		return openai.New(openai.Options{BaseURL: f.OpenaiURL.at.String(), Model: f.ASRModel, Key: string(f.ASRKeyFile), MaxBytes: f.ASRUploadLimit})
	case asrWhisperCLI:
		return whisper.NewCLI(host, f.whisperCLI())
	case asrPocketsphinx:
		return pocketsphinx.New(host), nil
	}
	return nil, nil //nolint:nilnil // no recognizer is one of the choices
}

func (f recognizerFlags) whisperCLI() whisper.CLIOptions {
	return whisper.CLIOptions{Program: string(f.WhisperCLI), Model: f.WhisperModel}
}
