package discovery

import (
	"context"
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

func (d *Discovery) itemsRoute() edge.Route {
	return edge.Route{
		Method: http.MethodGet, Pattern: "/v1/video_site/playlists/{playlistId}/items",
		Operation: "listPlaylistItems", Tag: "discovery",
		Summary: "List the items of a playlist of the video site, in its own order.",
		Handle:  d.discovering(d.listPlaylistItems),
		Path:    playlistPath(new(string)), Query: request.Table{Fields: new(resource.Paging).Fields(maxFound, usualListed)},
		Answers: []edge.Answer{{Status: http.StatusOK, Body: video.Items{}}},
		Codes:   codesOfDiscovery(transcript.Unavailable),
	}
}

// playlistPath is the path of the routes about a playlist.
func playlistPath(id *string) request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("playlistId", id, request.Text(1, resource.MaxExternalID)).Required().About("The id of a playlist."),
	}}
}

// playlistInPath returns the playlist that a path names. If the path has a link or an
// invalid id, the route does not exist.
func (d *Discovery) playlistInPath(r *http.Request) (match site.Match, err error) {
	var id string
	if !playlistPath(&id).ReadPath(r.PathValue) {
		return match, edge.ErrUnknownRoute
	}
	match, err = d.Sites.Playlist(id)
	if err != nil || match.ExternalID != id || match.Platform != transcript.VideoSite {
		return match, edge.ErrUnknownRoute
	}
	return match, nil
}

// usualListed is the usual size of a page of a playlist or a channel.
const usualListed = 30

// listPlaylistItems is GET /v1/video_site/playlists/{playlistId}/items.
func (d *Discovery) listPlaylistItems(w http.ResponseWriter, r *http.Request) error {
	var req discovered
	at, err := req.read(r, request.Table{Fields: req.Fields(maxFound, usualListed)})
	if err != nil {
		return err
	}
	match, err := d.playlistInPath(r)
	if err != nil {
		return err
	}
	found, err := d.items(r.Context(), match, &req, at)
	return resource.Respond(w, found, err)
}

// items is a page of the entries of a playlist.
func (d *Discovery) items(ctx context.Context, playlist site.Match, req *discovered, at engine.Window) (*video.Items, error) {
	found, err := d.Pipeline.Ask.Items(ctx, resource.ListNamed(engine.PlaylistList, playlist), at)
	if err != nil {
		return nil, err
	}
	a := &video.Items{PlaylistID: found.ID, Items: orNone(found.Items), NextPageToken: req.next(found.Next)}
	if found.Title != "" {
		a.Title = &found.Title
	}
	return a, nil
}
