// Package sherpa tells the speakers of recordings apart with sherpa-onnx, offline: with its program
// sherpa-onnx-offline-speaker-diarization, a model of pyannote that finds the turns, and a model that
// tells voices apart.
//
//	d, err := sherpa.New(host, sherpa.Options{Segmentation: "/models/segmentation.onnx", Embedding: "/models/embedding.onnx"})
//	turns, err := d.Diarize(ctx, audio, engine.DiarizeOptions{})
//
// The options of the program are those of version 2.0.1. Each call starts the program, confined and with
// one thread. The embeddings of voices stay in the memory of the program.
package sherpa

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	name           = "sherpa-onnx"
	program        = "sherpa-onnx-offline-speaker-diarization"
	usualThreshold = 0.7
	// mostMemory is far more than the models and 12 hours of sound need, which the program keeps as
	// 4 bytes for each sample.
	mostMemory = 8 << 30
	mostOutput = 8 << 20
	maxReason  = 200 // characters
)

// Options configure a [Diarizer]. Segmentation and Embedding are required.
type Options struct {
	// Program is the name or the absolute path of the program; empty:
	// sherpa-onnx-offline-speaker-diarization.
	Program string
	// Libraries is the absolute path of a folder with the program's libraries; empty: the system
	// finds them.
	Libraries string
	// Segmentation and Embedding are the absolute paths of the models, ONNX files: pyannote's model
	// segmentation-3.0 as sherpa-onnx publishes it, and a model for speaker recognition.
	Segmentation, Embedding string
	// Threshold is the distance up to which two voices are one speaker, if a call does not name the
	// number of speakers: above 0 and below 2. A larger one finds fewer speakers. 0 means 0.7.
	Threshold float64
}

// Diarizer implements [engine.Diarizer] and [engine.Checker]. It is safe for concurrent use: a call
// has a program of its own. It needs no closing.
type Diarizer struct {
	host engine.Host
	set  Options
}

var (
	_ engine.Diarizer = (*Diarizer)(nil)
	_ engine.Checker  = (*Diarizer)(nil)
)

// New returns a diarizer that runs the program on host. New itself starts nothing and does not use
// host. [Diarizer.Check] checks whether the program and the models exist.
func New(host engine.Host, o Options) (*Diarizer, error) {
	switch {
	case !filepath.IsAbs(o.Segmentation):
		return nil, errors.New("sherpa: Segmentation is not an absolute path")
	case !filepath.IsAbs(o.Embedding):
		return nil, errors.New("sherpa: Embedding is not an absolute path")
	case o.Libraries != "" && !filepath.IsAbs(o.Libraries):
		return nil, errors.New("sherpa: Libraries is not an absolute path")
	case o.Threshold < 0 || o.Threshold >= 2:
		return nil, errors.New("sherpa: Threshold is not from 0 to below 2")
	}
	o.Program = cmp.Or(o.Program, program)
	o.Threshold = cmp.Or(o.Threshold, usualThreshold)
	return &Diarizer{host, o}, nil
}

// Info describes the diarizer. Its model is the names of the two files.
func (d *Diarizer) Info() engine.DiarizerInfo {
	base := func(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }
	return engine.DiarizerInfo{Name: name, Model: base(d.set.Segmentation) + " and " + base(d.set.Embedding)}
}

// Check looks for the program and the models. Its error is a CONFIG_ERROR that names the missing file.
func (d *Diarizer) Check(context.Context) error {
	if _, err := d.host.Programs.Look(d.set.Program); err != nil {
		return transcript.Errorf(transcript.ConfigError, "%s is not installed: install sherpa-onnx, or name the path of the program.", d.set.Program).
			With("engine", name).Because(err)
	}
	for _, model := range []string{d.set.Segmentation, d.set.Embedding} {
		if _, err := os.Stat(model); err != nil {
			return transcript.Errorf(transcript.ConfigError, "The model %s cannot be read: download it from the publisher of sherpa-onnx.", filepath.Base(model)).
				With("engine", name).Because(err)
		}
	}
	return nil
}

