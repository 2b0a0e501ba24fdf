package caption

// Option tells a reader something about the file that the file itself does not say.
type Option func(*options)

type options struct {
	language string
	noGuess  bool
}

// Language sets the language of the text, as a BCP 47 tag. It helps to detect the
// encoding of files that are not in UTF-8. An empty or invalid tag has no effect. A
// wrong tag has no effect either if another encoding is certain, or if the text has no
// words in an encoding of that language.
func Language(tag string) Option { return func(o *options) { o.language = tag } }

// NoGuess makes the readers of WebVTT, SubRip, SBV and ASS count a cue as lost if a
// damaged byte may have changed its times or its text. Such cues end before they start,
// or last for hours; their times have a number over 59, a sign, or more or fewer digits
// than the other times of the file; or the line above their times can be text or a name.
// The reader still returns these cues. Programs that replace a text by a file need
// NoGuess; programs that show captions do not.
func NoGuess() Option { return func(o *options) { o.noGuess = true } }

func optionsOf(list []Option) (o options) {
	for _, set := range list {
		set(&o)
	}
	return o
}
