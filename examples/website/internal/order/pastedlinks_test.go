package order_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/order"
	platforms "github.com/transcriptkit/transcriptkit/transcript/site"
)

// Links are found in whatever is pasted, whole and each once; and what is passed over is known.
func TestLinksAreFoundInATexts(t *testing.T) {
	t.Parallel()
	const first, second, third = "https://youtu.be/dQw4w9WgXcQ", "http://youtu.be/9bZkp7q19f0", "https://www.youtube.com/watch?v=aaaaaaaaa01&pp=a,b"
	for text, want := range map[string]struct {
		links []string
		words string // joined by spaces
	}{
		// Lists.
		first + "," + second:                     {[]string{first, second}, ""},
		first + "\r\n" + second + "\n" + first:   {[]string{first, second}, ""},
		first + "\nyoutu.be/dQw4w9WgXcQ":         {[]string{first}, ""}, // the same content
		"dQw4w9WgXcQ,9bZkp7q19f0":                {[]string{"dQw4w9WgXcQ", "9bZkp7q19f0"}, ""},
		first + ",9bZkp7q19f0":                   {[]string{first, "9bZkp7q19f0"}, ""},
		`"dQw4w9WgXcQ", <` + second + `>`:        {[]string{"dQw4w9WgXcQ", second}, ""},
		third:                                    {[]string{third}, ""},
		"@talks PLrAXtmErZgOeiKm4sgNOkn":         {[]string{"@talks", "PLrAXtmErZgOeiKm4sgNOkn"}, ""},
		"- " + first + "\n• " + second:           {[]string{first, second}, ""},
		"1. " + first + "\n2) " + second:         {[]string{first, second}, ""},
		"* [ ] " + first + "\n→ " + second + ";": {[]string{first, second}, ""},
		"HTTPS://youtu.be/dQw4w9WgXcQ":           {[]string{"HTTPS://youtu.be/dQw4w9WgXcQ"}, ""},
		"12:30 " + first + " 1:02:03":            {[]string{first}, ""},

		// Prose.
		"Here are the talks: " + first + " and (" + second + "). Thanks, Ann": {[]string{first, second}, "Here are the talks and Thanks Ann"},
		"see " + first + "," + second:                                         {[]string{first, second}, "see"},
		"see " + first + ";" + second + ".":                                   {[]string{first, second}, "see"},
		"see «" + first + "»!":                                                {[]string{first}, "see"},
		"talk:" + first + ", new":                                             {[]string{first}, "talk new"},
		"talk «" + first + "»(" + second + ")":                                {[]string{first, second}, "talk"},
		"write to ada@media.example, or see " + first:                         {[]string{first}, "write to ada@media.example or see"},
		"mailto:ada@media.example " + first:                                   {[]string{first}, "mailto:ada@media.example"},
		"see " + first + " or nothingness or dQw4w9WgXcQ":                     {[]string{first}, "see or nothingness or dQw4w9WgXcQ"},
		"from youtu.be/dQw4w9WgXcQ today!":                                    {[]string{"youtu.be/dQw4w9WgXcQ"}, "from today"},
		"see https://media.example/talk_(live)":                               {[]string{"https://media.example/talk_(live)"}, "see"},
		"see (https://media.example/talk_(live)).":                            {[]string{"https://media.example/talk_(live)"}, "see"},
		"see https://media.example/play?of=https://elsewhere.example/a":       {[]string{"https://media.example/play?of=https://elsewhere.example/a"}, "see"},
		"https://media.example/play?of=http://elsewhere.example/a":            {[]string{"https://media.example/play?of=http://elsewhere.example/a"}, ""},
		"看这个视频：" + first + "。":                                                {[]string{first}, "看这个视频"},

		// Markup and tables.
		"[talk](" + first + ").":                               {[]string{first}, "talk"},
		"[one](" + first + "),[two](" + second + ")":           {[]string{first, second}, "one two"},
		`<a href="` + first + `">the talk</a>`:                 {[]string{first}, "a href the talk</a"},
		"| talk | " + first + " |\n|---|---|":                  {[]string{first}, "talk"},
		"Title\tLink\tLength\nA talk\t" + first + "\t12:30":    {[]string{first}, "Title Link Length A talk"},
		`"A talk","` + first + `",12:30`:                       {[]string{first}, "A talk"},
		"A talk;" + first + ";12:30\nB;" + second + ";1:02:03": {[]string{first, second}, "A talk B"},

		// Links of sites that nobody knows, without a scheme.
		"www.media.example":                 {[]string{"https://www.media.example"}, ""},
		"see www.media.example/talk.":       {[]string{"https://www.media.example/talk"}, "see"},
		first + "\nmedia.example/talks/12 ": {[]string{first, "https://media.example/talks/12"}, ""},
		"and/or w/o 24.12./25 " + first:     {[]string{first}, "and/or w/o"},

		// No links.
		"cooking pasta":        {nil, "cooking pasta"},
		"12:30":                {nil, "12:30"},
		"https://":             {nil, "https://"},
		"cooking, and,pasta!":  {nil, "cooking and,pasta"},
		" \t\r\n - • — … ,;:!": {nil, ""},
	} {
		links, words, err := order.FindLinks(text, platforms.Default())
		require.NoError(t, err)
		assert.Equal(t, want.links, links, text)
		assert.Equal(t, want.words, strings.Join(words, " "), text)
	}
}
