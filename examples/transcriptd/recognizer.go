package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

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
	ASR            string     `name:"asr" enum:"auto,whisper-server,openai,whisper-cli,pocketsphinx,none" default:"auto" placeholder:"ENGINE" help:"Speech recognition: ${enum}. auto takes a server if one is named, else whisper-cli if its model can be read, else pocketsphinx."`
	WhisperServer  serviceURL `placeholder:"URL" help:"A running whisper-server."`
	OpenaiURL      serviceURL `placeholder:"URL" help:"An endpoint with OpenAI's API, up to and with /v1."`
	OpenaiModel    string     `default:"whisper-1" placeholder:"NAME" help:"The model to ask it for (${default})."`
	OpenaiKeyFile  string     `placeholder:"FILE" help:"A file that holds its key and nothing else."`
	WhisperCLI     executable `name:"whisper-cli" default:"whisper-cli" placeholder:"PATH" help:"whisper.cpp's program (${default})."`
	WhisperModel   string     `placeholder:"FILE" help:"The model for whisper-cli, a ggml file."`
	ASRUploadLimit int64      `name:"asr-upload-limit" placeholder:"BYTES" help:"The largest upload that the recognizer's server takes; less audio is then sent at once."`
}

func (f recognizerFlags) check() error {
	switch {
	case f.ASR == asrWhisperServer && f.WhisperServer.at == nil:
		return errors.New("--asr=whisper-server needs --whisper-server URL")
	case f.ASR == asrOpenAI && f.OpenaiURL.at == nil:
		return errors.New("--asr=openai needs --openai-url URL")
	case f.ASR == asrWhisperCLI && f.WhisperModel == "":
		return errors.New("--asr=whisper-cli needs --whisper-model FILE")
	case f.ASR == asrAuto && f.WhisperServer.at != nil && f.OpenaiURL.at != nil:
		return errors.New("both --whisper-server and --openai-url are given: choose with --asr")
	case f.ASRUploadLimit < 0:
		return errors.New("--asr-upload-limit must not be negative")
	}
	return nil
}

// addresses are where the recognizer's servers are, which no link may reach.
func (f recognizerFlags) addresses() []string {
	var all []string
	for _, u := range []serviceURL{f.WhisperServer, f.OpenaiURL} {
		if u.at != nil {
			all = append(all, u.address())
		}
	}
	return all
}

// choose returns the value of --asr that auto stands for. problem is why a
// model that was named is not used.
func (f recognizerFlags) choose(ctx context.Context, host engine.Host) (asr string, problem error) {
	switch {
	case f.ASR != asrAuto:
		return f.ASR, nil
	case f.WhisperServer.at != nil:
		return asrWhisperServer, nil
	case f.OpenaiURL.at != nil:
		return asrOpenAI, nil
	case f.WhisperModel == "":
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
		return whisper.NewServer(whisper.ServerOptions{URL: f.WhisperServer.at.String(), MaxBytes: f.ASRUploadLimit})
	case asrOpenAI:
		return f.openAI()
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

func (f recognizerFlags) openAI() (engine.Recognizer, error) {
	o := openai.Options{BaseURL: f.OpenaiURL.at.String(), Model: f.OpenaiModel, MaxBytes: f.ASRUploadLimit}
	if f.OpenaiKeyFile != "" {
		key, err := os.ReadFile(f.OpenaiKeyFile)
		if err != nil {
			return nil, fmt.Errorf("--openai-key-file: %w", err)
		}
		o.Key = string(bytes.TrimSpace(key))
	}
	return openai.New(o)
}