// Diarize returns the turns of all speakers. Turns of two speakers overlap where both speak.
//
// Errors: A number of speakers outside of 0 to [transcript.MaxSpeakers] is INVALID_REQUEST. A missing
// program or model is CONFIG_ERROR. A recording that cannot be read, and a failing program, are
// INTERNAL. Otherwise the error is the context's.
func (d *Diarizer) Diarize(ctx context.Context, audio engine.Audio, o engine.DiarizeOptions) ([]engine.Turn, error) {
	if o.Speakers < 0 || o.Speakers > transcript.MaxSpeakers {
		return nil, transcript.Errorf(transcript.InvalidRequest, "The number of speakers is from 0 to %d.", transcript.MaxSpeakers).
			With("engine", name)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	rec, err := speech.Open(audio.Path)
	if err != nil {
		return nil, transcript.Errorf(transcript.Internal, "The recording cannot be read.").With("engine", name).Because(err)
	}
	length := rec.Duration()
	_ = rec.Close() // it was only read
	if err := d.Check(ctx); err != nil {
		return nil, err
	}
	if length == 0 {
		return nil, nil // the program refuses a recording without samples
	}
	path, err := filepath.Abs(audio.Path)
	if err != nil {
		return nil, failed(err)
	}
	return d.run(ctx, path, length, o.Speakers)
}

// args are the program's arguments. The path is absolute, so that it is no option.
func (d *Diarizer) args(path string, speakers int) []string {
	count := "--clustering.cluster-threshold=" + strconv.FormatFloat(d.set.Threshold, 'f', -1, 64)
	if speakers > 0 {
		count = "--clustering.num-clusters=" + strconv.Itoa(speakers)
	}
	return []string{
		"--segmentation.pyannote-model=" + d.set.Segmentation, "--embedding.model=" + d.set.Embedding,
		"--segmentation.num-threads=1", "--embedding.num-threads=1", "--print-args=false", count, path,
	}
}

func (d *Diarizer) run(ctx context.Context, path string, length time.Duration, speakers int) ([]engine.Turn, error) {
	reads := []string{d.set.Segmentation, d.set.Embedding, path}
	command, args := d.set.Program, d.args(path, speakers)
	if filepath.IsAbs(command) {
		reads = append(reads, command)
	}
	if d.set.Libraries != "" {
		reads = append(reads, d.set.Libraries)
		command, args = "env", append([]string{"LD_LIBRARY_PATH=" + d.set.Libraries, command}, args...)
	}
	out := &lines{most: mostOutput}
	patience := 5*time.Minute + 4*length // a busy machine needs about as long as the audio
	exit, err := d.host.Programs.Run(ctx, engine.Command{
		Program: command, Args: args, Reads: reads, Stdout: out,
		Limits: engine.Limits{Wall: patience, CPU: patience, Memory: mostMemory, FileSize: 1 << 20},
	})
	var missing *exec.Error
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &missing), errors.Is(err, fs.ErrNotExist):
		return nil, transcript.Errorf(transcript.ConfigError, "%s is not installed: install sherpa-onnx, or name the path of the program.", d.set.Program).
			With("engine", name).Because(err)
	case out.refused:
		return nil, failed(fmt.Errorf("more than %d bytes of output", mostOutput))
	case err != nil:
		return nil, failed(err)
	case exit.Code != 0:
		words := bytes.Split(bytes.TrimSpace(exit.Stderr), []byte("\n"))
		return nil, failed(fmt.Errorf("it ended with exit code %d: %s", exit.Code, clip.Line(string(words[len(words)-1]), maxReason)))
	}
	turns, err := parse(out.kept.String(), length.Seconds())
	if err != nil {
		return nil, failed(err)
	}
	return turns, nil
}

// failed is the error of a run that may succeed another time.
func failed(err error) error {
	return transcript.Errorf(transcript.Internal, "Telling the voices failed.").
		With("engine", name).Because(fmt.Errorf("%s: %w", name, err))
}

// lines is a buffer that refuses more than most bytes.
type lines struct {
	kept    bytes.Buffer // not embedded: its ReadFrom has no bound
	most    int
	refused bool
}

// Write fails for the first byte too many.
func (l *lines) Write(p []byte) (int, error) {
	if l.kept.Len()+len(p) > l.most {
		l.refused = true
		return 0, fmt.Errorf("more than %d bytes of output", l.most)
	}
	return l.kept.Write(p)
}
