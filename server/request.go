package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/swaggest/jsonschema-go"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Bounds of POST /v1/transcript (the specification's Limits).
const (
	maxJSONBody   = 1 << 20
	maxURL        = 2048
	maxExternalID = 512
	maxWait       = 10 * time.Second
	defaultWait   = 2 * time.Second
)

// createRequest is the JSON body of POST /v1/transcript.
type createRequest struct {
	URL              *string              `json:"url,omitempty" minLength:"1" maxLength:"2048"`
	Platform         *transcript.Platform `json:"platform,omitempty" enum:"video_site,short_video_site,photo_site,professional_site,microblog_site"`
	ExternalID       *string              `json:"externalId,omitempty" minLength:"1" maxLength:"512"`
	Language         *string              `json:"language,omitempty" minLength:"1" maxLength:"200" default:"en"`
	Format           *transcript.Format   `json:"format,omitempty" default:"json"`
	IncludeTimestamp *bool                `json:"includeTimestamp,omitempty" default:"true"`
	SendMetadata     *bool                `json:"sendMetadata,omitempty" default:"false"`
	WaitMs           *int                 `json:"waitMs,omitempty" minimum:"0" maximum:"10000" default:"2000"`

	_ struct{} `additionalProperties:"false"`
}

// PrepareJSONSchema adds the source rule to the document: a link, or a platform
// with its id.
func (createRequest) PrepareJSONSchema(s *jsonschema.Schema) error {
	link := new(jsonschema.Schema).WithRequired("url")
	content := new(jsonschema.Schema).WithRequired("platform", "externalId")
	s.WithOneOf(link.ToSchemaOrBool(), content.ToSchemaOrBool())
	return nil
}

// wishes are what both forms of POST /v1/transcript ask for.
type wishes struct {
	languages transcript.LanguageList // nil: none sent
	view      pipeline.View
	wait      time.Duration
}

// canonical is what is wished of content on a platform, defaults filled in: one
// that was sent is no other than one that was left out (contract 7).
func (wish *wishes) canonical(p transcript.Platform) map[string]any {
	languages, format := wish.languages, wish.view.Format
	if languages == nil {
		languages = defaultLanguages(p)
	}
	if format == "" {
		format = transcript.JSON
	}
	return map[string]any{
		"language":         languages.String(),
		"format":           format,
		"includeTimestamp": !wish.view.OmitTimestamp,
		"sendMetadata":     wish.view.SendMetadata,
		"waitMs":           wish.wait.Milliseconds(),
	}
}

// defaultLanguages is what a list that was left out means (contract 1).
func defaultLanguages(p transcript.Platform) transcript.LanguageList {
	if p.HasCaptions() {
		return transcript.LanguageList{{Tag: "en"}}
	}
	return transcript.LanguageList{{ASR: true}}
}

// maxIssues is how many faults of a request its sender is told.
const maxIssues = 20

// problems gathers what is wrong with a request, so that its sender learns of
// them at once, but of no more than maxIssues of either kind. What cannot be read
// goes before what has a wrong value (contract 2: 400, 422).
type problems struct{ unreadable, unfit []transcript.Issue }

func (p *problems) cannotRead(path, format string, args ...any) {
	add(&p.unreadable, path, format, args...)
}

func (p *problems) doesNotFit(path, format string, args ...any) {
	add(&p.unfit, path, format, args...)
}

// add appends an issue. Its path may be a name that the caller made up.
func add(issues *[]transcript.Issue, path, format string, args ...any) {
	if len(*issues) < maxIssues {
		*issues = append(*issues, transcript.Issue{Path: clip.Text(path), Message: fmt.Sprintf(format, args...)})
	}
}

func (p *problems) err() error {
	switch {
	case len(p.unreadable) > 0:
		return invalid(http.StatusBadRequest, slices.Concat(p.unreadable, p.unfit)...)
	case len(p.unfit) > 0:
		return invalid(http.StatusUnprocessableEntity, p.unfit...)
	}
	return nil
}

// linkRequest is a received JSON body.
type linkRequest struct {
	source
	wishes
}

// readLinkRequest reads the JSON body of POST /v1/transcript and checks
// everything that can be checked without asking anyone.
func readLinkRequest(w http.ResponseWriter, r *http.Request) (*linkRequest, error) {
	body, err := readJSON(w, r)
	if err != nil {
		return nil, err
	}
	var p problems
	var sent createRequest
	decodeObject(body, &p, map[string]any{
		"url": &sent.URL, "platform": &sent.Platform, "externalId": &sent.ExternalID, "language": &sent.Language,
		"format": &sent.Format, "includeTimestamp": &sent.IncludeTimestamp, "sendMetadata": &sent.SendMetadata, "waitMs": &sent.WaitMs,
	})
	req := &linkRequest{source{sent.URL, sent.Platform, sent.ExternalID}, wishes{wait: defaultWait}}
	req.check(&p)
	req.set(&p, sent.Language, sent.Format, sent.IncludeTimestamp, sent.SendMetadata, sent.WaitMs)
	return req, p.err()
}

