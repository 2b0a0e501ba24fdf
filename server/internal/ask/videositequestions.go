package ask

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// Discovery asks the video site while the reader waits. The answers are not stored. The
// errors carry codes; INVALID_REQUEST is for a page token that the site does not know.

// blockedRetry is the RetryAfter for a site that blocks, in seconds, if neither the engine
// nor the pace of visits names a time.
const blockedRetry = 30

// discovery is a question to an [engine.Discovery]. Exactly one of Search, Videos,
// Channel, Uploads and Items is set, and it names the method.
type discovery struct {
	Search  *video.Search    `json:"search,omitempty"`
	Videos  []engine.Content `json:"videos,omitempty"`
	Channel *engine.List     `json:"channel,omitempty"`
	Uploads *engine.List     `json:"uploads,omitempty"`
	Kind    video.Kind       `json:"kind,omitempty"` // of Uploads
	Items   *engine.List     `json:"items,omitempty"`
	At      engine.Window    `json:"at,omitzero"` // of Search, Uploads and Items
}

// CanDiscover returns NOT_IMPLEMENTED if no process can search the video site.
func (s *Service) CanDiscover(ctx context.Context) error {
	if s.cluster.Team(ctx).Discovers() || s.cluster.TeamNow(ctx).Discovers() {
		return nil
	}
	return noDiscovery()
}

func noDiscovery() error {
	return transcript.Errorf(transcript.NotImplemented, "This service has nothing to search the video site with: its operator sets up yt-dlp, or a key of the site's data API.")
}

// Search searches the video site. All members of search are set, except that ChannelID
// may be empty.
func (s *Service) Search(ctx context.Context, search video.Search, at engine.Window) (engine.Listing[video.Result], error) {
	return discover[engine.Listing[video.Result]](ctx, s, discovery{Search: &search, At: at})
}

// Videos returns the videos that exist, in the order of contents, and the ids of the
// missing videos in the same order. If contents names a video twice, the result has it
// twice.
func (s *Service) Videos(ctx context.Context, contents []engine.Content) (found []video.Video, missing []string, err error) {
	all, err := discover[[]video.Video](ctx, s, discovery{Videos: distinct(contents)})
	if err != nil {
		return nil, nil, err
	}
	byID := map[string]video.Video{}
	for _, v := range all {
		byID[v.VideoID] = v
	}
	for _, c := range contents {
		if v, exists := byID[c.ExternalID]; exists {
			found = append(found, v)
		} else {
			missing = append(missing, c.ExternalID)
		}
	}
	return found, missing, nil
}

// Channel returns a channel. The channel may be given by its name.
func (s *Service) Channel(ctx context.Context, channel engine.List) (video.Channel, error) {
	return discover[video.Channel](ctx, s, discovery{Channel: &channel})
}

// Uploads lists the uploads of a channel, newest first. The ID of the listing is the id of
// the channel, even if the channel was given by its name.
func (s *Service) Uploads(ctx context.Context, channel engine.List, kind video.Kind, at engine.Window) (engine.Listing[video.Summary], error) {
	return discover[engine.Listing[video.Summary]](ctx, s, discovery{Uploads: &channel, Kind: kind, At: at})
}

// Items lists a playlist in its own order.
func (s *Service) Items(ctx context.Context, playlist engine.List, at engine.Window) (engine.Listing[video.Item], error) {
	return discover[engine.Listing[video.Item]](ctx, s, discovery{Items: &playlist, At: at})
}

// discover returns the answer to a question.
func discover[T any](ctx context.Context, s *Service, d discovery) (found T, err error) {
	text, err := json.Marshal(d)
	if err != nil {
		return found, fmt.Errorf("ask: encoding a question of discovery: %w", err)
	}
	answer, err := s.discoveries.answer(ctx, discoveryQuestion{Service: s, discovery: d, text: string(text)}, time.Now())
	if err == nil {
		err = json.Unmarshal(answer, &found)
	}
	return found, err
}

