package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/examples/internal/programtest"
)

// Each shell completes the commands and flags of this program.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, shell := range programtest.Shells() {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, []string{"healthcheck", "pull", "json", "--account", "follow", "fish"}, programtest.Complete(t, shell, must(t, "completion", shell).stdout,
				"transcriptd hea", "transcriptd yt-dlp pu", "transcriptd serve --log-format j", "transcriptd keys create --acc", "transcriptd transcribe fol", "transcriptd completion fi"))
		})
	}
}
