package transcribe

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/transcriptkit/transcriptkit/client"
)

// knownLanguages returns a sentence for each recognizer that did not know the languages of a
// failed task: the languages that it knows.
func knownLanguages(failed []error) (sentences []string) {
	for _, err := range failed {
		known, _ := details(err)["known"].([]any) // other failures have no such list
		if len(known) == 0 {
			continue
		}
		names := make([]string, len(known))
		for i, tag := range known {
			names[i] = languageName(fmt.Sprint(tag))
		}
		slices.Sort(names)
		sentence := fmt.Sprintf("Languages for --language that the recognizer knows: %s.", strings.Join(slices.Compact(names), ", "))
		if !slices.Contains(sentences, sentence) {
			sentences = append(sentences, sentence)
		}
	}
	return sentences
}

// details returns what the service says about a failure for programs.
func details(err error) map[string]any {
	var refused *client.Error
	if errors.As(err, &refused) {
		return refused.Details
	}
	var failed *client.JobError
	if errors.As(err, &failed) && failed.Job.Error != nil {
		return failed.Job.Error.Details
	}
	return nil
}

// languageName returns the name of a language with its tag, as in "German (de)".
func languageName(tag string) string {
	name := display.English.Tags().Name(language.Make(tag))
	if name == "" || strings.HasPrefix(name, "Unknown") {
		return tag
	}
	return name + " (" + tag + ")"
}
