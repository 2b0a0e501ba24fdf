package dataapi

import (
	"context"
	"errors"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// Videos returns all videos with one API call.
func (d *Discovery) Videos(ctx context.Context, contents []engine.Content) ([]video.Video, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var ids []string
	for _, c := range contents {
		ids = append(ids, c.ExternalID)
	}
	there, err := d.videos(ctx, ids)
	if err != nil {
		return nil, err
	}
	var found []video.Video
	for _, id := range ids {
		if v, ok := there[id]; ok {
			found = append(found, v)
			delete(there, id) // each once
		}
	}
	return found, nil
}

// Channel returns a channel, with one API call. For a channel with a custom name
// ("c/name"), the error is NOT_IMPLEMENTED.
func (d *Discovery) Channel(ctx context.Context, l engine.List) (video.Channel, error) {
	if ctx.Err() != nil {
		return video.Channel{}, context.Cause(ctx)
	}
	if strings.HasPrefix(l.ID, "c/") {
		return video.Channel{}, engine.CannotAsk("channel", "name the channel by its id or its @handle")
	}
	parameter, value := "id", l.ID
	if name, ok := strings.CutPrefix(l.ID, "user/"); ok {
		parameter, value = "forUsername", name
	} else if strings.HasPrefix(l.ID, "@") {
		parameter = "forHandle"
	}
	found, err := d.channels(ctx, parameter, value)
	switch {
	case err != nil:
		return video.Channel{}, err
	case len(found) == 0:
		return video.Channel{}, gone()
	}
	return found[0], nil
}

// channel is what the further pages of a channel's uploads need.
type channel struct {
	id, uploads string
	empty       bool // the channel itself says that it has no uploads
}

// Uploads lists a channel's uploads: two calls, and one more for the first page. For a
// kind other than all uploads, the error is NOT_IMPLEMENTED, because the API does not
// say which videos are shorts.
func (d *Discovery) Uploads(ctx context.Context, l engine.List, kind video.Kind, at engine.Window) (engine.Listing[video.Summary], error) {
	page, err := d.uploadsOf(ctx, l, kind, at)
	if err != nil {
		return engine.Listing[video.Summary]{}, err
	}
	return page, nil
}

func (d *Discovery) uploadsOf(ctx context.Context, l engine.List, kind video.Kind, at engine.Window) (page engine.Listing[video.Summary], err error) {
	switch {
	case ctx.Err() != nil:
		return page, context.Cause(ctx)
	case !isToken(at.After):
		return page, engine.NoSuchPage()
	case kind != video.All:
		return page, engine.CannotAsk("type", "leave it out, or take the type all")
	}
	of, err := d.channel(ctx, l, at)
	if err != nil {
		return page, err
	}
	page.ID = of.id
	if of.uploads == "" && of.empty {
		return page, nil
	}
	var entries []entry
	entries, page.Next, err = d.entries(ctx, of.uploads, at)
	switch { // for a channel without uploads, the API answers that the list does not exist
	case errors.Is(err, transcript.Unavailable) && of.empty:
		return page, nil
	case errors.Is(err, transcript.Unavailable):
		return page, strange(errors.New("a channel without the list of its uploads"))
	case err != nil:
		return page, err
	}
	there, err := d.videos(ctx, idsOf(entries))
	if err != nil {
		return page, err
	}
	for _, e := range entries {
		page.Items = append(page.Items, summary(there, e.id))
	}
	return page, nil
}

// channel requests a channel. For further pages it uses the channel that the first page
// remembered.
func (d *Discovery) channel(ctx context.Context, l engine.List, at engine.Window) (channel, error) {
	if of, ok := d.uploads.get(l.ID); ok && at.After != "" {
		return of, nil
	}
	found, err := d.Channel(ctx, l)
	if err != nil {
		return channel{}, err
	}
	of := channel{id: found.ChannelID, empty: found.VideoCount != nil && *found.VideoCount == 0}
	if found.UploadsPlaylistID != nil {
		of.uploads = *found.UploadsPlaylistID
	}
	d.uploads.put(l.ID, of)
	return of, nil
}

// Items lists a playlist: two calls, and one more for the first page. If the API does
// not show an entry to the public, the entry has Available false.
func (d *Discovery) Items(ctx context.Context, l engine.List, at engine.Window) (engine.Listing[video.Item], error) {
	page := engine.Listing[video.Item]{ID: l.ID}
	switch {
	case ctx.Err() != nil:
		return engine.Listing[video.Item]{}, context.Cause(ctx)
	case !isToken(at.After):
		return engine.Listing[video.Item]{}, engine.NoSuchPage()
	}
	group, both := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		page.Title, err = d.title(both, l.ID, at)
		return err
	})
	group.Go(func() (err error) {
		page.Items, page.Next, err = d.items(both, l.ID, at)
		return err
	})
	if err := group.Wait(); err != nil {
		return engine.Listing[video.Item]{}, err
	}
	return page, nil
}

// title asks for the title of a playlist. For further pages it uses the title that the first
// page remembered.
func (d *Discovery) title(ctx context.Context, id string, at engine.Window) (string, error) {
	if title, ok := d.titles.get(id); ok && at.After != "" {
		return title, nil
	}
	found, err := d.playlists(ctx, []string{id})
	if err != nil {
		return "", err
	}
	title := ""
	if p := found[id]; p.Title != nil {
		title = *p.Title
	}
	d.titles.put(id, title)
	return title, nil
}

func (d *Discovery) items(ctx context.Context, id string, at engine.Window) (items []video.Item, next string, err error) {
	entries, next, err := d.entries(ctx, id, at)
	if err != nil {
		return nil, "", err
	}
	there, err := d.videos(ctx, idsOf(entries))
	if err != nil {
		return nil, "", err
	}
	for _, e := range entries {
		_, ok := there[e.id]
		items = append(items, video.Item{Position: e.position, Available: ok, Video: summary(there, e.id)})
	}
	return items, next, nil
}

func idsOf(entries []entry) (ids []string) {
	for _, e := range entries {
		ids = append(ids, e.id)
	}
	return ids
}

// summary returns the details of a video, or only its id if the video does not exist.
func summary(there map[string]video.Video, id string) video.Summary {
	if v, ok := there[id]; ok {
		return v.Summary
	}
	return video.Summary{VideoID: id}
}
