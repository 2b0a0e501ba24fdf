package engine_test

import (
	"errors"
	"fmt"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The cure of a finding stands apart from the fault. A busy thing is there.
func TestFindingOf(t *testing.T) {
	t.Parallel()
	apart := transcript.Errorf(transcript.UpstreamFailed, "This machine cannot reach a.example. Mend it.")
	apart.Cure = "Mend it."
	for _, test := range []struct {
		err  error
		want engine.Finding
	}{
		{nil, engine.Finding{Status: engine.OK}},
		{errors.New("a fault"), engine.Finding{Status: engine.Broken, Found: "a fault"}},
		{transcript.Errorf(transcript.ConfigError, "The key is wrong: put the right one there."),
			engine.Finding{Status: engine.Broken, Found: "The key is wrong", Cure: "put the right one there"}},
		{transcript.Errorf(transcript.ConfigError, "It is missing: install it.").Because(exec.ErrNotFound),
			engine.Finding{Status: engine.Missing, Found: "It is missing", Cure: "install it"}},
		{fmt.Errorf("asr: %w", apart), engine.Finding{Status: engine.Broken, Found: "This machine cannot reach a.example", Cure: "Mend it."}},
		{transcript.Errorf(transcript.RateLimited, "It has not answered within 4s: it may be busy."),
			engine.Finding{Status: engine.OK, Found: "It has not answered within 4s: it may be busy"}},
	} {
		test.want.Name = "thing"
		assert.Equal(t, test.want, engine.FindingOf("thing", test.err))
	}
}
