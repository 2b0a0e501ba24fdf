// Package doctor examines what a service with given flags uses, and says what is missing, old or
// broken.
package doctor

import (
	"context"
	"slices"

	"github.com/transcriptkit/transcriptkit/examples/internal/plain"
	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

// Names in the findings of server.Examine.
const (
	RecognizerName = "recognizer"
	ytDlpName      = "yt-dlp"
)

// Examine examines everything that a server with these flags uses, as the command doctor does. The
// server may be running. The error is a *service.FlagError about a flag that prevents an examination.
func Examine(ctx context.Context, s service.Setup) ([]engine.Finding, error) {
	s = s.Apart()
	config, err := s.Config()
	if err != nil {
		return nil, err
	}
	found, err := server.Examine(ctx, config, s.StoreOptions())
	if err != nil {
		return nil, service.ByFlag(err)
	}
	return service.EachCureOnce(WithCures(Complete(s, found, true))), nil
}

// Complete adds to the findings of server.Examine what the flags tell: the origin of the program
// that reads links, and the model. Works says whether the process works on jobs.
func Complete(s service.Setup, found []engine.Finding, works bool) []engine.Finding {
	for i, f := range found {
		if f.Name == ytDlpName && (f.Status == engine.OK || f.Status == engine.Old) {
			found[i].Found += "; " + service.YtDlpOrigin(string(s.YtDlp))
			break
		}
	}
	if !works {
		return found
	}
	heard := slices.IndexFunc(found, func(f engine.Finding) bool { return f.Name == RecognizerName })
	return slices.Insert(found, heard+1, examineModel(s.Speech)...)
}

// WithCures gives every fault without a cure a general one: a program that hangs, for example,
// has none.
func WithCures(found []engine.Finding) []engine.Finding {
	for i, f := range found {
		if f.Status != engine.OK && f.Cure == "" {
			found[i].Cure = "examine it again; if it stays so, install it again"
		}
	}
	return found
}

// examineModel reports findings about the choice of the recognizer.
func examineModel(asr service.Choice) []engine.Finding {
	var found []engine.Finding
	if asr.Unused != nil {
		found = append(found, engine.Finding{
			Name: "pulled model", Status: engine.Broken, Found: progress.OneLine(plain.Words(asr.Unused)),
			Fails: "its better texts", Cure: service.PullCommand(),
		})
	}
	switch {
	case asr.ASR.Name == service.ASRNone && !asr.ByFlag():
		return append(found, engine.Finding{
			Name: RecognizerName, Status: engine.Missing, Found: "none",
			Fails: "recordings, and links without captions: NOT_IMPLEMENTED", Cure: service.PullCommand(),
		})
	case asr.ASR.Name == service.ASRNone:
		return append(found, engine.Finding{Name: RecognizerName, Status: engine.OK, Found: "none, as --asr says"})
	case asr.ASR.Name == service.ASRPocketsphinx:
		return append(found, engine.Finding{
			Name: "model", Status: engine.Missing, Found: "none but PocketSphinx's own",
			Fails: "good texts of what is spoken, and all languages but English", Cure: service.PullCommand(),
		})
	}
	for one := &asr.ASR; one != nil; one = one.Before {
		if one.Model != "" {
			found = append(found, engine.Finding{Name: "model", Status: engine.OK, Found: one.Model})
		}
	}
	return found
}
