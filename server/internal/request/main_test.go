package request_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// order is a request with a field of every kind.
type order struct {
	url       string
	platform  transcript.Platform
	id        string
	languages transcript.LanguageList
	format    transcript.Format
	bare      bool
	loud      bool
	wait      time.Duration
	page      int
	links     []string
	ids       []string
}

func (o *order) table() request.Table {
	return request.Table{
		Name: "Order",
		Fields: []*request.Field{
			request.New("url", &o.url, request.Text(1, 20)).About("A link."),
			request.New("platform", &o.platform, request.Enum([]transcript.Platform{transcript.VideoSite, transcript.PhotoSite}, transcript.Upload)),
			request.New("id", &o.id, request.Printable(5)).NeedlessIf(func() bool { return o.platform == transcript.Upload }),
			request.New("language", &o.languages, request.Languages()).ShowDefault("en"),
			request.New("format", &o.format, request.Enum([]transcript.Format{transcript.JSON, transcript.Text}).Default(transcript.JSON)),
			request.New("times", &o.bare, request.Not().Default(false)),
			request.New("loud", &o.loud, request.Boolean().Default(false)),
			request.New("waitMs", &o.wait, request.Milliseconds(10*time.Second).Default(2*time.Second)),
			request.New("page", &o.page, request.Integer(-3, 1000)),
			request.New("links", &o.links, request.List(request.Text(1, 10), 1, 4)),
			request.New("ids", &o.ids, request.List(request.UUID(), 1, 30)),
		},
		OneOf: [][]string{{"url"}, {"platform", "id"}, {"links"}},
	}
}

// refused takes an error of the package apart: its status, and the issues by
// their paths, in order.
func refused(t testing.TB, err error) (status int, paths, messages []string) {
	t.Helper()
	var coded *transcript.Error
	require.ErrorAs(t, err, &coded)
	require.Equal(t, transcript.InvalidRequest, coded.Code)
	for _, issue := range coded.Details["issues"].([]transcript.Issue) {
		paths, messages = append(paths, issue.Path), append(messages, issue.Message)
	}
	require.NotEmpty(t, paths)
	assert.Contains(t, coded.Message, messages[0])
	return coded.HTTPStatus(), paths, messages
}

// row is what a request is answered with; status 0: it is taken.
type row struct {
	status int
	paths  []string
}

func (want row) check(t *testing.T, name string, err error) {
	t.Helper()
	if want.status == 0 {
		assert.NoError(t, err, name)
		return
	}
	if assert.Error(t, err, name) {
		status, paths, messages := refused(t, err)
		assert.Equal(t, want.status, status, "%s: %v", name, messages)
		assert.Equal(t, want.paths, paths, "%s: %v", name, messages)
	}
}

// broken is a reader that fails.
type broken struct{}

var errBroken = errors.New("the line is cut")

func (broken) Read([]byte) (int, error) { return 0, errBroken }
