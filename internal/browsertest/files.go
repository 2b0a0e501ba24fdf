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

// Choose chooses files in the field of a CSS selector, as if the dialog of the
// system had been used.
func (p *Page) Choose(selector string, paths ...string) {
	p.t.Helper()
	p.Do(chromedp.SetUploadFiles(chromedp.CSS(selector), p.absolute(paths), chromedp.NodeReady))
}

// Drop drops files in the middle of the page, from outside of the browser.
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

// Download returns the name and the content of the file that is downloaded when something
// is done, as a click on a link.
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
