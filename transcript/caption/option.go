package caption

// Option tells a reader something about the file that the file itself does not say.
type Option func(*options)

type options struct{ language string }

// Language sets the language of the text, as a BCP 47 tag. It helps to detect the
// encoding of files that are not in UTF-8. An empty or invalid tag has no effect. A
// wrong tag has no effect either if another encoding is certain, or if the text has no
// words in an encoding of that language.
func Language(tag string) Option { return func(o *options) { o.language = tag } }

func optionsOf(list []Option) (o options) {
	for _, set := range list {
		set(&o)
	}
	return o
}
