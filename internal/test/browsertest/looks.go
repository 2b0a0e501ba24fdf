package browsertest

import (
	"context"
	"strconv"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Phone turns the tab into a phone with a touch screen of 360 by 740 pixels.
func (p *Page) Phone() {
	p.t.Helper()
	p.Do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulateScale(2)))
}

// Desktop gives the tab's window its initial size of 1280 by 800 pixels.
func (p *Page) Desktop() {
	p.t.Helper()
	p.Do(chromedp.EmulateViewport(1280, 800))
}

// Dark switches the page to dark colors, or back to light ones.
func (p *Page) Dark(dark bool) {
	p.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	p.prefer(scheme)
}

// prefer sets the preferred color scheme. Reduced motion is always preferred, so that tested
// pages stand still.
func (p *Page) prefer(scheme string) {
	p.t.Helper()
	p.call(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}})
		return err
	})
}

// RightToLeft turns the current page, as for a language that is written from right to left.
func (p *Page) RightToLeft() {
	p.t.Helper()
	p.Do(chromedp.Evaluate[chromedp.Void](`document.documentElement.dir = "rtl"`))
}

// Print switches the page to its printed form, or back to the screen.
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

// Hide makes the page believe that it is covered by another tab, or visible again. A browser
// without windows never covers a page by itself.
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

// Before runs a script at the start of all later pages, before their own scripts. A test can
// use it to remove a feature of the browser.
func (p *Page) Before(script string) {
	p.t.Helper()
	p.call(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	})
}

// NoScripts disables JavaScript on all later pages. Eval still works.
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
