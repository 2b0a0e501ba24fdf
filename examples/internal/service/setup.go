package service

import (
	"context"
	"log/slog"
	"slices"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/server/store/s3store"
)

// Setup has the parts of a server: the flags and the chosen recognizer.
type Setup struct {
	Flags
	// Speech is the chosen recognizer. It is empty for a process that does no work.
	Speech Choice
	// Log is the log of the server and its engine.
	Log *slog.Logger

	adapters *adapters // that follow the files of settings
}

// Setup chooses the recognizer.
func (f Flags) Setup(ctx context.Context, log *slog.Logger) (Setup, error) {
	chosen, err := f.Choose(ctx)
	return Setup{Flags: f, Speech: chosen, Log: log, adapters: new(adapters)}, err
}

// Apart returns the setup of an engine beside that of the server, for an examination. Its engine does
// not follow the files of settings.
func (s Setup) Apart() Setup {
	s.adapters = nil
	return s
}

// Include lets links also lead to a demonstration site of talks. Use it only for a service that
// other machines cannot reach.
func (s *Setup) Include(talks *Talks) error {
	table, err := talks.Among(s.Links.Table())
	if err != nil {
		return err
	}
	s.Links.SitesTable, s.AllowEgress = table, append(slices.Clone(s.AllowEgress), hostPort(talks.Addr()))
	return nil
}

// Config returns the server's configuration without its store and its accounts. The caller adds
// what the flags do not contain.
func (s Setup) Config() (server.Config, error) {
	own, err := s.DB.addresses()
	if err != nil {
		return server.Config{}, err
	}
	return server.Config{
		Sites: s.Links.SitesTable,
		Egress: server.Egress{
			Allow: s.egress(), Deny: slices.Concat(own, s.Speech.addresses(), s.Links.Addresses(), s.Blobs.addresses()),
			Exits: s.Links.ServerExits,
		},
		TrustedProxies:        prefixes(s.TrustedProxy),
		Pace:                  pace.Config{Rate: pace.Rate{PerMinute: s.Links.PerMinute()}},
		RecognizeBlockedAfter: s.Links.RecognizeBlockedAfter(),
		DrainDelay:            s.DrainDelay,
		Path:                  SearchPath(),
		Log:                   s.Log,
		Version:               Version(),
		DirectMedia:           s.DirectMedia,
		TrustWebhooks:         s.TrustWebhooks,
		Engine: func(host engine.Host) (engine.Engine, error) {
			e, _, err := s.engine(host)
			return e, err
		},
	}, nil
}

// StoreOptions returns the options of the store.
func (s Setup) StoreOptions() store.Options {
	return store.Options{Database: string(s.DB), Blobs: string(s.Blobs), OpenBucket: s3store.Open, FullSync: s.FullSync, Log: s.Log}
}

// Open opens the store and its accounts, and returns the whole configuration. It logs plans
// that the operator has probably not intended. Once the engine is made, and until ctx ends, it
// also logs which programs read links and recognize speech, and what they lack. The caller
// closes the Store.
func (s Setup) Open(ctx context.Context) (server.Config, error) {
	config, err := s.Config()
	if err != nil {
		return server.Config{}, err
	}
	if err := s.Blobs.make(); err != nil {
		return server.Config{}, &FlagError{"--blobs", err}
	}
	if config.Store, err = OpenStore(ctx, s.StoreOptions()); err != nil {
		return server.Config{}, err
	}
	if config.Accounts, err = s.accounts(ctx, config.Store); err != nil {
		_ = config.Store.Close() // nothing was written to it
		return server.Config{}, err
	}
	config.Engine = s.tellingEngine(ctx)
	return config, nil
}

func (s Setup) accounts(ctx context.Context, kept *store.Store) (*account.Accounts, error) {
	accounts, err := account.New(kept, s.Offered())
	if err != nil {
		return nil, err
	}
	return accounts, warnOfPlans(ctx, s.Log, accounts, s.Offered())
}
