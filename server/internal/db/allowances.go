package db

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"
)

// Allowance is a kind of allowance of an account in a period.
type Allowance struct {
	Transcripts int64
	Minutes     int64 // of recognized sound
}

// Usage is what an account has used of its allowance in a period, and what is reserved
// for its running jobs.
type Usage struct {
	Used     Allowance `bun:"embed:used_"`
	Reserved Allowance `bun:"embed:reserved_"`
}

// Taken is the part that is not available to a new job: used or reserved.
func (u Usage) Taken() Allowance {
	return Allowance{u.Used.Transcripts + u.Reserved.Transcripts, u.Used.Minutes + u.Reserved.Minutes}
}

// Allowances reads the usage of the allowances of accounts.
type Allowances struct{ *source }

// AllowancesTx reads and changes the usage of the allowances of accounts.
type AllowancesTx struct {
	Allowances
	tx *Tx
}

type usageRow struct {
	bun.BaseModel `bun:"table:usage,alias:u"`

	Account string `bun:",pk"`
	Period  string `bun:",pk"` // time.DateOnly
	Usage
}

// Usage returns what an account has used in the period that began at the given time, or
// the zero value if it has used nothing.
func (r Allowances) Usage(ctx context.Context, account string, period time.Time) (Usage, error) {
	var row usageRow
	err := r.db.NewSelect().Model(&row).Where("account = ? AND period = ?", account, period.Format(time.DateOnly)).Scan(ctx)
	if err = one("usage of "+account, err); errors.Is(err, ErrNotFound) {
		return Usage{}, nil
	}
	return row.Usage, err
}

// Reserve reserves want from the allowance of a job's account, and replaces the job's
// current reservation. If the limits of the job do not permit more, Reserve changes
// nothing and reports false. A smaller reservation always succeeds. This transaction must
// have read the job with Jobs.LockRunning, or have inserted it. Reserve updates j.
func (w AllowancesTx) Reserve(ctx context.Context, j *Job, want Allowance) (bool, error) {
	more := Allowance{want.Transcripts - j.Reserved.Transcripts, want.Minutes - j.Reserved.Minutes}
	if more == (Allowance{}) {
		return true, nil
	}
	ok, err := w.use(ctx, j.Account, j.Limits, Usage{Reserved: more})
	if err != nil || !ok {
		return false, err
	}
	return true, w.setReserved(ctx, j, want)
}

// Hold reserves the amount in the row of a new job. If the limits of the job do not permit that
// amount, Hold changes nothing and reports false: the caller rolls the job back.
func (w AllowancesTx) Hold(ctx context.Context, j *Job) (bool, error) {
	return w.use(ctx, j.Account, j.Limits, Usage{Reserved: j.Reserved})
}

// Settle settles the reservation of an ended job: the account pays a part of it, or nothing,
// and gets the rest back. The job's row no longer holds the reservation: see Works.End.
// Settle updates j.
func (w AllowancesTx) Settle(ctx context.Context, j *Job, pays Allowance) error {
	if j.Reserved == (Allowance{}) {
		return nil
	}
	back := Allowance{-j.Reserved.Transcripts, -j.Reserved.Minutes}
	unlimited := Limits{Period: j.Limits.Period, Transcripts: -1, ASRMinutes: -1} // the amount was checked when it was reserved
	_, err := w.use(ctx, j.Account, unlimited, Usage{Used: pays, Reserved: back})
	j.Reserved = Allowance{}
	return err
}

// Pay takes an amount from an account's allowance without a reservation. If the limits do
// not permit the amount, Pay changes nothing and reports false.
func (w AllowancesTx) Pay(ctx context.Context, account string, l Limits, amount Allowance) (bool, error) {
	return w.use(ctx, account, l, Usage{Used: amount})
}

func (w AllowancesTx) setReserved(ctx context.Context, j *Job, reserved Allowance) error {
	res, err := w.db.NewUpdate().Model((*Job)(nil)).
		Set("reserved_transcripts = ?, reserved_minutes = ?", reserved.Transcripts, reserved.Minutes).
		Where("id = ?", j.ID).
		Exec(ctx)
	if err := mustAffect("allowance of job "+j.ID, res, err); err != nil {
		return err
	}
	j.Reserved = reserved
	return nil
}

// use adds to the usage of an account in one statement, so that the limits hold even if
// other transactions do the same at the same time.
func (w AllowancesTx) use(ctx context.Context, account string, l Limits, more Usage) (bool, error) {
	what, row := "usage of "+account, &usageRow{Account: account, Period: l.Period.Format(time.DateOnly)}
	for range 2 { // the first use of a period finds no row
		q := w.db.NewUpdate().Model(row).WherePK().
			Set("used_transcripts = u.used_transcripts + ?, reserved_transcripts = u.reserved_transcripts + ?",
				more.Used.Transcripts, more.Reserved.Transcripts).
			Set("used_minutes = u.used_minutes + ?, reserved_minutes = u.reserved_minutes + ?",
				more.Used.Minutes, more.Reserved.Minutes)
		if n := more.Used.Transcripts + more.Reserved.Transcripts; n > 0 && l.Transcripts >= 0 {
			q.Where("u.used_transcripts + u.reserved_transcripts <= ?", l.Transcripts-n)
		}
		if n := more.Used.Minutes + more.Reserved.Minutes; n > 0 && l.ASRMinutes >= 0 {
			q.Where("u.used_minutes + u.reserved_minutes <= ?", l.ASRMinutes-n)
		}
		res, err := q.Exec(ctx)
		n, err := affected(res, err)
		if err != nil || n > 0 {
			return n > 0, wrap(what, err)
		}
		if _, err := w.db.NewInsert().Model(row).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
			return false, wrap(what, err)
		}
	}
	return false, nil
}
