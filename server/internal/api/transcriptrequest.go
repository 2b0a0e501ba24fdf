package api

import (
	"net/http"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The time that POST /v1/transcript waits for a result before it answers with a job.
const (
	maxWait     = 10 * time.Second
	defaultWait = 2 * time.Second
)

// defaultLanguage stands for a list that was left out, where there are captions;
// elsewhere the language is detected.
const defaultLanguage = "en"

// wishes are what a link and an upload may both be asked with.
type wishes struct {
	languages transcript.LanguageList // nil: none sent
	view      view.View
	wait      time.Duration
}

func (wish *wishes) fields() []*request.Field {
	return append(viewFields(&wish.view),
		request.New("sendMetadata", &wish.view.SendMetadata, request.Boolean().Default(false)).
			About("Shows metadata, title, creator and the like."),
		request.New("waitMs", &wish.wait, request.Milliseconds(maxWait).Default(defaultWait)).
			About("Milliseconds to hold the answer. 0: what is not in the cache is a job at once."),
	)
}

// viewFields say how a transcript is shown.
func viewFields(v *view.View) []*request.Field {
	return []*request.Field{
		request.New("format", &v.Format, request.Enum([]transcript.Format{transcript.JSON, transcript.Text}).Default(transcript.JSON)).
			About("The form of the transcript."),
		request.New("includeTimestamp", &v.OmitTimestamp, request.Not().Default(false)).About("Text begins each line with its time."),
	}
}

func languageField(list *transcript.LanguageList) *request.Field {
	return request.New("language", list, request.Languages()).
		About("Languages in the order of preference, separated by commas; \"asr\" is a place at which to recognize.")
}

// canonical is the canonical form of what the table has read, about content on a
// platform: the default of the language depends on it.
func canonical(t request.Table, p transcript.Platform) map[string]any {
	c := t.Canonical()
	if _, sent := c["language"]; !sent {
		c["language"] = defaultLanguages(p).String()
	}
	return c
}

func defaultLanguages(p transcript.Platform) transcript.LanguageList {
	if p.HasCaptions() {
		return transcript.LanguageList{{Tag: defaultLanguage}}
	}
	return transcript.LanguageList{{ASR: true}}
}

// linkRequest is the JSON body of POST /v1/transcript.
type linkRequest struct {
	source
	wishes
	table request.Table
}

func newLinkRequest() *linkRequest {
	req := new(linkRequest)
	req.table = request.Table{
		Name: "CreateTranscriptRequest",
		Fields: slices.Concat(req.source.fields(), req.wishes.fields(), []*request.Field{
			languageField(&req.languages).ShowDefault(defaultLanguage),
		}),
		OneOf: oneSource,
	}
	return req
}

// readLinkRequest reads the body and checks everything that can be checked without
// asking anyone.
func readLinkRequest(w http.ResponseWriter, r *http.Request) (*linkRequest, error) {
	body, err := edge.ReadBody(w, r, edge.MaxJSONBody)
	if err != nil {
		return nil, err
	}
	req := newLinkRequest()
	return req, req.table.ReadJSON(body)
}

func (req *linkRequest) canonical(p transcript.Platform) map[string]any {
	return canonical(req.table, p)
}
