package openaiface

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

// The names of OpenAI's models that programs send. For each of them, the recognizer of the service
// recognizes the recording.
const diarizing = "gpt-4o-transcribe-diarize"

var aliases = []string{"gpt-transcribe", "gpt-4o-transcribe", "gpt-4o-mini-transcribe", diarizing, "whisper-1"}

// snapshot is the day at the end of the name of a model.
var snapshot = regexp.MustCompile(`-\d{4}-\d\d-\d\d$`)

// checkModel refuses a name that is neither a name of OpenAI's models nor the name of a
// recognizer here.
func checkModel(name string, team cluster.Team) error {
	plain := snapshot.ReplaceAllString(name, "")
	switch {
	case plain == diarizing && !tellsSpeakers(team):
		return invalid("model", "model_not_found", "This service cannot tell speakers apart, as the model %q does: name another model. %s", diarizing, engine.CureDiarizer)
	case slices.Contains(aliases, plain), slices.Contains(ownModels(team), name):
		return nil
	}
	e := invalid("model", "model_not_found", "The model %q does not exist: GET /v1/models lists the names that this service takes.", clip.Text(name))
	e.Status = http.StatusNotFound
	return e
}

// tellsSpeakers reports whether the recognizer or another program tells speakers apart.
func tellsSpeakers(team cluster.Team) bool { return team.TellsSpeakers() || team.Diarizes() }

// ownModels returns the names of the models of the recognizers here, or of the recognizers
// themselves.
func ownModels(team cluster.Team) (names []string) {
	for _, r := range team.Recognizers() {
		if name := cmp.Or(r.Model, r.Name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// model is an element of GET /v1/models.
type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

type modelList struct {
	Object string  `json:"object"`
	Data   []model `json:"data"`
}

// listModels is GET /v1/models.
func (f *Face) listModels(w http.ResponseWriter, r *http.Request) error {
	team := f.Pipeline.Team(r.Context())
	all := modelList{Object: "list", Data: []model{}}
	for _, rec := range team.Recognizers() {
		name := cmp.Or(rec.Model, rec.Name)
		if !slices.ContainsFunc(all.Data, func(m model) bool { return m.ID == name }) {
			all.Data = append(all.Data, model{ID: name, Object: "model", OwnedBy: rec.Name})
		}
	}
	if len(all.Data) > 0 {
		for _, name := range aliases {
			if name != diarizing || tellsSpeakers(team) {
				all.Data = append(all.Data, model{ID: name, Object: "model", OwnedBy: "transcriptkit"})
			}
		}
	}
	return edge.RespondJSON(w, http.StatusOK, all)
}