// discoveryQuestion asks the video site. The answer is JSON, which also makes all texts
// valid UTF-8.
type discoveryQuestion struct {
	*Service
	discovery
	text string // the discovery as JSON
	bad  error  // why the text cannot be read; nil means that it can
}

func (q discoveryQuestion) key() string               { return q.text }
func (discoveryQuestion) askable(t cluster.Team) bool { return t.Discovers() }
func (discoveryQuestion) pack(answer []byte) Answered { return Answered{Found: answer} }

func (discoveryQuestion) unpack(_ context.Context, row *Answered) ([]byte, error) {
	if row.Error != nil {
		return nil, row.Error
	}
	return row.Found, nil
}

func (q discoveryQuestion) row() *Lookup {
	digest := sha256.Sum256([]byte(q.text)) // an index cannot store a long text
	return &Lookup{Platform: transcript.VideoSite, ExternalID: "discovery/" + hex.EncodeToString(digest[:]), Question: q.text}
}

// discoveryIn reads the question from a row.
func (s *Service) discoveryIn(l *Lookup) discoveryQuestion {
	q := discoveryQuestion{Service: s, text: l.Question}
	q.bad = json.Unmarshal([]byte(l.Question), &q.discovery)
	return q
}

func (q discoveryQuestion) ask(_, within context.Context, _ func([]byte, error)) ([]byte, error) {
	switch {
	case q.bad != nil:
		return nil, fmt.Errorf("ask: an unreadable question of discovery: %w", q.bad)
	case q.cfg.Engine.Discovery == nil: // the process that could ask has just ended
		return nil, noDiscovery()
	}
	var said any
	err := attempt.Guard(func() (err error) {
		said, err = q.put(within, q.cfg.Engine.Discovery)
		if err == nil {
			err = q.check(q.cfg.Sites, said)
		}
		return err
	})
	if err = q.faultOf(err); !errors.Is(err, transcript.InvalidRequest) { // a mistake of the caller is not an answer of the site
		CountVisit(within, q.metrics, transcript.VideoSite, metrics.Discovery, false, err)
	}
	if _, coded := errors.AsType[*transcript.Error](err); !coded && errors.Is(err, context.DeadlineExceeded) {
		return nil, q.discoveries.tooLate()
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(said)
}

// put asks the question and returns a pointer to the answer.
func (d discovery) put(ctx context.Context, to engine.Discovery) (any, error) {
	switch {
	case d.Search != nil:
		found, err := to.Search(ctx, *d.Search, d.At)
		return &found, err
	case d.Videos != nil:
		found, err := to.Videos(ctx, d.Videos)
		return &found, err
	case d.Channel != nil:
		found, err := to.Channel(ctx, *d.Channel)
		return &found, err
	case d.Uploads != nil:
		found, err := to.Uploads(ctx, *d.Uploads, d.Kind, d.At)
		return &found, err
	case d.Items != nil:
		found, err := to.Items(ctx, *d.Items, d.At)
		return &found, err
	}
	return nil, errors.New("ask: a question of discovery that this version does not know")
}

// faultOf converts the error of an answer for the reader. An error that an engine must
// not return becomes UPSTREAM_FAILED.
func (d discovery) faultOf(err error) error {
	var coded *transcript.Error
	if !errors.As(err, &coded) {
		return err
	}
	switch coded.Code {
	case transcript.InvalidRequest:
		if d.At.After != "" {
			return engine.NoSuchPage().Because(err)
		}
	case transcript.Unavailable:
		if d.Videos == nil && (d.Search == nil || d.Search.ChannelID != "") {
			return err
		}
	case transcript.IPBlocked:
		blocked := *coded
		blocked.RetryAfter = cmp.Or(blocked.RetryAfter, blockedRetry)
		return &blocked
	case transcript.UpstreamFailed, transcript.POTokenRequired, transcript.LoginRequired,
		transcript.ConfigError, transcript.NotImplemented, transcript.ServiceUnavailable, transcript.Internal:
		return err
	}
	return notUnderstood(err)
}

// distinct returns the contents without repeats, in their order.
func distinct(contents []engine.Content) (all []engine.Content) {
	for _, c := range contents {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}
