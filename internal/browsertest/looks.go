package browsertest

import (
	"context"
	"strconv"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Phone makes the tab a phone's of 360 by 740 pixels, which is touched.
func (p *Page) Phone() {
	p.t.Helper()
	p.Do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulateScale(2)))
}

// Desktop makes the tab's window 1280 by 800 pixels, as it is at first.
func (p *Page) Desktop() {
	p.t.Helper()
	p.Do(chromedp.EmulateViewport(1280, 800))
}

// Dark has the page shown in dark colors, or again in light ones.
func (p *Page) Dark(dark bool) {
	p.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	p.prefer(scheme)
}

// prefer says which colors people like. None of them like motion: what a test looks at
// stands still.
func (p *Page) prefer(scheme string) {
	p.t.Helper()
	p.call(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}})
		return err
	})
}

// RightToLeft turns the page that is shown, as in a language that is written so.
func (p *Page) RightToLeft() {
	p.t.Helper()
	p.Do(chromedp.Evaluate[chromedp.Void](`document.documentElement.dir = "rtl"`))
}

// Print has the page shown as it is printed, or again as on a screen.
func (p *Page) Print(print bool) {
	p.t.Helper()
	media := ""
	if print {
		media = "print"
	}
	p.call(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media})
		return err
	})
}

// Hide has the page believe that another tab covers it, or that it is seen again: what has
// no window is never covered.
func (p *Page) Hide(hidden bool) {
	p.t.Helper()
	state := "visible"
	if hidden {
		state = "hidden"
	}
	p.Do(chromedp.Evaluate[chromedp.Void](`Object.defineProperties(document, {
		hidden: {value: ` + strconv.FormatBool(hidden) + `, configurable: true}, visibilityState: {value: "` + state + `", configurable: true},
	}).dispatchEvent(new Event("visibilitychange"))`))
}

// Before runs a script at the begin of all pages that are opened from now on, before
// their own: it makes the browser one that lacks something.
func (p *Page) Before(script string) {
	p.t.Helper()
	p.call(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	})
}

// NoScripts has the pages that are opened from now on do without JavaScript. Eval still works.
func (p *Page) NoScripts() {
	p.t.Helper()
	p.call(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	})
}

func (p *Page) call(f func(context.Context, *chromedp.Target) error) {
	p.t.Helper()
	p.Do(chromedp.Func(f))
}
