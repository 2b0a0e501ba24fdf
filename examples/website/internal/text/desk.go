package text

// Docked reports whether the page has a dock, which plays the recording or leads to the platform's
// player.
func (r reading) Docked() bool { return r.Recording != "" || r.Text.Out && r.Original() != "" }

// listed is a speaker in the list of a page.
type listed struct {
	voice
	Page reading
}

// Voices returns the list of the text's speakers.
func (r reading) Voices() (all []listed) {
	for _, v := range r.Text.Voices {
		all = append(all, listed{v, r})
	}
	return all
}

// NewVoice returns the empty row from which the page makes the row of another speaker.
func (r reading) NewVoice() listed { return listed{Page: r} }

// keys are what a key, or one of several keys, does.
type keys struct {
	Keys []string
	Does string // the key of the text that says it
}

// Keys returns all keys of a text's page.
func (r reading) Keys() []keys {
	var all []keys
	if r.Recording != "" {
		all = []keys{
			{[]string{"Tab"}, "desk.keys.play"},
			{[]string{"Shift+Tab"}, "desk.keys.again"},
			{[]string{"K", "␣"}, "desk.keys.playOutside"},
			{[]string{"J", "←"}, "desk.keys.back"},
			{[]string{"L", "→"}, "desk.keys.forward"},
			{[]string{"<", ">"}, "transcript.play.slower"},
		}
	}
	return append(all, []keys{
		{[]string{"Enter"}, "desk.keys.split"},
		{[]string{"Shift+Enter"}, "desk.keys.break"},
		{[]string{"Backspace"}, "desk.keys.join"},
		{[]string{"Ctrl+1", "Alt+1"}, "desk.keys.give"},
		{[]string{"Ctrl+H"}, "desk.replace"},
		{[]string{"Escape"}, "desk.keys.leave"},
		{[]string{"/"}, "transcript.search.label"},
		{[]string{"?"}, "desk.keys"},
	}...)
}
