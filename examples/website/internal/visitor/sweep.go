package visitor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// sweepEvery is the interval between removals of expired data.
	sweepEvery = time.Hour
	// sweepLate is how long after the cookie's end a guest is forgotten, so that no request of
	// the guest is still running, even with a slow clock.
	sweepLate = time.Hour
	// sweepAtOnce is how many rows are read at once.
	sweepAtOnce = 100
)

// KeepSweeping regularly removes expired data until ctx ends. api is a client of the API in the
// same process, without Permit, because it acts for guests who have gone.
func (v *Visitors) KeepSweeping(ctx context.Context, api *client.Client) {
	for timer := time.NewTimer(0); ; timer.Reset(sweepEvery) {
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		if err := v.Sweep(ctx, api, v.o.Now()); err != nil && ctx.Err() == nil {
			v.o.Log.WarnContext(ctx, "what has expired is still there", "err", err)
		}
	}
}

// Sweep removes data that has expired by the time at: sessions, counts, and guests with their
// rows in the service's library. Several processes may sweep at once. If one dies, the next one
// finishes its work, because the row of a guest is removed last.
func (v *Visitors) Sweep(ctx context.Context, api *client.Client, at time.Time) error {
	var errs []error
	for _, table := range []string{"website_sessions", "website_counts", "website_known", "website_deeds"} {
		_, err := v.db.ExecContext(ctx, "DELETE FROM "+table+" WHERE expires_at < ?", at.Unix())
		errs = append(errs, wrap("sweeping "+table, err))
	}
	return errors.Join(append(errs, v.sweepGuests(ctx, api, at.Add(-sweepLate)))...)
}

// sweepGuests continues with the next guest if one cannot be removed.
func (v *Visitors) sweepGuests(ctx context.Context, api *client.Client, before time.Time) error {
	var errs []error
	for last := ""; ; {
		var gone []guest
		err := v.db.NewSelect().Model(&gone).Where("expires_at < ? AND id > ?", before.Unix(), last).Order("id").Limit(sweepAtOnce).Scan(ctx)
		if err != nil || len(gone) == 0 {
			return errors.Join(append(errs, wrap("looking for guests that are gone", err))...)
		}
		failed := 0
		for _, g := range gone {
			if err := v.forget(ctx, api, g); err != nil {
				errs = append(errs, err)
				failed++
			}
		}
		if failed == len(gone) { // the fault does not lie with one guest
			return errors.Join(errs...)
		}
		last = gone[len(gone)-1].ID
	}
}

// forget removes a guest with all data.
func (v *Visitors) forget(ctx context.Context, api *client.Client, g guest) error {
	as := context.WithValue(ctx, askingKey{}, &asking{visitor: Visitor{Kind: Guest, Account: guestAccount(g.ID)}, gone: true})
	for _, view := range library.Views() {
		if err := empty(as, api, view); err != nil {
			return wrap("emptying the library of a guest", err)
		}
	}
	_, err := v.db.NewDelete().Model(&g).WherePK().Exec(ctx)
	return wrap("forgetting a guest", err)
}

// empty removes all rows of a view of the library.
func empty(ctx context.Context, api *client.Client, view library.View) error {
	for last := (library.Key{}); ; {
		page, err := api.Library.List(ctx, library.Query{View: view, PageSize: sweepAtOnce})
		if err != nil || len(page.Transcripts) == 0 {
			return err
		}
		first := keyOf(page.Transcripts[0])
		if first == last {
			return fmt.Errorf("%s %s is still listed after it was deleted", first.Platform, first.ExternalID)
		}
		for _, item := range page.Transcripts {
			err := api.Library.Delete(ctx, keyOf(item))
			if err != nil && !errors.Is(err, transcript.NoTranscript) { // another process was faster
				return err
			}
		}
		last = first
	}
}

// keyOf returns the key of a content in all languages.
func keyOf(item library.Item) library.Key {
	return library.Key{Platform: item.Platform, ExternalID: item.ExternalID}
}
