package db_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// TestIsolationIsOurs opens databases whose operator has chosen another isolation. Every
// write, the queue's too, must be read committed: a trigger on each table refuses others.
func TestIsolationIsOurs(t *testing.T) {
	t.Parallel()
	for _, isolation := range []string{"repeatable read", "serializable"} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			o := dbtest.Postgres(t)
			raw := open(t, o)
			u, err := url.Parse(o.Database)
			require.NoError(t, err)
			raw.exec(t, "ALTER DATABASE "+strings.TrimPrefix(u.Path, "/")+" SET default_transaction_isolation = '"+isolation+"'")
			raw.exec(t, `CREATE FUNCTION refuse_others() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
				IF current_setting('transaction_isolation') <> 'read committed' THEN
					RAISE EXCEPTION '% is written under %', TG_TABLE_NAME, current_setting('transaction_isolation');
				END IF;
				RETURN NULL;
			END$$`)
			raw.exec(t, `DO $$DECLARE t text; BEGIN
				FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
					EXECUTE format('CREATE TRIGGER refuse_others BEFORE INSERT OR UPDATE OR DELETE ON %I EXECUTE FUNCTION refuse_others()', t);
				END LOOP;
			END$$`)

			s := dbtest.Open(t, o)
			done := make(chan string, 2)
			runner(t, s, queue.Workers{
				Process: "p1", Queues: map[string]int{"default": 1},
				Workers: workers(func(ctx context.Context, _ queue.Row, step work) error {
					e, _ := newWork(t, s, "acme")
					err := s.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
						locked, err := tx.Works.Lock(ctx, e.ID)
						if err != nil {
							return err
						}
						return goTo(ctx, tx, locked, durationCheck)
					})
					assert.NoError(t, err)
					done <- step.Name
					return err
				}),
			})
			enqueue(t, s, "a", "b")
			require.ElementsMatch(t, []string{"a", "b"}, []string{receive(t, done), receive(t, done)})
			require.Eventually(t, func() bool {
				return raw.count(t, "river_job WHERE state = 'completed'") == 2
			}, time.Minute, 5*time.Millisecond, "the ends of runs are written too")
		})
	}
}
