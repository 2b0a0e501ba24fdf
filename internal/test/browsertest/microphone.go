package browsertest

import "github.com/chromedp/chromedp"

// Microphone makes New give pages a microphone without asking. It plays a WAV file once, from the
// beginning each time that a page opens the microphone, and then silence. Without a file, it beeps.
func Microphone(file string) []chromedp.ExecAllocatorOption {
	options := []chromedp.ExecAllocatorOption{
		chromedp.Flag("use-fake-ui-for-media-stream", true),
		chromedp.Flag("use-fake-device-for-media-stream", true),
	}
	if file != "" {
		options = append(options, chromedp.Flag("use-file-for-fake-audio-capture", file+"%noloop"))
	}
	return options
}
