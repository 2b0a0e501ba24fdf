package service

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/dataapi"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// discoveryFlags configure how videos, channels and playlists are found.
type discoveryFlags struct {
	DataAPIKeyFile keyFile    `name:"data-api-key-file" placeholder:"FILE" help:"A file with only the key for the official data API of the video site: searches then use that API."`
	DataAPIURL     serviceURL `name:"data-api-url" placeholder:"URL" help:"The address of the data API, for example of your own proxy (https://youtube.googleapis.com)."`
}

// check refuses contradictory flags.
func (f discoveryFlags) check() error {
	if f.DataAPIKeyFile == "" {
		if f.DataAPIURL.at != nil {
			return errors.New("--data-api-url goes with --data-api-key-file only")
		}
		return nil
	}
	if _, err := f.dataAPI(site.Default()); err != nil {
		return fmt.Errorf("--data-api-url: %w", err)
	}
	return nil
}

// base returns the address of the data API.
func (f discoveryFlags) base() string {
	if f.DataAPIURL.at == nil {
		return dataapi.DefaultBaseURL
	}
	return f.DataAPIURL.at.String()
}

// addresses returns the addresses of the data API, which no link may reach.
func (f discoveryFlags) addresses() []string {
	if f.DataAPIKeyFile == "" {
		return nil
	}
	var at serviceURL
	if at.read([]byte(f.base())) != nil {
		return nil // not reached: it has been checked
	}
	return []string{at.address()}
}

// dataAPI returns a Discovery that uses the data API; nil if there is no key.
func (f discoveryFlags) dataAPI(sites *site.Table) (engine.Discovery, error) {
	if f.DataAPIKeyFile == "" {
		return nil, nil //nolint:nilnil // discovery then uses the program that reads links
	}
	at, _ := cmp.Or(sites, site.Default()).Site(transcript.VideoSite) // every table has it
	found, err := dataapi.New(dataapi.Options{Key: string(f.DataAPIKeyFile), BaseURL: f.base(), Site: at.Base})
	if err != nil {
		return nil, err
	}
	return found, nil
}
