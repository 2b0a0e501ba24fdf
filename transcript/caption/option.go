package caption

// Option tells a reader what its file does not.
type Option func(*options)

type options struct{ language string }

// Language is the language of the text, as a BCP 47 tag. The language helps to read
// files that are older than UTF-8. An empty or invalid tag has no effect. A wrong tag
// does no harm if the text makes no words in an encoding of that language, or if
// another encoding is sure.
func Language(tag string) Option { return func(o *options) { o.language = tag } }

func optionsOf(list []Option) (o options) {
	for _, set := range list {
		set(&o)
	}
	return o
}
