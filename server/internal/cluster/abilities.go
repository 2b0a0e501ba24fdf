package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Abilities are the kinds of work that one process can do. Each working process writes
// its abilities, as JSON, into its row in the table of processes. The processes that
// accept requests read these rows.
type Abilities struct {
	Captions   []transcript.Platform `json:"captions,omitempty"`  // platforms whose captions the process reads
	Lists      []transcript.Platform `json:"lists,omitempty"`     // platforms whose playlists and channels the process reads
	Discovery  bool                  `json:"discovery,omitempty"` // the process searches the video site
	Audio      bool                  `json:"audio,omitempty"`     // the process downloads sound
	Media      bool                  `json:"media,omitempty"`     // the process decodes media files
	Diarizes   bool                  `json:"diarizes,omitempty"`  // the process tells speakers apart in any recording
	Recognizer *Recognizer           `json:"recognizer,omitempty"`

	// unknown marks a process without readable abilities. Such a process may be able to
	// do anything.
	unknown bool
}

// Recognizer describes the recognizer of one process for the other processes.
type Recognizer struct {
	Name      string   `json:"name"`
	Model     string   `json:"model,omitempty"`
	Languages []string `json:"languages"` // null: any language
	ChunkSec  float64  `json:"chunkSec"`  // length of a chunk, in seconds
	WindowSec float64  `json:"windowSec,omitempty"`
	Prompts   bool     `json:"prompts,omitempty"`  // the recognizer takes a prompt
	Speakers  bool     `json:"speakers,omitempty"` // the recognizer tells speakers apart
	Voices    int      `json:"voices,omitempty"`   // number of known voices that the recognizer uses
}

// AbilitiesOf returns the abilities of a process with the engine e.
func AbilitiesOf(e engine.Engine) (a Abilities) {
	for _, platform := range transcript.Platforms() {
		if slices.ContainsFunc(e.Captions, func(s engine.CaptionSource) bool { _, ok := s.Origin(platform); return ok }) {
			a.Captions = append(a.Captions, platform)
		}
		if e.Lists != nil && e.Lists.Lists(platform) {
			a.Lists = append(a.Lists, platform)
		}
	}
	a.Discovery, a.Audio, a.Media, a.Diarizes = e.Discovery != nil, e.Audio != nil, e.Media != nil, e.Diarizer != nil
	if e.Recognizer != nil {
		info := e.Recognizer.Info()
		a.Recognizer = &Recognizer{
			Name: info.Name, Model: info.Model, Languages: info.Languages,
			ChunkSec: recognition.LengthsFor(info).Longest.Seconds(), WindowSec: info.Window.Seconds(), Prompts: info.Prompts,
			Speakers: info.Speakers, Voices: info.Voices,
		}
	}
	return a
}

// readAbilities parses the abilities in a row of the table of processes. A process
// ignores members that a newer version has added. If the JSON cannot be read, the
// abilities are unknown.
func readAbilities(row []byte) (a Abilities) {
	if len(row) == 0 || json.Unmarshal(row, &a) != nil {
		return Abilities{unknown: true}
	}
	return a
}

// ErrMissing means that a service has no engine for a task.
var ErrMissing = errors.New("not configured")

// Check returns nil if an ability works as far as it knows, ErrMissing for nil, and otherwise the
// fault.
func Check(ctx context.Context, ability any) error {
	if ability == nil {
		return ErrMissing
	}
	if c, ok := ability.(engine.Checker); ok {
		return c.Check(ctx)
	}
	return nil
}
