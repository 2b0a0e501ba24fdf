package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	cdpio "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// traced is what the main thread of a page has done: for so long nobody is answered.
type traced struct {
	longest, whole float64 // milliseconds of a processor: of the longest task, and of all
	longestByClock float64 // milliseconds, in which others may have had the processor
}

func (tr traced) String() string {
	return fmt.Sprintf("%.0f ms of a processor in all, %.0f ms in the longest task (%.0f ms by the clock)", tr.whole, tr.longest, tr.longestByClock)
}

// trace tells what a page's main thread does meanwhile. The time that it has a processor
// depends on the processor alone, and not on who else wants it.
func trace(t *testing.T, page *browsertest.Page, meanwhile func()) (tr traced) {
	t.Helper()
	page.Do(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, tracing.Start, tracing.StartParams{
			TransferMode: tracing.StartTransferModeReturnAsStream,
			TraceConfig:  &tracing.TraceConfig{IncludedCategories: []string{"disabled-by-default-devtools.timeline", "__metadata"}, RecordMode: tracing.TraceConfigRecordModeRecordUntilFull},
		})
		return chromedp.Void{}, err
	})
	meanwhile()
	// A task is recorded when it ends. Its answer may arrive here before it ends, so one more task
	// runs before the recording stops.
	browsertest.Eval[any](page, `new Promise(done => setTimeout(done))`)
	end := func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, tracing.End, cdp.Empty{})
		return chromedp.Void{}, err
	}
	done := browsertest.Run(page, chromedp.WaitEvent(tracing.TracingComplete, nil, end))
	whole := browsertest.Run(page, func(ctx context.Context, target *chromedp.Target) (string, error) {
		var whole strings.Builder
		for {
			piece, err := cdp.Call(ctx, target, cdpio.Read, cdpio.ReadParams{Handle: done.Stream})
			if err != nil || piece.EOF {
				return whole.String(), err
			}
			whole.Write(piece.Data)
		}
	})
	var told struct {
		TraceEvents []struct {
			Name     string
			Pid, Tid int
			Dur      float64
			Tdur     float64 // microseconds of a processor
			Args     struct{ Name string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(whole), &told))
	require.False(t, done.DataLossOccurred)
	var mains [][2]int
	for _, e := range told.TraceEvents {
		if e.Name == "thread_name" && e.Args.Name == "CrRendererMain" {
			mains = append(mains, [2]int{e.Pid, e.Tid})
		}
	}
	for _, e := range told.TraceEvents {
		if e.Name != "RunTask" || !slices.Contains(mains, [2]int{e.Pid, e.Tid}) {
			continue
		}
		tr.whole += e.Tdur / 1000
		tr.longest = max(tr.longest, e.Tdur/1000)
		tr.longestByClock = max(tr.longestByClock, e.Dur/1000)
	}
	require.Positive(t, tr.whole)
	return tr
}
