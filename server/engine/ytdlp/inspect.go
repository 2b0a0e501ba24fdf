package ytdlp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxInfo limits the program's description of a content, in bytes. A long list of machine
// translations takes some three million.
const maxInfo = 16 << 20

// media is the program's description of a content.
type media struct {
	about
	Subtitles captionList `json:"subtitles"`
	Automatic captionList `json:"automatic_captions"`
	Formats   []format    `json:"formats"`

	// The chosen format; FormatID is empty if none was chosen.
	FormatID   text   `json:"format_id"`
	AudioCodec text   `json:"acodec"`
	VideoCodec text   `json:"vcodec"`
	FileSize   number `json:"filesize"` // bytes

	// The fields of a list.
	ID      text              `json:"id"`
	Type    text              `json:"_type"`
	Entries []json.RawMessage `json:"entries"`
	Count   number            `json:"playlist_count"`

	content engine.Content
	raw     []byte      // the whole description, for the second run
	exit    engine.Exit // its warnings
}

// look says how to inspect a content. The zero value uses the program's defaults.
type look struct {
	dir       string   // the program's working directory; empty means a directory that is removed afterwards
	args      []string // more options
	talks     bool     // the options make the program report its steps
	noScripts bool     // no JavaScript is run
	before    []string // complaints that are already in the log
}

// inspect asks for the content behind a link. It fetches the page and everything that is needed
// to understand the page, but no media.
func (p *program) inspect(ctx context.Context, c engine.Content, how look) (*media, error) {
	if err := checkLink(c.URL); err != nil {
		return nil, err
	}
	said := &bounded{max: maxInfo}
	exit, err := p.run(ctx, run{
		content: c,
		// Without --write-subs the program does not look for some sites' captions, and does not
		// report withheld ones. With -J it writes no file.
		args:      append(slices.Clone(how.args), "--write-subs", "-J", "--", c.URL),
		command:   engine.Command{Dir: how.dir, Stdout: said},
		talks:     how.talks,
		noScripts: how.noScripts,
		caches:    c.Platform == transcript.VideoSite && !how.noScripts,
		before:    how.before,
	})
	switch {
	case said.over:
		return nil, upstream("The page says too much of its content.").Because(fmt.Errorf("ytdlp: over %d bytes", maxInfo))
	case err != nil:
		return nil, err
	}
	m, err := parseMedia(said.data, c.ExternalID)
	if m == nil && err == nil {
		err = fault(c, exit)
	}
	if err != nil {
		return nil, err
	}
	m.content, m.exit = c, exit
	return m, m.ended()
}

// parseMedia reads the program's description of a content. It returns nil if there is none.
func parseMedia(data []byte, id string) (*media, error) {
	var m *media // stays nil if the program writes null
	if err := json.Unmarshal(data, &m); err != nil {
		// The program's complaints explain the missing description.
		return nil, nil //nolint:nilnil,nilerr // see the comment above
	}
	if m == nil || m.Type != "playlist" && m.Type != "multi_video" {
		if m != nil {
			m.raw = data
		}
		return m, nil
	}
	if len(m.Entries) == 0 || string(m.Entries[0]) == "null" {
		return nil, nil //nolint:nilnil // nothing was found
	}
	return m.first(id)
}

// first returns the first of several recordings if they are the content, as in a post with
// several recordings. A page that lists other contents is not a content.
func (m *media) first(id string) (*media, error) {
	entry := new(media)
	if err := json.Unmarshal(m.Entries[0], entry); err != nil {
		return nil, upstream("The platform's answer cannot be understood.").Because(fmt.Errorf("ytdlp: %w", err))
	}
	if m.Count > 1 && string(m.ID) != id && string(entry.ID) != id {
		return nil, unavailable("The link leads to a list of several recordings.")
	}
	entry.raw = m.Entries[0]
	return entry, nil
}

// ended returns an error if the content is not complete yet.
func (m *media) ended() error {
	switch m.LiveStatus {
	case "is_live":
		return unavailable("The content is a live stream that has not ended.")
	case "is_upcoming":
		return refusal.Upcoming.Because(nil)
	}
	return nil
}
