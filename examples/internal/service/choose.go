package service

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

// modelPlaces returns the folders of models in packages of whisper.cpp and of its models.
func modelPlaces() []string {
	return []string{
		"/usr/share/whisper.cpp/models", "/usr/share/whisper.cpp-model-*",
		"/usr/local/share/whisper.cpp/models", "/opt/homebrew/share/whisper.cpp/models",
	}
}

// Choice is the chosen recognizer.
type Choice struct {
	RecognizerFlags // ASR names the recognizer
	// Why gives the reason for the choice in a few words.
	Why string
	// Unused is the reason why a pulled model cannot be used; nil means that there is no
	// such model.
	Unused error
}

const chosenByFlag = "--asr says so"

// ByFlag reports whether --asr names the recognizer.
func (c Choice) ByFlag() bool { return c.Why == chosenByFlag }

// Describe returns a line with the recognizer, the reason for the choice, and its quality.
func (c Choice) Describe() (string, error) {
	r, err := c.Recognizer(engine.Host{}) // it only describes itself
	if err != nil {
		return "", err
	}
	if r == nil {
		return fmt.Sprintf("no recognizer (%s): %s", c.Why, noRecognizer()), nil
	}
	info := r.Info()
	name := strings.TrimSpace(info.Name + " " + info.Model)
	return fmt.Sprintf("%s (%s): %s", name, c.Why, info.Quality), nil
}

// noRecognizer describes a service without a recognizer.
func noRecognizer() string {
	return "only links with captions can be transcribed; `" + PullCommand() + "` installs a recognizer"
}

// Choose chooses the recognizer in this order: the one that --asr names; whisper-cli with a
// pulled model; the whisper-cli in PATH with a model of modelPlaces, or with a model that the
// operator has put into the folder of pulled models; faster-whisper; PocketSphinx; none. Among
// several models it chooses the most accurate one. A pulled model of Parakeet is used before
// whisper-cli, for its languages, and replaces faster-whisper and PocketSphinx.
func (f RecognizerFlags) Choose(ctx context.Context) (Choice, error) {
	if f.ASR.Name != "" {
		return Choice{f, chosenByFlag, nil}, nil
	}
	parakeet, noParakeet := f.pulled(ctx, ASRParakeetCLI)
	chosen, noWhisper := f.chooseWhisper(ctx)
	if ctx.Err() != nil {
		return Choice{}, context.Cause(ctx)
	}
	chosen.Unused = cmp.Or(noWhisper, noParakeet)
	switch _, missing := exec.LookPath(pocketsphinxProgram); {
	case parakeet != nil && chosen.ASR.Name != "":
		chosen.ASR.Before = parakeet
	case parakeet != nil:
		chosen.ASR, chosen.Why = *parakeet, wasPulled
	case chosen.ASR.Name != "":
	case f.hasFasterWhisper():
		chosen.ASR.Name, chosen.Why = ASRFasterWhisper, "no model was pulled"
	case missing == nil:
		chosen.ASR.Name, chosen.Why = ASRPocketsphinx, "nothing better is installed"
	default:
		chosen.ASR.Name, chosen.Why = ASRNone, "none is installed"
	}
	return chosen, nil
}

// wasPulled is the reason for a pulled recognizer.
const wasPulled = "it was pulled"

// chooseWhisper chooses a model of Whisper, if there is one. unused is the reason why a pulled
// model cannot be used.
func (f RecognizerFlags) chooseWhisper(ctx context.Context) (chosen Choice, unused error) {
	pulled, unused := f.pulled(ctx, ASRWhisperCLI)
	if pulled != nil {
		f.ASR = *pulled
		return Choice{f, wasPulled, nil}, nil
	}
	if found, ok := f.Installed(); ok {
		f.ASR = found
		return Choice{f, "found in " + filepath.Dir(found.Model), nil}, unused
	}
	return Choice{RecognizerFlags: f}, unused
}

// pulled returns the best pulled recognizer of a program, or nil if there is none. The error
// is the reason why a pulled model cannot be used.
func (f RecognizerFlags) pulled(ctx context.Context, program string) (*ASR, error) {
	folder, err := f.Folder()
	if err != nil {
		return nil, err
	}
	best, err := folder.Best(ctx, program)
	if err != nil {
		return nil, unused(ctx, folder, program, err)
	}
	return &ASR{Name: program, Model: best.Model.Path, Program: best.Program, SHA256: best.Model.SHA256}, nil
}

// Folder returns the folder of pulled models. A program that the file of --recognizers names is used
// for them.
func (f RecognizerFlags) Folder() (*models.Folder, error) {
	o := models.Options{Dir: f.Models, Path: SearchPath(), Table: f.Table, Program: f.Recognizers.WhisperCLI}
	return models.Open(o)
}

// unused returns the reason why a pulled model of a program cannot be used, given the folder's
// reason; nil if none was pulled.
func unused(ctx context.Context, folder *models.Folder, program string, why error) error {
	all, err := folder.List(ctx)
	if err != nil {
		return err
	}
	for _, i := range all {
		switch {
		case i.Kind != models.KindModel, cmp.Or(i.Program, ASRWhisperCLI) != program:
		case i.State == models.StateInstalled:
			return why
		case i.State == models.StateDamaged:
			return fmt.Errorf("%s is damaged: `transcriptd models pull %[1]s` gets it again", i.Name)
		}
	}
	return nil
}

// Installed returns the most accurate readable model that was not pulled, with a program for
// it. ok is false if there is none.
func (f RecognizerFlags) Installed() (e ASR, ok bool) {
	program, err := exec.LookPath(f.Recognizers.Whisper())
	if err != nil {
		return ASR{}, false
	}
	places := []string{f.Models}
	for _, pattern := range modelPlaces() {
		found, _ := filepath.Glob(pattern) // only a bad pattern is an error
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
		return ASR{}, false
	}
	best := slices.MaxFunc(all, func(a, b string) int { return cmp.Compare(accuracy(a), accuracy(b)) })
	return ASR{Name: ASRWhisperCLI, Model: best, Program: program}, true
}

// accuracy orders models by file size: the larger, the better. Of two equal models, the English
// one is a few bytes larger; it comes second.
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

// Recommended returns the name of the model for users who do not want to choose.
func Recommended() string {
	all := models.Table()
	return all[slices.IndexFunc(all, func(e models.Entry) bool { return e.Recommended })].Name
}

// PullCommand returns the command that installs a good recognizer.
func PullCommand() string { return "transcriptd models pull " + Recommended() }
