package client

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
)

// BatchParams describe a new batch. Set exactly one of URLs, Playlist, Channel and CSV.
type BatchParams struct {
	// URLs are links, short links, and bare ids of the video site, each of 1 to 2048
	// characters. If several links name the same content, the service makes the first
	// item and skips the others.
	URLs []string
	// Playlist is the id of a playlist of the video site, or a link to it.
	Playlist string
	// Channel is the id of a channel of the video site, its "@handle", or a link to it.
	// Its uploads are the items, newest first.
	Channel string
	// CSV is a table in UTF-8 of at most 8 MiB. Its first row has a column "url".
	// [BatchService.Create] reads CSV to its end and does not close it.
	CSV io.Reader

	// Language is a priority list of tags and "asr", as in a [transcript.Request]. If
	// Language is nil, the service's default applies.
	Language []string
	// MaxItems limits the batch to its first items: 1 to 500. 0 means all items.
	MaxItems int
}

// maxCSV is the largest table that the service takes, in bytes.
const maxCSV = 8 << 20

// payload returns the path and the body that ask for the batch.
func (p BatchParams) payload() (path string, body payload, err error) {
	sources := 0
	for _, given := range []bool{len(p.URLs) > 0, p.Playlist != "", p.Channel != "", p.CSV != nil} {
		if given {
			sources++
		}
	}
	if sources != 1 {
		return "", payload{}, fmt.Errorf("client: a batch is made from one of URLs, Playlist, Channel and CSV: %d are given", sources)
	}
	if p.CSV != nil {
		return p.csvPayload()
	}
	data, err := json.Marshal(struct {
		URLs     []string `json:"urls,omitempty"`
		Playlist string   `json:"playlist,omitempty"`
		Channel  string   `json:"channel,omitempty"`
		Language string   `json:"language,omitempty"`
		MaxItems int      `json:"maxItems,omitempty"`
	}{p.URLs, p.Playlist, p.Channel, strings.Join(p.Language, ","), p.MaxItems})
	return "/v1/batch", jsonPayload(data), err
}

// csvPayload holds the whole table, because a repeated request sends the table again.
func (p BatchParams) csvPayload() (path string, body payload, err error) {
	table, err := io.ReadAll(io.LimitReader(p.CSV, maxCSV+1))
	switch {
	case err != nil:
		return "", payload{}, fmt.Errorf("client: reading the CSV: %w", err)
	case len(table) > maxCSV:
		return "", payload{}, fmt.Errorf("client: the CSV is larger than %d bytes: make several batches of it", maxCSV)
	}
	query := url.Values{}
	if len(p.Language) > 0 {
		query.Set("language", strings.Join(p.Language, ","))
	}
	if p.MaxItems != 0 {
		query.Set("maxItems", strconv.Itoa(p.MaxItems))
	}
	return "/v1/batch?" + query.Encode(), payload{contentType: "text/csv", content: table}, nil
}
