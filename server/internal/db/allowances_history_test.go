package db_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

// use is what a client does with an account's minutes.
type use struct {
	what        string // "hold", "settle", "pay", "look"
	more, limit int64  // hold and pay
	held, pays  int64  // settle
}

// seen is what it gets for an answer.
type seen struct {
	ok             bool
	used, reserved int64 // look
}

// minutesOfAnAccount is how they are used by one client alone.
var minutesOfAnAccount = porcupine.Model{
	Init: func() any { return [2]int64{} },
	Step: func(state, input, output any) (bool, any) {
		s, in, out := state.([2]int64), input.(use), output.(seen)
		fits := in.limit < 0 || s[0]+s[1]+in.more <= in.limit
		switch in.what {
		case "hold":
			if fits {
				return out.ok, [2]int64{s[0], s[1] + in.more}
			}
			return !out.ok, s
		case "pay":
			if fits {
				return out.ok, [2]int64{s[0] + in.more, s[1]}
			}
			return !out.ok, s
		case "settle":
			return true, [2]int64{s[0] + in.pays, s[1] - in.held}
		}
		return out.used == s[0] && out.reserved == s[1], s
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v: %+v", input, output) },
}

// Clients that use one account at the same time see what they would see one after the
// other, in some order that agrees with time; whatever limits each of them has.
func TestUsageIsLinearizable(t *testing.T) {
	t.Parallel()
	const clients, uses = 6, 30
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		began := time.Now()
		histories := make([][]porcupine.Operation, clients)
		var all sync.WaitGroup
		for client := range clients {
			random := rand.New(rand.NewPCG(7, uint64(client)))
			job := jobOf(t, s, "acme", db.Limits{Period: november})
			all.Go(func() {
				for range uses {
					in := nextUse(random, job)
					call := time.Since(began)
					out, err := in.do(t.Context(), s, job)
					if err != nil {
						t.Error(err)
						return
					}
					histories[client] = append(histories[client], porcupine.Operation{
						ClientId: client, Input: in, Call: int64(call), Output: out, Return: int64(time.Since(began)),
					})
				}
			})
		}
		all.Wait()
		var history []porcupine.Operation
		refused := 0
		for _, h := range histories {
			history = append(history, h...)
			for _, op := range h {
				if in := op.Input.(use); !op.Output.(seen).ok && in.what != "look" && in.what != "settle" {
					refused++
				}
			}
		}
		require.Len(t, history, clients*uses)
		require.NotZero(t, refused, "no limit was met")
		require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(minutesOfAnAccount, history, time.Minute))
	})
}

// nextUse is what a client does next, whose job holds what it holds.
func nextUse(random *rand.Rand, job *db.Job) use {
	more, limit := 1+random.Int64N(4), 10+random.Int64N(10)
	if random.IntN(10) == 0 {
		limit = -1
	}
	switch n := random.IntN(10); {
	case n < 4:
		return use{what: "hold", more: more, limit: limit}
	case n < 7 && job.Reserved.Minutes > 0:
		return use{what: "settle", held: job.Reserved.Minutes, pays: random.Int64N(2)}
	case n < 8:
		return use{what: "pay", more: 1, limit: limit}
	}
	return use{what: "look"}
}

func (u use) do(ctx context.Context, s *db.Store, job *db.Job) (out seen, err error) {
	if u.what == "look" {
		usage, err := s.Allowances.Usage(ctx, job.Account, november)
		return seen{used: usage.Used.Minutes, reserved: usage.Reserved.Minutes}, err
	}
	job.Limits = db.Limits{Period: november, Transcripts: -1, ASRMinutes: u.limit}
	err = s.InTx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		switch u.what {
		case "hold":
			out.ok, err = tx.Allowances.Reserve(ctx, job, db.Allowance{Minutes: job.Reserved.Minutes + u.more})
		case "pay":
			out.ok, err = tx.Allowances.Pay(ctx, job.Account, job.Limits, db.Allowance{Minutes: u.more})
		default:
			err = tx.Allowances.Settle(ctx, job, db.Allowance{Minutes: u.pays})
		}
		return err
	})
	return out, err
}
