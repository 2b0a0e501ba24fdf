package caption

import (
	"strconv"
	"strings"
)

// look is how styles show an element, as far as that decides what can be read. The
// zero value says nothing.
type look struct {
	display, visibility, opacity shown
	ruby                         rubyPart
}

// shown is the value of a style that can hide.
type shown byte

const (
	isShownByStyle shown = iota + 1
	isHiddenByStyle
)

// rubyPart is the part of a ruby that an element is.
type rubyPart byte

const (
	rubyBase rubyPart = iota + 1
	rubyFrame
	rubyAnnotation // stands above another text
)

// set takes an attribute in, if it is one of a style that counts.
func (k *look) set(name, value string) {
	switch name {
	case "display":
		k.display = hides(value == "none")
	case "visibility":
		k.visibility = hides(value == "hidden")
	case "opacity":
		alpha, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		k.opacity = hides(err == nil && alpha <= 0)
	case "role": // of lyrics, which repeat a line in another language or script
		if value == "x-translation" || value == "x-roman" {
			k.display = isHiddenByStyle
		}
	case "ruby":
		switch value {
		case "text", "textContainer", "delimiter":
			k.ruby = rubyAnnotation
		case "container", "baseContainer":
			k.ruby = rubyFrame
		case "base":
			k.ruby = rubyBase
		}
	}
}

func hides(is bool) shown {
	if is {
		return isHiddenByStyle
	}
	return isShownByStyle
}

// over returns k, with the members of weaker for the members that k leaves open.
func (k look) over(weaker look) look {
	if k.display == 0 {
		k.display = weaker.display
	}
	if k.visibility == 0 {
		k.visibility = weaker.visibility
	}
	if k.opacity == 0 {
		k.opacity = weaker.opacity
	}
	if k.ruby == 0 {
		k.ruby = weaker.ruby
	}
	return k
}

// within returns how an element with the look own is shown within an element with the
// look k. In an element that is transparent or not displayed, all children are hidden
// too. A child without a visibility takes the visibility of k.
func (k look) within(own look) look {
	if k.display == isHiddenByStyle {
		own.display = k.display
	}
	if k.opacity == isHiddenByStyle {
		own.opacity = k.opacity
	}
	if own.visibility == 0 {
		own.visibility = k.visibility
	}
	return own
}

// shows reports whether text is shown.
func (k *look) shows() bool {
	return k.display != isHiddenByStyle && k.visibility != isHiddenByStyle && k.opacity != isHiddenByStyle
}

// shownBy takes in that an animation changes the look: what is seen at some time is
// shown.
func (k *look) shownBy(animation *look) {
	if animation.display == isShownByStyle {
		k.display = isShownByStyle
	}
	if animation.visibility == isShownByStyle {
		k.visibility = isShownByStyle
	}
	if animation.opacity == isShownByStyle {
		k.opacity = isShownByStyle
	}
}

// isAnimation reports the elements that change the look of the one around.
func isAnimation(name string) bool { return name == "set" || name == "animate" }
