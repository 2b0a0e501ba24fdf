package browsertest

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
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
