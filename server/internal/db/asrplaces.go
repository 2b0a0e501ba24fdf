package db

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/uptrace/bun"
)

// Place is the progress of a piece of work towards recognition. A piece of work that only
// needs captions has no place.
//
// A transaction that has locked the work makes and removes its place. The places of an
// account change only in transactions that lock the account with Places.Lock, so that a
// transaction always finds a place that another one releases. Take this lock after the
// locks of the work and its jobs, and before locks of rows that accounts share.
type Place struct {
	bun.BaseModel `bun:"table:asr_places,alias:p"`

	WorkID string `bun:"extraction_id,pk"`
	State  PlaceState
	// JobID and Account are the job whose account has the place; "" for a piece of work
	// without a place.
	JobID, Account string `bun:",nullzero"`
}

// PlaceState is the progress of a piece of work towards recognition.
type PlaceState string

// The states of a place, in order.
const (
	Outside PlaceState = "outside" // no account of a job has a free place
	Waiting PlaceState = "waiting" // the work has a place, and its sound is being prepared
	Ready   PlaceState = "ready"   // the chunks of the work wait for a slot
	Running PlaceState = "running" // the work has a slot
)

// PlacesInUse is how many pieces of work of an account have a slot, and how many more
// have a place and wait for one.
type PlacesInUse struct{ Running, Waiting int }

// Places reads the places of work.
type Places struct{ *source }

// PlacesTx reads and changes the places of work.
type PlacesTx struct {
	Places
	tx *Tx
}

// InUse returns how many places an account uses.
func (r Places) InUse(ctx context.Context, account string) (PlacesInUse, error) {
	var n PlacesInUse
	err := countPlaces(r.db, account).Scan(ctx, &n.Running, &n.Waiting)
	return n, wrap("places of "+account, err)
}

// countPlaces counts the places of an account: the running ones and the waiting ones.
func countPlaces(db bun.IDB, account string) *bun.SelectQuery {
	return db.NewSelect().Model((*Place)(nil)).
		ColumnExpr("count(CASE WHEN state = ? THEN 1 END) AS running", Running).
		ColumnExpr("count(CASE WHEN state <> ? THEN 1 END) AS waiting", Running).
		Where("account = ?", account)
}

// ByWork returns the place of work; the zero value if it has no place.
func (r Places) ByWork(ctx context.Context, workID string) (Place, error) {
	var p Place
	err := r.db.NewSelect().Model(&p).Where("extraction_id = ?", workID).Scan(ctx)
	if err = one("place of extraction "+workID, err); errors.Is(err, ErrNotFound) {
		return Place{}, nil
	}
	return p, err
}

// Taken reports whether the account of a job has the place.
func (p Place) Taken() bool { return p.JobID != "" }

// NextReady returns the oldest job of an account that has a place and is ready for a
// slot, or ErrNotFound. Jobs for which only batches wait come last.
func (r Places) NextReady(ctx context.Context, account string) (*Job, error) {
	j := new(Job)
	err := r.db.NewSelect().Model(j).
		Join("JOIN asr_places AS p ON p.job_id = job.id").
		Where("p.account = ? AND p.state = ?", account, Ready).
		Order("job.asked DESC", "p.job_id").Limit(1).
		Scan(ctx)
	if err != nil {
		return nil, one("ready claim of "+account, err)
	}
	return j, nil
}

// NextOutside returns the oldest running job of an account on a piece of work without a
// place, or ErrNotFound. Jobs for which only batches wait come last.
func (r Places) NextOutside(ctx context.Context, account string) (*Job, error) {
	j := new(Job)
	err := r.db.NewSelect().Model(j).
		Join("JOIN asr_places AS p ON p.extraction_id = job.extraction_id").
		Where("p.state = ? AND job.account = ?", Outside, account).
		Where("job."+running).
		Order("job.asked DESC", "job.id").Limit(1).
		Scan(ctx)
	if err != nil {
		return nil, one("claim of "+account+" without a place", err)
	}
	return j, nil
}

// Lock makes transactions that change the places of an account run one after another. It
// holds until the end of the transaction.
func (w PlacesTx) Lock(ctx context.Context, accounts ...string) error {
	accounts = slices.Clone(accounts)
	slices.Sort(accounts) // the one order that all transactions follow
	for _, account := range slices.Compact(accounts) {
		if err := w.tx.Lock(ctx, "asr/"+account); err != nil {
			return err
		}
	}
	return nil
}

// Take gives the work of a job a place of the job's account. It returns false if the work
// already has a place.
func (w PlacesTx) Take(ctx context.Context, j *Job) (bool, error) {
	res, err := w.db.NewInsert().
		Model(&Place{WorkID: j.WorkID, State: Waiting, JobID: j.ID, Account: j.Account}).
		On("CONFLICT (extraction_id) DO UPDATE").
		Set("state = EXCLUDED.state, job_id = EXCLUDED.job_id, account = EXCLUDED.account").
		Where("p.state = ?", Outside).
		Exec(ctx)
	n, err := affected(res, err)
	return n > 0, wrap("place for job "+j.ID, err)
}

// StandOutside records that a piece of work without a place waits for one.
func (w PlacesTx) StandOutside(ctx context.Context, workID string) error {
	_, err := w.db.NewInsert().Model(&Place{WorkID: workID, State: Outside}).On("CONFLICT DO NOTHING").Exec(ctx)
	return wrap("no place for extraction "+workID, err)
}

// SetState changes the state of a place to Ready or Running.
func (w PlacesTx) SetState(ctx context.Context, workID string, state PlaceState) error {
	if state != Ready && state != Running {
		return fmt.Errorf("store: place of extraction %s: it cannot become %q", workID, state)
	}
	res, err := w.db.NewUpdate().Model((*Place)(nil)).Set("state = ?", state).
		Where("extraction_id = ? AND state <> ?", workID, Outside).Exec(ctx)
	return mustAffect("place of extraction "+workID, res, err)
}

// Pass gives the place of a piece of work to another job of the same work.
func (w PlacesTx) Pass(ctx context.Context, to *Job) error {
	res, err := w.db.NewUpdate().Model((*Place)(nil)).Set("job_id = ?, account = ?", to.ID, to.Account).
		Where("extraction_id = ? AND state <> ?", to.WorkID, Outside).Exec(ctx)
	return mustAffect("place of extraction "+to.WorkID, res, err)
}

// Delete removes the place of work.
func (w PlacesTx) Delete(ctx context.Context, workID string) error {
	_, err := w.db.NewDelete().Model((*Place)(nil)).Where("extraction_id = ?", workID).Exec(ctx)
	return wrap("place of extraction "+workID, err)
}
