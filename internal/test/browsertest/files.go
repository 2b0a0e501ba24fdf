package browsertest

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// Choose chooses files in the field with a CSS selector, like the dialog of the system.
func (p *Page) Choose(selector string, paths ...string) {
	p.t.Helper()
	p.Do(chromedp.SetUploadFiles(chromedp.CSS(selector), p.absolute(paths), chromedp.NodeReady))
}

// Drop drops files into the middle of the page, from outside the browser.
func (p *Page) Drop(paths ...string) {
	p.t.Helper()
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: p.absolute(paths), DragOperationsMask: 1}
	p.call(func(ctx context.Context, t *chromedp.Target) error {
		for _, step := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
			if _, err := cdp.Call(ctx, t, input.DispatchDragEvent, input.DispatchDragEventParams{Type: step, X: 180, Y: 300, Data: data}); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p *Page) absolute(paths []string) (all []string) {
	p.t.Helper()
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			p.t.Fatal(err)
		}
		all = append(all, path)
	}
	return all
}

// Download calls do, for example a click on a link, and returns the name and the content of the
// downloaded file.
func (p *Page) Download(do func()) (name string, content []byte) {
	p.t.Helper()
	dir := p.t.TempDir()
	c := chromedp.FromContext(p.ctx)
	if _, err := chromedp.CallBrowser(p.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, BrowserContextID: c.BrowserContextID, DownloadPath: dir,
	}); err != nil {
		p.t.Fatal(err)
	}
	do()
	p.until("a file is downloaded", func(context.Context) (bool, error) {
		files, err := os.ReadDir(dir)
		if err != nil || len(files) != 1 || strings.HasSuffix(files[0].Name(), ".crdownload") || strings.HasPrefix(files[0].Name(), ".") {
			return false, err
		}
		name = files[0].Name()
		content, err = os.ReadFile(filepath.Join(dir, name))
		return err == nil && len(content) > 0, err
	})
	return name, content
}
