package pocketsphinx_test

import (
	"fmt"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/pocketsphinx"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
)

// A server makes its recognizer in Config.Engine, where it hands out the host.
func Example() {
	makeEngine := func(host engine.Host) (engine.Engine, error) {
		return engine.Engine{Recognizer: pocketsphinx.New(host)}, nil
	}

	eng, err := makeEngine(engine.Host{})
	info := eng.Recognizer.Info()
	fmt.Println(info.Name, info.Model, info.Languages, recognition.LengthsFor(info).Longest, err)
	// Output:
	// pocketsphinx en-us [en] 30s <nil>
}
