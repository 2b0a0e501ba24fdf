package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/fault"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// Discovery asks the video site while the reader waits, and keeps nothing of what it
// says. Its errors carry codes; INVALID_REQUEST is a page token that the site does not
// know.

// discoverers is how many questions of discovery are asked at once for this process's
// readers, and how many for those of other processes.
const discoverers = 4

// blockedRetry is when to ask a blocking site again, in seconds, if neither the engine
// nor the pace of visits says when.
const blockedRetry = 30

// MaxDiscovered is how many entries a question of discovery has at most.
const MaxDiscovered = 50

// discovery is a question to an [engine.Discovery]. The member that is set chooses the
// method and holds its arguments.
type discovery struct {
	Search  *video.Search    `json:"search,omitempty"`
	Videos  []engine.Content `json:"videos,omitempty"`
	Channel *engine.List     `json:"channel,omitempty"`
	Uploads *engine.List     `json:"uploads,omitempty"`
	Kind    video.Kind       `json:"kind,omitempty"` // of Uploads
	Items   *engine.List     `json:"items,omitempty"`
	At      engine.Window    `json:"at,omitzero"` // of Search, Uploads and Items
}

// CanDiscover returns NOT_IMPLEMENTED if no process can ask the video site for its
// contents.
func (p *Pipeline) CanDiscover(ctx context.Context) error {
	if p.cluster.Team(ctx).Discovers() || p.cluster.TeamNow(ctx).Discovers() {
		return nil
	}
	return nothingToDiscoverWith()
}

func nothingToDiscoverWith() error {
	return transcript.Errorf(transcript.NotImplemented, "This service has nothing to search the video site with: its operator sets up yt-dlp, or a key of the site's data API.")
}

// Search finds what s asks for. All its members are set but ChannelID, which may be
// empty.
func (p *Pipeline) Search(ctx context.Context, s video.Search, at engine.Window) (engine.Listing[video.Result], error) {
	return discover[engine.Listing[video.Result]](ctx, p, discovery{Search: &s, At: at})
}

// Videos returns those of the videos that there are, in their order, and the ids of the
// others in theirs. A video that is asked for twice is there twice.
func (p *Pipeline) Videos(ctx context.Context, contents []engine.Content) (found []video.Video, missing []string, err error) {
	all, err := discover[[]video.Video](ctx, p, discovery{Videos: distinct(contents)})
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

// Channel returns a channel, which may go by its name.
func (p *Pipeline) Channel(ctx context.Context, channel engine.List) (video.Channel, error) {
	return discover[video.Channel](ctx, p, discovery{Channel: &channel})
}

// Uploads lists what a channel has uploaded, newest first. The ID of the listing is the
// channel's, also where it was named.
func (p *Pipeline) Uploads(ctx context.Context, channel engine.List, kind video.Kind, at engine.Window) (engine.Listing[video.Summary], error) {
	return discover[engine.Listing[video.Summary]](ctx, p, discovery{Uploads: &channel, Kind: kind, At: at})
}

// Items lists a playlist in its own order.
func (p *Pipeline) Items(ctx context.Context, playlist engine.List, at engine.Window) (engine.Listing[video.Item], error) {
	return discover[engine.Listing[video.Item]](ctx, p, discovery{Items: &playlist, At: at})
}

// discover gets the answer to a question. Equal ones at the same time are asked once.
func discover[T any](ctx context.Context, p *Pipeline, d discovery) (found T, err error) {
	question, err := json.Marshal(d)
	if err != nil {
		return found, fmt.Errorf("pipeline: writing down a question of discovery: %w", err)
	}
	var answer []byte
	if p.cluster.OnlyOthers(ctx, cluster.Team.Discovers) {
		answer, err = p.haveDiscovered(ctx, string(question))
	} else {
		answer, err = p.flights.join(ctx, string(question), func(ctx context.Context) ([]byte, error) { return p.askDiscovery(ctx, d) })
	}
	_, told := errors.AsType[*transcript.Error](err)
	switch timeUp := !told && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil; {
	case timeUp && errors.Is(err, errNotAsked):
		err = notAsked()
	case timeUp:
		err = p.discoveredTooLate()
	}
	if err == nil {
		err = json.Unmarshal(answer, &found)
	}
	return found, err
}

// discoveredTooLate is the answer of a site that has not answered in time.
func (p *Pipeline) discoveredTooLate() error {
	return transcript.Errorf(transcript.UpstreamFailed, "The platform did not answer within %s.", p.cfg.DiscoveryBudget)
}

// askDiscovery asks the video site and returns what it says as JSON, which also makes
// its texts UTF-8.
func (p *Pipeline) askDiscovery(ctx context.Context, d discovery) (answer []byte, err error) {
	if p.engine.Discovery == nil { // who could ask has just ended
		return nil, nothingToDiscoverWith()
	}
	var said any
	err = fault.Guard(func() (err error) { // a panic would end the process from here
		said, err = d.put(ctx, p.engine.Discovery)
		if err == nil {
			err = d.judge(p.cfg.Sites, said)
		}
		return err
	})
	if err = d.faultOf(err); !errors.Is(err, transcript.InvalidRequest) { // which is the caller's
		p.countAnswer(ctx, transcript.VideoSite, metrics.Discovery, false, err)
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
	return nil, errors.New("pipeline: a question of discovery that this version does not know")
}

// faultOf returns the error of an answer in the reader's terms. An error that an engine
// may not return becomes a fault.
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

// distinct returns the values without repeats, in their order.
func distinct[T comparable](values []T) (all []T) {
	for _, v := range values {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}