// canonical is what the request asks for, whatever the order and form of its
// members.
func (req *linkRequest) canonical(p transcript.Platform) map[string]any {
	c := req.wishes.canonical(p)
	if req.url != nil {
		c["url"] = *req.url
		return c
	}
	c["platform"], c["externalId"] = *req.platform, *req.externalID
	return c
}

// set takes over what was sent; nil members keep their defaults.
func (wish *wishes) set(p *problems, language *string, format *transcript.Format, timestamp, metadata *bool, waitMs *int) {
	if language != nil {
		var err error
		if wish.languages, err = transcript.ParseLanguageList(*language); err != nil {
			p.doesNotFit("language", "%s", err)
		}
	}
	if format != nil {
		wish.view.Format = *format
		checkFormat(p, "format", *format)
	}
	if timestamp != nil {
		wish.view.OmitTimestamp = !*timestamp
	}
	if metadata != nil {
		wish.view.SendMetadata = *metadata
	}
	if waitMs != nil {
		wish.wait = time.Duration(*waitMs) * time.Millisecond
		if *waitMs < 0 || *waitMs > int(maxWait/time.Millisecond) {
			p.doesNotFit("waitMs", "must be from 0 to %d", maxWait/time.Millisecond)
		}
	}
}

func checkFormat(p *problems, path string, f transcript.Format) {
	if f != transcript.JSON && f != transcript.Text {
		p.doesNotFit(path, `must be "json" or "text"`)
	}
}

// checkLength counts characters, not bytes (contract 13.11).
func checkLength(p *problems, path, value string, longest int) {
	if n := utf8.RuneCountInString(value); n < 1 || n > longest {
		p.doesNotFit(path, "must have 1 to %d characters, not %d", longest, n)
	}
}

func list[T ~string](values []T) string {
	var quoted []string
	for _, v := range values {
		quoted = append(quoted, strconv.Quote(string(v)))
	}
	return strings.Join(quoted, ", ")
}

// decodeObject reads a closed JSON object: an unknown or repeated property, a
// value of the wrong type, null, and anything after the object are problems.
// members maps a property's name to a pointer to a pointer, as in **string.
func decodeObject(body []byte, p *problems, members map[string]any) {
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); errors.Is(err, io.EOF) {
		p.cannotRead("body", "is missing: send a JSON object")
		return
	} else if err != nil || t != json.Delim('{') {
		p.cannotRead("body", "is not a JSON object")
		return
	}
	seen := map[string]bool{}
	for dec.More() && len(p.unreadable) < maxIssues {
		name, err := dec.Token()
		var value json.RawMessage
		if err == nil {
			err = dec.Decode(&value)
		}
		if err != nil {
			p.cannotRead("body", "is not valid JSON")
			return
		}
		property := name.(string) // the decoder takes nothing else for a name
		into, known := members[property]
		switch {
		case !known:
			p.cannotRead(property, "is not a property of this request")
		case seen[property]:
			p.cannotRead(property, "is there twice")
		default:
			decodeMember(p, property, value, into)
		}
		seen[property] = true
	}
	if len(p.unreadable) >= maxIssues {
		return
	}
	if _, err := dec.Token(); err != nil {
		p.cannotRead("body", "is not valid JSON")
	} else if _, err := dec.Token(); err != io.EOF {
		p.cannotRead("body", "goes on after the JSON object")
	}
}

func decodeMember(p *problems, name string, value json.RawMessage, into any) {
	if number, ok := into.(**int); ok {
		value = integral(value)
		into = number
	}
	if string(value) == "null" || json.Unmarshal(value, into) != nil {
		p.cannotRead(name, "must be %s", typeName(into))
		_ = json.Unmarshal([]byte("null"), into) // undoes half a value, so that it is not judged too; never fails
	}
}

// integral writes a whole number as one: 2e3 and 2000.0 are 2000. One that no
// member has room for becomes the nearest that has it: it is a whole number out
// of bounds, and not something else.
func integral(value json.RawMessage) json.RawMessage {
	const most = 1 << 53 // from here on, every float64 is whole
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || f != math.Trunc(f) {
		return value
	}
	return strconv.AppendInt(nil, int64(min(max(f, -most), most)), 10)
}

func typeName(into any) string {
	switch into.(type) {
	case **bool:
		return "true or false"
	case **int:
		return "a whole number"
	}
	return "a string"
}
