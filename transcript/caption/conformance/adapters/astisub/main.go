// Command astisub answers the runner with go-astisub.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/asticode/go-astisub"
)

type cue struct {
	Start   float64 `json:"start"`
	End     float64 `json:"end"`
	Text    string  `json:"text"`
	Speaker string  `json:"speaker"`
}

type answer struct {
	Cues  []cue  `json:"cues"`
	Lost  int    `json:"lost"`
	Error string `json:"error,omitempty"`
}

func main() {
	lost := 0
	ssa := func(r io.Reader) (*astisub.Subtitles, error) {
		return astisub.ReadFromSSAWithOptions(r, astisub.SSAOptions{
			OnUnknownSectionName: func(string) {}, OnInvalidLine: func(string) { lost++ },
		})
	}
	read, ok := map[string]func(io.Reader) (*astisub.Subtitles, error){
		"webvtt": astisub.ReadFromWebVTT, "srt": astisub.ReadFromSRT, "ttml": astisub.ReadFromTTML, "ass": ssa,
	}[os.Args[1]]
	if !ok {
		os.Exit(3)
	}
	for paths := bufio.NewScanner(os.Stdin); paths.Scan(); {
		lost = 0
		a := ask(read, paths.Text())
		a.Lost = lost
		_ = json.NewEncoder(os.Stdout).Encode(a) // the runner has gone, and closes the input
	}
}

func ask(read func(io.Reader) (*astisub.Subtitles, error), path string) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a = answer{Error: fmt.Sprint(r)}
		}
	}()
	f, err := os.Open(path)
	if err != nil {
		return answer{Error: err.Error()}
	}
	defer f.Close()
	found, err := read(f)
	if err != nil {
		return answer{Error: err.Error()}
	}
	for _, item := range found.Items {
		c := cue{Start: item.StartAt.Seconds(), End: item.EndAt.Seconds()}
		var lines []string
		for _, l := range item.Lines {
			var parts strings.Builder
			for _, part := range l.Items {
				parts.WriteString(part.Text)
			}
			lines = append(lines, parts.String())
			c.Speaker = l.VoiceName
		}
		c.Text = strings.Join(lines, "\n")
		a.Cues = append(a.Cues, c)
	}
	return a
}
