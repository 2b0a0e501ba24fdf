package service

import (
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

// YtDlpAt returns what [YtDlp], [YtDlpOrigin] and [YtDlpCure] return on a machine with these
// places.
func YtDlpAt(checkout, own, pulled string) (first string, origin, cure func(program string) string) {
	p := ytDlpPlaces{checkout, own, pulled}
	return p.first(), p.origin, p.cure
}

// Look is one look of a running service at its files of settings. change stands for the server's.
func (s Setup) Look(change func(server.Config) error) func() {
	f := &follower{Setup: s, change: change, links: s.Links.File, recognizers: s.Recognizers.File}
	return f.look
}

// Engine makes the engine of a service.
func (s Setup) Engine(host engine.Host) (engine.Engine, error) {
	e, _, err := s.engine(host)
	return e, err
}
