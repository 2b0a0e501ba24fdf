package openapi

import (
	_ "embed" // the texts
	"encoding/json"
	"maps"
	"reflect"

	"github.com/swaggest/jsonschema-go"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// commentsFile has the comments of the fields. A test writes commentsFile, because a program cannot
// read its own comments.
//
//go:embed texts.json
var commentsFile []byte

// wordsFile has the words that are not in a comment of a field: what the operations do, when
// they answer with which status, and what the values of strings mean. People write wordsFile.
//
//go:embed words.json
var wordsFile []byte

// texts are the words of the document.
type texts struct {
	Properties map[string]map[string]string // by Go type, as in "batch.Job", and property
	Values     map[string]map[string]string // of a string, by schema and value
	Operations map[string]operationTexts    // by operation
}

type operationTexts struct {
	Description string
	When        map[string]string          // when the operation answers with a status
	Request     json.RawMessage            // an example of a JSON body
	Answers     map[string]json.RawMessage // examples by status
}

// readTexts reads the texts. Types with the same properties get the same texts.
func readTexts() (t texts, err error) {
	for _, file := range [][]byte{commentsFile, wordsFile} {
		if err := json.Unmarshal(file, &t); err != nil {
			return texts{}, err
		}
	}
	t.lend(TranscriptResult{}, transcript.Result{})
	t.lend(Job{}, transcript.Result{})
	t.lend(Job{}, transcript.Job{})
	t.lend(wire.Progress{}, transcript.Job{})
	t.lend(transcript.Word{}, TimedWord{})
	return t, nil
}

// lend gives the texts of one type to another type. The other type keeps its own texts.
func (t texts) lend(to, from any) {
	all := maps.Clone(t.Properties[reflect.TypeOf(from).String()])
	maps.Copy(all, t.Properties[reflect.TypeOf(to).String()])
	t.Properties[reflect.TypeOf(to).String()] = all
}

// describe sets the description of a property to the comment of the field.
func (t texts) describe(p jsonschema.InterceptPropParams) error {
	of := p.ParentSchema.ReflectType
	if !p.Processed || of == nil {
		return nil
	}
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if text, ok := t.Properties[of.String()][p.Name]; ok {
		p.PropertySchema.WithDescription(text)
	}
	return nil
}
