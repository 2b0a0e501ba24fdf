package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/fault"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A process that cannot ask the video site has another one ask it, by the same table as
// for captions.

// discoverArgs is the step of a question of discovery that readers of another process
// have.
type discoverArgs struct {
	Lookup string `json:"lookup"`
}

func (discoverArgs) Kind() string  { return "discover" }
func (discoverArgs) Queue() string { return queueDiscovery }

// haveDiscovered has another process ask the question, and returns its answer as JSON.
func (p *Pipeline) haveDiscovered(ctx context.Context, question string) ([]byte, error) {
	digest := sha256.Sum256([]byte(question)) // an index holds no text of any length
	l, err := p.askOthers(ctx, &db.Lookup{
		Platform: transcript.VideoSite, ExternalID: "discovery/" + hex.EncodeToString(digest[:]), Question: question,
	}, p.cfg.DiscoveryBudget, func(id string) db.Step { return discoverArgs{Lookup: id} })
	switch {
	case err != nil:
		return nil, err
	case l.Answer == nil:
		return nil, p.discoveredTooLate()
	case l.Answer.Error != nil:
		return nil, l.Answer.Error
	}
	return l.Answer.Found, nil
}

// discoverForReaders asks the video site for readers of other processes. It does not
// ask a question that is too old for any reader to wait for.
func (p *Pipeline) discoverForReaders(ctx context.Context, w db.Work, step discoverArgs) error {
	ctx = db.Unhurried(ctx)
	l, late, err := p.question(ctx, step.Lookup, p.cfg.DiscoveryBudget)
	switch {
	case err != nil || l == nil:
		return err
	case late:
		return p.tellDiscovered(ctx, l.ID, nil, p.discoveredTooLate())
	case p.cluster.OnlyOthers(ctx, cluster.Team.Discovers):
		return p.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
			return errors.Join(tx.EnqueueAt(ctx, step, time.Now().Add(elsewherePause)), tx.Finish(ctx, w))
		})
	}
	var question discovery
	if err := json.Unmarshal([]byte(l.Question), &question); err != nil {
		return p.tellDiscovered(ctx, l.ID, nil, fmt.Errorf("pipeline: a question of discovery that is none: %w", err))
	}
	within, cancel := context.WithTimeout(ctx, p.cfg.DiscoveryBudget)
	defer cancel()
	found, err := p.askDiscovery(within, question)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("pipeline: the service stops: %w", context.Canceled) // gives the step back (db.Runner)
	case within.Err() != nil:
		err = p.discoveredTooLate()
	}
	return p.tellDiscovered(context.WithoutCancel(ctx), l.ID, found, err)
}

// tellDiscovered writes down what the video site has answered.
func (p *Pipeline) tellDiscovered(ctx context.Context, id string, found []byte, cause error) error {
	a := db.Answered{Found: found}
	if cause != nil {
		p.log.WarnContext(ctx, "what is on the video site could not be told", "lookup", id, "err", cause)
		a.Error = fault.Coded(cause)
	}
	return p.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.Lookups.Answer(ctx, id, a, true) })
}
