package mcpconformance_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// slowCaptions are the captions of videos whose ids begin with the seconds that their reading
// takes, as in 02-abcdef01. An "x" in place of the "-" is a video that has been removed.
type slowCaptions struct{}

func (slowCaptions) Origin(p transcript.Platform) (transcript.Origin, bool) {
	return transcript.OriginDownloader, p == transcript.VideoSite
}

func (slowCaptions) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	seconds, err := strconv.Atoi(c.ExternalID[:2])
	if err != nil {
		return engine.Captions{}, transcript.Errorf(transcript.Unavailable, "There is no such video.")
	}
	select {
	case <-ctx.Done():
		return engine.Captions{}, context.Cause(ctx)
	case <-time.After(time.Duration(seconds) * time.Second):
	}
	if c.ExternalID[2] == 'x' {
		return engine.Captions{}, transcript.Errorf(transcript.Unavailable, "The video has been removed.")
	}
	found := engine.Captions{Tracks: []transcript.Track{{ID: "en", Lang: "en", Kind: transcript.TrackManual}}}
	err = found.Choose(pick, func(int) (caption.File, error) {
		return caption.File{Segments: []transcript.Segment{{Text: "The text of " + c.ExternalID, Duration: 1}}}, nil
	})
	return found, err
}

// toolCall is a tools/call.
type toolCall struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// link is the link to a video of slowCaptions.
func link(seconds int, kind byte, label any) map[string]any {
	sum := sha256.Sum256(fmt.Append(nil, label))
	return map[string]any{"url": fmt.Sprintf("https://youtu.be/%02d%c%s", seconds, kind, hex.EncodeToString(sum[:4]))}
}

// fixture returns what stands for a tool that the suite wants a server to have, if a tool of the
// service can stand for it.
func fixture(call toolCall) (toolCall, bool) {
	seconds, _ := call.Arguments["seconds"].(float64) // none is 0
	switch call.Name {
	case "slow_compute":
		return toolCall{"get_transcript", link(int(seconds), '-', call.Arguments["label"])}, true
	case "failing_job":
		return toolCall{"get_transcript", link(1, 'x', time.Now())}, true
	case "test_error_handling":
		return toolCall{"get_transcript", link(0, 'x', time.Now())}, true
	case "confirm_delete": // which asks for input; the tests that need its question do not apply
		return toolCall{"get_transcript", link(1, '-', time.Now())}, true
	case "test_tool_with_progress":
		return toolCall{"get_transcript", link(2, '-', time.Now())}, true
	case "greet": // which answers at once, here with an error
		return toolCall{"get_job", map[string]any{"jobId": "00000000-0000-7000-8000-000000000000"}}, true
	}
	return call, false
}

// fixtures lets tools of the service stand for the tools that the suite calls.
func fixtures(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body = rename(body, r.Header)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		next.ServeHTTP(w, r)
	})
}

// rename returns the message with the name and the arguments of the tool that stands for another.
func rename(body []byte, header http.Header) []byte {
	var message map[string]json.RawMessage
	var params map[string]json.RawMessage
	var call toolCall
	if json.Unmarshal(body, &message) != nil || string(message["method"]) != `"tools/call"` ||
		json.Unmarshal(message["params"], &params) != nil || json.Unmarshal(message["params"], &call) != nil {
		return body
	}
	other, found := fixture(call)
	if !found {
		return body
	}
	if header.Get("Mcp-Name") == call.Name {
		header.Set("Mcp-Name", other.Name)
	}
	params["name"], params["arguments"] = raw(other.Name), raw(other.Arguments)
	message["params"] = raw(params)
	return raw(message)
}

// raw renders a value that came from JSON.
func raw(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}
