package docs

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// shelf has all pages.
type shelf struct {
	pages      map[string]page
	operations map[string]string // the id by the link to its document, as "reference/usage.md#get-v1usage"
}

// page is a page in Markdown.
type page struct {
	file   string          // from which its links lead
	text   string          // begins with "# "
	has    map[string]bool // the names of its headings, as links have them
	joined bool            // it has parts of other documents
}

// section is a part of a document of the reference: a heading and what is under it.
type section struct {
	file, text string
	links      []string // to other sections
}

var (
	heading   = regexp.MustCompile(`(?m)^##+ (.*)$`)
	operation = regexp.MustCompile(`(?s)^## ([A-Z]+) (/\S*)\n.*The operation is ` + "`(\\w+)`")
	linked    = regexp.MustCompile(`\]\(([a-z]*(?:\.md)?)#([a-z]+)\)`)
	dropped   = regexp.MustCompile(`[^a-z0-9_ -]`)
	mentioned = regexp.MustCompile(`(?:\b([A-Z]+) )?(?:\$URL)?(/v1/[^\s"` + "`" + `?,;]*)`)
)

// anchor returns the name of a heading, as links have it.
func anchor(heading string) string {
	return strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// pathOf returns the path of a document's page.
func pathOf(file string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(file, ".md"), "README"), "/")
}

// read reads all documents. The documents of the reference become a page for each operation, and
// one for the types of each part of the API.
func read() *shelf {
	s := &shelf{pages: map[string]page{}, operations: map[string]string{}}
	sections, parts := map[string]section{}, map[string][]section{}
	_ = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, _ error) error { // what is compiled in can be read
		if d.IsDir() {
			return nil
		}
		content, _ := fs.ReadFile(files, name) // as above
		text := strings.TrimSpace(string(content))
		if strings.HasPrefix(text, "<!--") {
			_, text, _ = strings.Cut(text, "-->\n\n")
		}
		s.add(pathOf(name), page{file: name, text: text + "\n"})
		if path.Dir(name) != "reference" {
			return nil
		}
		parts[name] = divide(name, text)
		for _, part := range parts[name][1:] {
			title := heading.FindStringSubmatch(part.text)[1]
			sections[name+"#"+anchor(title)] = part
			if op := operation.FindStringSubmatch(part.text); op != nil {
				s.operations[name+"#"+anchor(title)] = op[3]
			}
		}
		return nil
	})
	guides := s.guides()
	for _, link := range slices.Sorted(maps.Keys(s.operations)) {
		op := sections[link]
		text := op.text[1:] + about(parts[op.file][0]) + s.linkGuides(guides, op) + op.closure(sections, map[string]bool{})
		s.add("operations/"+s.operations[link], page{file: op.file, text: text, joined: true})
	}
	for name, part := range parts {
		s.shorten(name, part)
	}
	s.addFirst()
	return s
}

// addFirst adds the list of all operations to the first page.
func (s *shelf) addFirst() {
	first := s.pages[""]
	_, list, _ := strings.Cut(s.pages["reference"].text, "\n## ")
	list = strings.ReplaceAll("\n## "+list, "\n## ", "\n### ")
	first.text += "\n## Operations\n" + strings.ReplaceAll(list, "](", "](reference/")
	s.add("", first)
}

// add adds a page.
func (s *shelf) add(path string, p page) {
	p.has = map[string]bool{"": true}
	for line := range strings.Lines(p.text) {
		if strings.HasPrefix(line, "##") {
			p.has[anchor(strings.TrimLeft(line, "# "))] = true
		}
	}
	s.pages[path] = p
}

// divide returns what stands before the first heading, and each section.
func divide(file, text string) (all []section) {
	begin := 0
	add := func(end int) {
		part := section{file: file, text: text[begin:end]}
		for _, m := range linked.FindAllStringSubmatch(part.text, -1) {
			to := file
			if m[1] != "" {
				to = path.Join(path.Dir(file), m[1])
			}
			part.links = append(part.links, to+"#"+m[2])
		}
		all, begin = append(all, part), end
	}
	for _, at := range heading.FindAllStringIndex(text, -1) {
		add(at[0])
	}
	add(len(text))
	return all
}

// closure returns the sections of all types that a section links to, and of the types within.
func (from section) closure(sections map[string]section, seen map[string]bool) (text string) {
	for _, link := range from.links {
		if to, ok := sections[link]; ok && !seen[link] && strings.HasPrefix(to.text, "### ") && !strings.HasSuffix(to.file, "errors.md") {
			seen[link] = true
			text += "\n" + strings.TrimSpace(to.text[1:]) + "\n" + to.closure(sections, seen)
		}
	}
	return text
}

// about says to which part of the API an operation belongs.
func about(part section) string {
	title, text, _ := strings.Cut(strings.TrimPrefix(part.text, "# "), "\n")
	return fmt.Sprintf("\nA part of [%s](%s). %s", title, path.Base(part.file), strings.TrimSpace(text)+"\n")
}

// shorten leaves out of the page of a part of the API what the pages of its operations have.
func (s *shelf) shorten(name string, parts []section) {
	text := parts[0].text
	var rest strings.Builder
	for _, part := range parts[1:] {
		title := heading.FindStringSubmatch(part.text)[1]
		if _, ok := s.operations[name+"#"+anchor(title)]; ok {
			text += fmt.Sprintf("- [`%s`](#%s)\n", title, anchor(title))
			continue
		}
		rest.WriteString("\n" + part.text)
	}
	s.add(pathOf(name), page{file: name, text: text + rest.String()})
}

// guide is a guide, and what it mentions.
type guide struct {
	path, title string
	calls       [][]string // each with a method, which may be empty, and a path
}

// guides returns all guides.
func (s *shelf) guides() (all []guide) {
	for _, name := range slices.Sorted(maps.Keys(s.pages)) {
		if text := s.pages[name].text; path.Dir(name) == "guides" {
			title, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
			all = append(all, guide{name, title, mentioned.FindAllStringSubmatch(text, -1)})
		}
	}
	return all
}

// linkGuides returns links to the guides that mention an operation, and adds the operation to them.
func (s *shelf) linkGuides(guides []guide, op section) (links string) {
	of := operation.FindStringSubmatch(op.text)
	for _, g := range guides {
		if !g.mentions(of[1], of[2]) {
			continue
		}
		links += fmt.Sprintf("- [%s](../%s.md)\n", g.title, g.path)
		shown := s.pages[g.path]
		const list = "\n## Operations of this guide\n\n"
		if !strings.Contains(shown.text, list) {
			shown.text += list
		}
		shown.text += fmt.Sprintf("- [`%s %s`](../%s#%s)\n", of[1], of[2], op.file, anchor(of[1]+" "+of[2]))
		s.add(g.path, shown)
	}
	if links != "" {
		links = "\n## Guides\n\n" + links
	}
	return links
}

// mentions reports whether a guide has the path of an operation, with its method or without one.
func (g guide) mentions(method, pattern string) bool {
	return slices.ContainsFunc(g.calls, func(call []string) bool {
		return (call[1] == "" || call[1] == method) && samePath(strings.TrimRight(call[2], ".):"), pattern)
	})
}

// samePath reports whether a path has the form of a pattern.
func samePath(path, pattern string) bool {
	is, want := strings.Split(path, "/"), strings.Split(pattern, "/")
	return slices.EqualFunc(is, want, func(is, want string) bool { return is == want || strings.HasPrefix(want, "{") && is != "" })
}
