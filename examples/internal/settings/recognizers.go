package settings

import (
	"cmp"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/openai"
	"github.com/transcriptkit/transcriptkit/server/engine/sherpa"
	"github.com/transcriptkit/transcriptkit/server/engine/whisper"
)

// Recognizers is the file of --recognizers. The zero value is not a file.
type Recognizers struct {
	File
	recognizersMembers

	Key string // of OpenAI.KeyFile
}

// recognizersMembers are the members of the file; the tags are those of linksMembers.
type recognizersMembers struct {
	OpenAI        openAIMembers        `json:"openai" help:"Settings for --asr openai:URL."`
	WhisperServer whisperServerMembers `json:"whisperServer" help:"Settings for --asr whisper-server:URL."`
	WhisperCLI    string               `json:"whisperCLI" next:"" default:"whisper-cli" help:"The program for models of Whisper, a name or a path. In its folder is parakeet-cli."`
	FasterWhisper string               `json:"fasterWhisper" next:"" default:"in a checkout, what make setup has installed, else /opt/whisper/bin/python" help:"The interpreter of a Python environment with faster-whisper and its model tiny.en, and with the models that tell speakers apart."`
	Sherpa        sherpaMembers        `json:"sherpa" help:"Settings for sherpa-onnx, which tells speakers apart instead of the environment of fasterWhisper. Both models are required."`
}

type sherpaMembers struct {
	Program      string  `json:"program" next:"" default:"sherpa-onnx-offline-speaker-diarization" help:"The program of sherpa-onnx 2.0.1, a name or a path."`
	Libraries    string  `json:"libraries" next:"" default:"those of the system" help:"A folder with the libraries of the program."`
	Segmentation string  `json:"segmentation" next:"" help:"The model that finds the turns, a file: pyannote's segmentation 3.0 as sherpa-onnx publishes it."`
	Embedding    string  `json:"embedding" next:"" help:"The model that tells voices apart, a file."`
	Threshold    float64 `json:"threshold" next:"" default:"0.7" help:"The distance up to which two voices are one speaker, below 2. A larger one finds fewer speakers."`
}

// options are the options of the diarizer.
func (s sherpaMembers) options() sherpa.Options {
	return sherpa.Options{Program: s.Program, Libraries: s.Libraries, Segmentation: s.Segmentation, Embedding: s.Embedding, Threshold: s.Threshold}
}

type openAIMembers struct {
	KeyFile          string  `json:"keyFile" default:"no key" help:"A file with only the key for the server."`
	CheckTimeoutSec  float64 `json:"checkTimeoutSec" default:"4" help:"How many seconds the server may take to answer a check. A slower server counts as busy, and still gets recordings."`
	Model            string  `json:"model" next:"" default:"whisper-1" help:"The model to request."`
	Speakers         bool    `json:"speakers" next:"" default:"false" help:"true: ask the server to tell speakers apart. A model with diarize in its name is always asked."`
	UploadLimitBytes int64   `json:"uploadLimitBytes" next:"" default:"26214400" help:"The largest upload that the server accepts; longer audio is sent in smaller parts."`
}

type whisperServerMembers struct {
	CheckTimeoutSec  float64 `json:"checkTimeoutSec" default:"4" help:"As for openai."`
	Model            string  `json:"model" next:"" help:"The name of the model that the server has loaded, only for information."`
	UploadLimitBytes int64   `json:"uploadLimitBytes" next:"" default:"no bound" help:"The largest upload that the server accepts; longer audio is sent in smaller parts."`
}

// UnmarshalText is called by the parser, with the file's name.
func (r *Recognizers) UnmarshalText(path []byte) (err error) {
	*r, err = ReadRecognizers(string(path))
	return err
}

// ReadRecognizers reads the file. After an error, the result still knows which files were
// read.
func ReadRecognizers(path string) (Recognizers, error) {
	var r Recognizers
	err := r.open(path, &r.recognizersMembers)
	r.Sherpa.Program = r.executable(r.Sherpa.Program)
	for _, file := range []*string{&r.Sherpa.Libraries, &r.Sherpa.Segmentation, &r.Sherpa.Embedding} {
		*file = r.in(*file)
	}
	if err == nil {
		err = r.check()
	}
	if err == nil {
		r.Key, err = r.keyIn("openai.keyFile", r.OpenAI.KeyFile)
	}
	r.WhisperCLI, r.FasterWhisper = r.executable(r.WhisperCLI), r.executable(r.FasterWhisper)
	return r, err
}

func (r *Recognizers) check() error {
	for member, timeout := range map[string]float64{"openai.checkTimeoutSec": r.OpenAI.CheckTimeoutSec, "whisperServer.checkTimeoutSec": r.WhisperServer.CheckTimeoutSec} {
		if timeout < 0 || timeout > 3600 {
			return r.Wrong(member, errors.New("must be above 0 and at most 3600, or left out: then it is 4"))
		}
	}
	if _, err := openai.New(openai.Options{BaseURL: "http://localhost/v1", MaxBytes: r.OpenAI.UploadLimitBytes}); err != nil || r.OpenAI.UploadLimitBytes < 0 {
		return r.Wrong("openai.uploadLimitBytes", tooFew(err))
	}
	if _, err := whisper.NewServer(whisper.ServerOptions{URL: "http://localhost", MaxBytes: r.WhisperServer.UploadLimitBytes}); err != nil || r.WhisperServer.UploadLimitBytes < 0 {
		return r.Wrong("whisperServer.uploadLimitBytes", tooFew(err))
	}
	if f := r.FasterWhisper; f != "" && !strings.ContainsRune(f, filepath.Separator) {
		return r.Wrong("fasterWhisper", errors.New("must be the path of an interpreter"))
	}
	if r.Sherpa != (sherpaMembers{}) {
		if _, err := sherpa.New(engine.Host{}, r.Sherpa.options()); err != nil {
			return r.Wrong("sherpa", err)
		}
	}
	return nil
}

// tooFew is the error about a number of bytes.
func tooFew(err error) error {
	if err == nil {
		return errors.New("must not be negative")
	}
	return err
}

// Whisper returns the program for models of Whisper.
func (r Recognizers) Whisper() string { return cmp.Or(r.WhisperCLI, "whisper-cli") }

// Timeout returns a number of seconds as a duration, by default 4 s.
func Timeout(sec float64) time.Duration {
	return time.Duration(cmp.Or(sec, 4) * float64(time.Second))
}

// RecognizersAtNextStart returns the members that differ and take effect at the next start.
func RecognizersAtNextStart(before, now Recognizers) []string {
	return later("", reflect.ValueOf(before.recognizersMembers), reflect.ValueOf(now.recognizersMembers))
}

// AtStart returns the settings of now, but keeps the old values of the members that take effect
// at the next start.
func (r Recognizers) AtStart(now Recognizers) Recognizers {
	r.Key, r.OpenAI.CheckTimeoutSec, r.WhisperServer.CheckTimeoutSec = now.Key, now.OpenAI.CheckTimeoutSec, now.WhisperServer.CheckTimeoutSec
	return r
}
