package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// example is a caption file of the suite with its right answers.
type example struct {
	answer

	Rule     string   `json:"rule"`     // where the rule stands that the answer follows
	Language string   `json:"language"` // of the text, if a reader cannot know the encoding without it
	Or       []answer `json:"or"`       // other right answers

	format, path string
}

// answer is what a reader makes of a file.
type answer struct {
	Cues  []cue   `json:"cues"`  // sorted by start
	Lost  int     `json:"lost"`  // the number of cues that cannot be read
	Error problem `json:"error"` // not empty if the file is not of the format
}

// cue is one text with its times.
type cue struct {
	Start   float64  `json:"start"`             // seconds
	End     *float64 `json:"end,omitempty"`     // seconds; nil if any end is right
	Speaker *string  `json:"speaker,omitempty"` // nil if the reader does not report speakers
	Text    string   `json:"text"`
	Words   []word   `json:"words,omitempty"` // compared only with those of this module
}

type word struct {
	Start      float64 `json:"start"`
	End        float64 `json:"end"`
	Text       string  `json:"text"`
	Confidence float64 `json:"confidence,omitempty"`
}

// problem is the message of a reader's error. An expected answer has true instead.
type problem string

// UnmarshalJSON implements [json.Unmarshaler].
func (p *problem) UnmarshalJSON(b []byte) error {
	if string(b) == "true" {
		*p = "not the format"
		return nil
	}
	return json.Unmarshal(b, (*string)(p))
}

// right returns all right answers.
func (e *example) right() []answer { return append([]answer{e.answer}, e.Or...) }

// name returns the name of the file in the folder of the cases.
func (e *example) name() string { return e.format + "/" + filepath.Base(e.path) }

// load reads the cases of a folder, sorted by path.
func load(folder string) (all []example, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) == ".json" && !strings.HasSuffix(path, ".in.json") {
			return err
		}
		e := example{path: path, format: filepath.Base(filepath.Dir(path))}
		expected := strings.TrimSuffix(strings.TrimSuffix(path, filepath.Ext(path)), ".in") + ".json"
		b, err := os.ReadFile(expected)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(b, &e); err != nil {
			return fmt.Errorf("%s: %w", expected, err)
		}
		all = append(all, e)
		return nil
	})
	return all, err
}

// formats returns the formats of the cases, in the order in which they come.
func formats(all []example) (names []string) {
	for _, e := range all {
		if !slices.Contains(names, e.format) {
			names = append(names, e.format)
		}
	}
	return names
}
