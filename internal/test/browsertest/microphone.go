package browsertest

import "github.com/chromedp/chromedp"

// Microphone makes New give pages a microphone without asking. It plays a WAV file once, from the
// beginning each time that a page opens the microphone, and then silence. A page that asks for the
// sound of a tab gets the tab with a title.
func Microphone(file, title string) []chromedp.ExecAllocatorOption {
	return []chromedp.ExecAllocatorOption{
		chromedp.Flag("use-fake-ui-for-media-stream", true),
		chromedp.Flag("use-fake-device-for-media-stream", true),
		chromedp.Flag("use-file-for-fake-audio-capture", file+"%noloop"),
		chromedp.Flag("auto-select-tab-capture-source-by-title", title),
	}
}
