package main

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/models"
	"github.com/transcriptkit/transcriptkit/server/engine/whisper"
)

// modelPlaces are where packages of whisper.cpp and of its models put models.
func modelPlaces() []string {
	return []string{
		"/usr/share/whisper.cpp/models", "/usr/share/whisper.cpp-model-*",
		"/usr/local/share/whisper.cpp/models", "/opt/homebrew/share/whisper.cpp/models",
	}
}

// choice is what choose has found.
type choice struct {
	recognizerFlags // in which ASR names the recognizer
	// Why says in a few words why it is that one.
	Why string
	// Unused is why a model that was pulled is of no use; nil: it is, or none was.
	Unused error
}

const chosenByFlag = "--asr says so"

// describe says in a line who recognizes speech, why, and how good it is.
func (c choice) describe() (string, error) {
	r, err := c.recognizer(engine.Host{}) // it is only asked what it is
	if err != nil {
		return "", err
	}
	if r == nil {
		return fmt.Sprintf("nobody (%s): %s", c.Why, nobody()), nil
	}
	info := r.Info()
	name := strings.TrimSpace(info.Name + " " + info.Model)
	return fmt.Sprintf("%s (%s): %s", name, c.Why, info.Quality), nil
}

// nobody is the quality of no recognizer.
func nobody() string {
	return "only links with captions have a text; `" + pullCommand() + "` gets a recognizer"
}

// choose says who recognizes speech: what --asr names, else whisper-cli with a pulled
// model, else the whisper-cli in PATH with a model of modelPlaces, or one that was put
// into the folder of pulled ones by hand, else PocketSphinx, else nobody. Of several
// models it is the most accurate one.
func (f recognizerFlags) choose(ctx context.Context) (choice, error) {
	if f.ASR.name != "" {
		return choice{f, chosenByFlag, nil}, nil
	}
	pulled, err := f.pulled(ctx)
	if ctx.Err() != nil {
		return choice{}, context.Cause(ctx)
	}
	if err == nil {
		f.ASR = pulled
		return choice{f, "it was pulled", nil}, nil
	}
	err = f.unused(ctx, err)
	if found, ok := f.found(); ok {
		f.ASR = found
		return choice{f, "found in " + filepath.Dir(found.model), err}, nil
	}
	if _, missing := exec.LookPath(pocketsphinxProgram); missing == nil {
		f.ASR.name = asrPocketsphinx
		return choice{f, "nothing better is installed", err}, nil
	}
	f.ASR.name = asrNone
	return choice{f, "none is installed", err}, nil
}

// pulled is the best that was pulled.
func (f recognizerFlags) pulled(ctx context.Context) (asrEngine, error) {
	folder, err := f.pulledFolder()
	if err != nil {
		return asrEngine{}, err
	}
	best, err := folder.Best(ctx)
	if err != nil {
		return asrEngine{}, err
	}
	return asrEngine{name: asrWhisperCLI, model: best.Model.Path, program: best.Program, sha256: best.Model.SHA256}, nil
}

// pulledFolder is that of pulled models. Whoever names a program has that one used.
func (f recognizerFlags) pulledFolder() (*models.Folder, error) {
	o := models.Options{Dir: f.Models, Path: searchPath(), Table: publishedModels}
	if f.WhisperCLI != asrWhisperCLI {
		o.Program = string(f.WhisperCLI)
	}
	return models.Open(o)
}

// unused is why a model that was pulled is of no use, given what the folder says; nil
// where none was pulled.
func (f recognizerFlags) unused(ctx context.Context, why error) error {
	folder, err := f.pulledFolder()
	if err != nil {
		return err
	}
	all, err := folder.List(ctx)
	if err != nil {
		return err
	}
	for _, i := range all {
		switch {
		case i.Kind != models.KindModel:
		case i.State == models.StateInstalled:
			return why
		case i.State == models.StateDamaged:
			return fmt.Errorf("%s is damaged: `transcriptd models pull %[1]s` gets it again", i.Name)
		}
	}
	return nil
}

// found is the most accurate readable model that was not pulled, if there is one, and a
// program for it.
func (f recognizerFlags) found() (e asrEngine, ok bool) {
	program, err := exec.LookPath(string(f.WhisperCLI))
	if err != nil {
		return asrEngine{}, false
	}
	places := []string{f.Models}
	for _, pattern := range modelPlaces() {
		found, _ := filepath.Glob(pattern) // the only error is a bad pattern
		places = append(places, found...)
	}
	var all []string
	for _, place := range places {
		found, _ := fs.Glob(os.DirFS(place), "ggml-*.bin") // as above
		for _, name := range found {
			all = append(all, filepath.Join(place, name))
		}
	}
	all = slices.DeleteFunc(all, func(path string) bool {
		_, err := whisper.NewCLI(engine.Host{}, whisper.CLIOptions{Model: path})
		return err != nil
	})
	if len(all) == 0 {
		return asrEngine{}, false
	}
	best := slices.MaxFunc(all, func(a, b string) int { return cmp.Compare(accuracy(a), accuracy(b)) })
	return asrEngine{name: asrWhisperCLI, model: best, program: program}, true
}

// accuracy compares models: the larger the file, the better. Of equal models the one
// for English alone is a few bytes larger, and comes second.
func accuracy(model string) int64 {
	st, err := os.Stat(model)
	if err != nil {
		return 0
	}
	if strings.Contains(filepath.Base(model), ".en") {
		return st.Size() / 100 * 99
	}
	return st.Size()
}

// pullCommand is the command that gets a recognizer worth having.
func pullCommand() string {
	all := models.Table()
	at := slices.IndexFunc(all, func(e models.Entry) bool { return e.Recommended })
	return "transcriptd models pull " + all[at].Name
}
