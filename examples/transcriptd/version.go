package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
)

type versionCommand struct{}

// programs lists the programs that the engines run, with the argument that prints their version
// ("": there is none).
func programs() [][2]string {
	return [][2]string{{"ffmpeg", "-version"}, {"ffprobe", "-version"}, {"pocketsphinx_continuous", ""}, {service.YtDlp(), "--version"}}
}

// Run prints a line for each program.
func (*versionCommand) Run(ctx context.Context, out output) error {
	table := newTable(out, "transcriptd\t"+service.Version())
	fmt.Fprintf(table, "go\t%s\n", strings.TrimPrefix(runtime.Version(), "go"))
	for _, p := range programs() {
		fmt.Fprintf(table, "%s\t%s\n", filepath.Base(p[0]), programVersion(ctx, p[0], p[1]))
	}
	return table.Flush()
}

// programVersion returns the third word that ffmpeg and similar programs print; yt-dlp prints
// only one word.
func programVersion(ctx context.Context, name, ask string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return "not found"
	}
	if ask == "" {
		return path
	}
	answer, err := exec.CommandContext(ctx, path, ask).Output()
	words := strings.Fields(string(answer))
	if err != nil || len(words) == 0 {
		return path + " does not tell its version"
	}
	return words[min(2, len(words)-1)]
}
