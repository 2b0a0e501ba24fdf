package follower

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

const (
	// MaxRows is the largest number of rows of a list that make follows in one request.
	MaxRows = 1000
	// MaxFirst is the largest number of existing items that become transcripts.
	MaxFirst = 50
	// nextLook is the shortest pause between two checks of a source.
	nextLook = time.Minute
)

// Answer is the kind of the answer to a request that has made follows.
const Answer db.AnswerKind = "follow"

// Request is a valid request for follows.
type Request struct {
	Account   string
	Plan      account.Plan
	Languages transcript.LanguageList // nil means that the request has none
	MaxItems  int                     // how many of the existing items become transcripts
	Wants     []Want
	// Admit is called once before follows are made, outside of a transaction; its error is
	// the answer. nil admits all.
	Admit func(context.Context) error
	Key   *db.HeldKey
}

// Want is one address to follow.
type Want struct {
	Row   int // the position in its list, from 1
	Given string
	Kind  follow.Kind
	List  site.Match // the channel or the playlist
	URL   string     // of a feed
	Title string
	Err   *transcript.Error // why it cannot be followed; nil if it can
}

// Result is the result for a Want.
type Result struct {
	Follow  *follow.Follow
	Created bool
	Err     *transcript.Error
}

// note is a result in the answer of an idempotency key.
type note struct {
	ID      string            `json:"id,omitempty"`
	Created bool              `json:"created,omitempty"`
	Err     *transcript.Error `json:"err,omitempty"`
}

// Create makes follows. An address that the account already follows with the same
// languages makes no new follow. Create returns a result for each Want, in their order.
// The error of a single Want is in its result. The error is UPGRADE_REQUIRED if the plan
// permits no follows, or no more follows.
func (fs *Follows) Create(ctx context.Context, r Request) ([]Result, error) {
	if r.Plan.Follows == 0 {
		return nil, r.Plan.UpgradeRequired("The plan does not include follows.")
	}
	if r.Admit != nil {
		if err := attempt.Guard(func() error { return r.Admit(ctx) }); err != nil {
			return nil, err
		}
	}
	now, err := fs.cfg.Now(ctx)
	if err != nil {
		return nil, fmt.Errorf("follows: making follows: %w", err)
	}
	var notes []note
	err = fs.cfg.Store.InTx(db.Sized(ctx, len(r.Wants)*rowBytes), func(ctx context.Context, tx *db.Tx) (err error) { // a failure leaves nothing behind
		if notes, err = fs.make(ctx, tx, r, now); err != nil {
			return err
		}
		return r.record(ctx, tx, notes)
	})
	if err != nil {
		return nil, fmt.Errorf("follows: making follows: %w", err)
	}
	return fs.results(ctx, r.Account, notes)
}

// rowBytes is an upper bound for the size of a follow in the database, with its source
// and their indexes.
const rowBytes = 4 << 10

// record records the subject of the answer to the request.
func (r Request) record(ctx context.Context, tx *db.Tx, notes []note) error {
	text, err := json.Marshal(notes)
	if err != nil {
		return err
	}
	return tx.Idempotency.Record(ctx, r.Key, db.Answer{Kind: Answer, ID: notes[0].ID, Note: string(text)}, true)
}

// Again returns the results of the Create that recorded the answer, with the current
// state of the follows.
func (fs *Follows) Again(ctx context.Context, account string, a db.Answer) ([]Result, error) {
	var notes []note
	if err := json.Unmarshal([]byte(a.Note), &notes); err != nil {
		return nil, fmt.Errorf("follows: the answer of an earlier request: %w", err)
	}
	return fs.results(ctx, account, notes)
}

// results reads the follows of notes.
func (fs *Follows) results(ctx context.Context, account string, notes []note) ([]Result, error) {
	var ids []string
	for _, n := range notes {
		if n.ID != "" {
			ids = append(ids, n.ID)
		}
	}
	found, err := ownedAll(ctx, fs.cfg.Store, account, ids)
	if err != nil {
		return nil, err
	}
	all := make([]Result, len(notes))
	for i, n := range notes {
		all[i] = Result{Created: n.Created, Err: n.Err}
		if f, ok := found[n.ID]; ok {
			all[i].Follow = f.shown()
		} else if n.Err == nil {
			all[i].Err = transcript.Errorf(transcript.NotFound, "There is no such follow.") // the follow was deleted meanwhile
		}
	}
	return all, nil
}

// feedOf returns the address of the platform's feed of a list, or "" if it has none.
func (fs *Follows) feedOf(w Want) string {
	if w.List.Named { // only ids have feeds
		return ""
	}
	if w.Kind == follow.Channel {
		return fs.cfg.Sites.ChannelFeed(w.List.Platform, w.List.ExternalID)
	}
	return fs.cfg.Sites.PlaylistFeed(w.List.Platform, w.List.ExternalID)
}
