package ytdlp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
)

// maxInfo bounds, in bytes, what the program may say of a content. A long list
// of machine translations makes some three million.
const maxInfo = 16 << 20

// video is what the program knows of a content.
type video struct {
	about
	Subtitles captionList `json:"subtitles"`
	Automatic captionList `json:"automatic_captions"`
	Formats   []format    `json:"formats"`

	// Of the format that was picked; FormatID is empty when none was.
	FormatID   text   `json:"format_id"`
	AudioCodec text   `json:"acodec"`
	VideoCodec text   `json:"vcodec"`
	FileSize   number `json:"filesize"` // bytes

	// Of a list.
	ID      text              `json:"id"`
	Type    text              `json:"_type"`
	Entries []json.RawMessage `json:"entries"`
	Count   number            `json:"playlist_count"`

	content engine.Content
	raw     []byte      // the whole of it, for the program to go on with
	exit    engine.Exit // its warnings
}

// inspect asks what there is behind a link. On the network that is the page and
// what it takes to understand it, none of the media.
func (d *Downloader) inspect(ctx context.Context, c engine.Content) (*video, error) {
	if err := checkLink(c.URL); err != nil {
		return nil, err
	}
	said := &bounded{max: maxInfo}
	exit, err := d.run(ctx, run{
		content: c,
		// Without --write-subs some sites' captions are not looked for, and those that
		// are withheld not complained of. It writes nothing beside -J.
		args:    []string{"--write-subs", "-J", "--", c.URL},
		command: engine.Command{Stdout: said},
	})
	switch {
	case said.over:
		return nil, upstream("The page says too much of its content.").Because(fmt.Errorf("ytdlp: over %d bytes", maxInfo))
	case err != nil:
		return nil, err
	}
	v, err := parseVideo(said.data, c.ExternalID)
	if v == nil && err == nil {
		err = fault(c, exit)
	}
	if err != nil {
		return nil, err
	}
	v.content, v.exit = c, exit
	return v, v.ended()
}

// parseVideo reads what the program says of a content. It returns nil when that
// is nothing.
func parseVideo(data []byte, id string) (*video, error) {
	var v *video // stays nil when the program says null
	if err := json.Unmarshal(data, &v); err != nil {
		// It is understood by what the program complained of meanwhile.
		return nil, nil //nolint:nilnil,nilerr // see the comment above
	}
	if v == nil || v.Type != "playlist" && v.Type != "multi_video" {
		if v != nil {
			v.raw = data
		}
		return v, nil
	}
	if len(v.Entries) == 0 || string(v.Entries[0]) == "null" {
		return nil, nil //nolint:nilnil // nothing was found
	}
	return v.first(id)
}

// first returns the first of several recordings when they are the content: a
// post that has several. A page that lists other contents is none.
func (v *video) first(id string) (*video, error) {
	entry := new(video)
	if err := json.Unmarshal(v.Entries[0], entry); err != nil {
		return nil, upstream("The platform's answer cannot be understood.").Because(fmt.Errorf("ytdlp: %w", err))
	}
	if v.Count > 1 && string(v.ID) != id && string(entry.ID) != id {
		return nil, unavailable("The link leads to a list of several recordings.")
	}
	entry.raw = v.Entries[0]
	return entry, nil
}

// ended returns an error if the content is not all there yet.
func (v *video) ended() error {
	switch v.LiveStatus {
	case "is_live":
		return unavailable("The content is a live stream that has not ended.")
	case "is_upcoming":
		return refusal.Upcoming.Because(nil)
	}
	return nil
}
