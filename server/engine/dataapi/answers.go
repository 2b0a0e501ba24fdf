package dataapi

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/url"
)

// get asks one question of the API. The error is a *refusal for a status that is no success.
func get[T any](ctx context.Context, d *Discovery, what string, query url.Values) (*page[T], error) {
	query.Set("prettyPrint", "false")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.base+"/youtube/v3/"+what+"?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := d.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode/100 != 2 {
		return nil, readRefusal(resp)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	answer := &page[T]{}
	if err := json.Unmarshal(body, answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// page is an answer of the API: a page of items.
type page[T any] struct {
	Kind          string `json:"kind"`
	NextPageToken string `json:"nextPageToken"`
	Items         []*T   `json:"items"`
}

// isA reports whether an answer arrived and is of a kind.
func (p *page[T]) isA(kind string) bool { return p != nil && p.Kind == kind }

// A missing member of these types is nil or empty. A hidden count is nil.
type (
	foundVideo struct {
		ID      string   `json:"id"`
		Snippet *snippet `json:"snippet"`
		Details *struct {
			Duration string `json:"duration"`
			Caption  string `json:"caption"`
		} `json:"contentDetails"`
		Statistics struct {
			Views *uint64 `json:"viewCount,string"`
			Likes *uint64 `json:"likeCount,string"`
		} `json:"statistics"`
	}
	foundChannel struct {
		ID      string   `json:"id"`
		Snippet *snippet `json:"snippet"`
		Details struct {
			Playlists struct {
				Uploads string `json:"uploads"`
			} `json:"relatedPlaylists"`
		} `json:"contentDetails"`
		Statistics struct {
			Videos            *uint64 `json:"videoCount,string"`
			Subscribers       *uint64 `json:"subscriberCount,string"`
			HiddenSubscribers bool    `json:"hiddenSubscriberCount"`
		} `json:"statistics"`
	}
	foundPlaylist struct {
		ID      string   `json:"id"`
		Snippet *snippet `json:"snippet"`
		Details struct {
			Items *int64 `json:"itemCount"`
		} `json:"contentDetails"`
	}
	foundEntry struct {
		Snippet struct {
			Position *int `json:"position"`
			Resource struct {
				VideoID string `json:"videoId"`
			} `json:"resourceId"`
		} `json:"snippet"`
	}
	foundHit struct {
		ID struct {
			VideoID    string `json:"videoId"`
			ChannelID  string `json:"channelId"`
			PlaylistID string `json:"playlistId"`
		} `json:"id"`
		Snippet snippet `json:"snippet"`
	}
)

// snippet has the common fields of the API's items.
type snippet struct {
	Title        string     `json:"title"`
	Description  string     `json:"description"`
	ChannelID    string     `json:"channelId"`
	ChannelTitle string     `json:"channelTitle"`
	PublishedAt  string     `json:"publishedAt"`
	Broadcast    string     `json:"liveBroadcastContent"`
	CustomURL    string     `json:"customUrl"`
	Tags         []string   `json:"tags"`
	Thumbnails   thumbnails `json:"thumbnails"`
}

type (
	thumbnails struct {
		High    thumbnail `json:"high"`
		Medium  thumbnail `json:"medium"`
		Default thumbnail `json:"default"`
	}
	thumbnail struct {
		URL string `json:"url"`
	}
)

// shown returns a count, or nil if the count is hidden or impossible.
func shown[N int64 | uint64](n *N) *int64 {
	if n == nil || *n < 0 || uint64(*n) > math.MaxInt64 {
		return nil
	}
	return new(int64(*n))
}
