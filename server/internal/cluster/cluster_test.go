package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// list is a list of processes that a test changes.
type list struct {
	processes []queue.Process
	err       error
	reads     int
}

func (l *list) read(context.Context) ([]queue.Process, error) {
	l.reads++
	return l.processes, l.err
}

func (l *list) cluster(self cluster.Abilities, idle bool) *cluster.Cluster {
	return cluster.New(cluster.Config{Self: self, Idle: idle, Processes: l.read, Log: slog.New(slog.DiscardHandler)})
}

func process(t *testing.T, id string, silent time.Duration, a cluster.Abilities) queue.Process {
	t.Helper()
	row, err := json.Marshal(a)
	require.NoError(t, err)
	return queue.Process{ID: id, Silent: silent, Abilities: row}
}

var reader = cluster.Abilities{Captions: []transcript.Platform{transcript.VideoSite}}

func readsVideos(t cluster.Team) bool { return t.ReadsCaptions(transcript.VideoSite) }

func TestWorkIsForOthersWhenOnlyTheyCanDoIt(t *testing.T) {
	t.Parallel()
	l := &list{processes: []queue.Process{process(t, "reader", 0, reader)}}
	assert.True(t, l.cluster(cluster.Abilities{}, false).OnlyOthers(t.Context(), readsVideos))
	assert.False(t, l.cluster(reader, false).OnlyOthers(t.Context(), readsVideos), "this process can do the work")

	l.processes = []queue.Process{process(t, "reader", 31*time.Second, reader)}
	assert.False(t, l.cluster(cluster.Abilities{}, false).OnlyOthers(t.Context(), readsVideos), "the process is dead")
	l.processes = []queue.Process{{ID: "old"}}
	assert.True(t, l.cluster(cluster.Abilities{}, false).OnlyOthers(t.Context(), readsVideos), "the abilities of the process are unknown")
}

func TestListOfProcessesIsReadAgainBeforeNoProcessCan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &list{}
		c := l.cluster(cluster.Abilities{}, false)
		assert.False(t, c.OnlyOthers(t.Context(), readsVideos))
		l.processes = []queue.Process{process(t, "reader", 0, reader)}
		assert.True(t, c.OnlyOthers(t.Context(), readsVideos))
		reads := l.reads
		assert.True(t, c.OnlyOthers(t.Context(), readsVideos))
		assert.Equal(t, reads, l.reads, "the list in memory is new enough")
		time.Sleep(3 * time.Second) //nolint:forbidigo // of the bubble's clock
		assert.True(t, c.OnlyOthers(t.Context(), readsVideos))
		assert.Equal(t, reads+1, l.reads)
	})
}

func TestLastKnownListCountsWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	l := &list{processes: []queue.Process{process(t, "reader", 0, reader)}}
	c := l.cluster(cluster.Abilities{}, true)
	assert.True(t, readsVideos(c.TeamNow(t.Context())))
	l.processes, l.err = nil, errors.New("away")
	assert.True(t, readsVideos(c.TeamNow(t.Context())))
}

func TestIdleProcessWaitsForProcessesToCome(t *testing.T) {
	t.Parallel()
	c := (&list{}).cluster(cluster.Abilities{}, true)
	assert.Empty(t, c.Living(t.Context()))
	assert.True(t, readsVideos(c.Team(t.Context())))
	assert.NoError(t, c.Team(t.Context()).CanRecognize(nil))
}

func TestAwakeAreProcessesWithARecentHeartbeat(t *testing.T) {
	t.Parallel()
	l := &list{processes: []queue.Process{process(t, "late", 11*time.Second, reader), process(t, "awake", 9*time.Second, reader)}}
	ids, err := l.cluster(cluster.Abilities{}, true).Awake(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"awake"}, ids)
}

func TestRecognizerOfTheTeam(t *testing.T) {
	t.Parallel()
	english := cluster.Abilities{Recognizer: &cluster.Recognizer{Name: "small", Languages: []string{"en"}, ChunkSec: 30, Voices: 4}}
	german := cluster.Abilities{Recognizer: &cluster.Recognizer{Name: "large", Languages: []string{"de", "en"}, ChunkSec: 10}}
	odd := cluster.Abilities{Recognizer: &cluster.Recognizer{Name: "odd", ChunkSec: 0.1}}
	team := cluster.Team{english, german, odd}
	lists := func(s string) transcript.LanguageList {
		list, err := transcript.ParseLanguageList(s)
		require.NoError(t, err)
		return list
	}
	assert.Equal(t, 10*time.Second, team.Lengths(lists("asr-en")).Longest, "the shortest credible chunks")
	assert.True(t, team.TakesTurns(lists("asr-en")))
	assert.False(t, team.TakesTurns(lists("asr-de")))
	assert.NoError(t, team.CanRecognize(lists("asr-fr")), "one recognizer takes any language")

	err := cluster.Team{english, german}.CanRecognize(lists("asr-fr"))
	require.ErrorIs(t, err, transcript.NotImplemented)
	assert.ErrorContains(t, err, "The recognizer small, large does not know fr: it knows en, de.")
	assert.ErrorIs(t, cluster.Team{english}.CanTranscribe(lists("asr-en")), transcript.NotImplemented, "no process decodes media")
}

// runner is a runner whose life the test decides.
type runner struct {
	queue.Runner

	name          string
	dead, running atomic.Bool
}

func (r *runner) Start(context.Context) error { r.running.Store(true); return nil }
func (r *runner) Stop(context.Context) error  { r.running.Store(false); return nil }
func (r *runner) Beat(context.Context) error {
	if r.dead.Load() {
		return queue.ErrTakenForDead
	}
	return nil
}

func TestProcessTakenForDeadComesBackUnderANewName(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var all []*runner
		life, err := cluster.NewLife(func(name string) (queue.Runner, error) {
			all = append(all, &runner{name: name})
			return all[len(all)-1], nil
		}, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		require.NoError(t, life.Runner().Start(t.Context()))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go life.Beat(ctx)
		all[0].dead.Store(true)
		time.Sleep(6 * time.Second) //nolint:forbidigo // of the bubble's clock
		synctest.Wait()
		require.Len(t, all, 2)
		assert.NotEqual(t, all[0].name, all[1].name)
		assert.False(t, all[0].running.Load())
		assert.True(t, all[1].running.Load())
		assert.Same(t, all[1], life.Runner())

		require.NoError(t, life.Stop(t.Context()))
		all[1].dead.Store(true)
		time.Sleep(6 * time.Second) //nolint:forbidigo // of the bubble's clock
		synctest.Wait()
		assert.Len(t, all, 2, "after Stop no new runner starts")
	})
}
