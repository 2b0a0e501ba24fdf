package caption

import (
	"encoding/xml"
	"strings"
)

// namespaces are the prefixes that are declared at a place of a TTML file, the innermost
// first. Nil is none.
type namespaces struct {
	outer   *namespaces
	prefix  string
	foreign bool // the namespace is another vocabulary's
	count   int
}

// maxNamespaces bounds how many declarations are in force at a place.
const maxNamespaces = 64

// with returns n with what an element declares. Of root, the namespace of the root
// element, a file may have any: some dialects have their own.
func (n *namespaces) with(attr []xml.Attr, root string) *namespaces {
	for _, a := range attr {
		prefix := a.Name.Local
		switch {
		case a.Name.Space == "" && a.Name.Local == "xmlns":
			prefix = ""
		case a.Name.Space != "xmlns":
			continue
		}
		count := 1
		if n != nil {
			count += n.count
		}
		if count > maxNamespaces {
			break
		}
		n = &namespaces{outer: n, prefix: prefix, foreign: isForeign(a.Value, root), count: count}
	}
	return n
}

// isForeign reports whether elements of a namespace are none of TTML's. TTML has one
// namespace for each of its versions and vocabularies.
func isForeign(uri, root string) bool {
	return uri != "" && uri != root && !strings.Contains(uri, "/ns/ttml") && !strings.Contains(uri, "/ttaf1")
}

// hides reports whether an element with the prefix is of another vocabulary. hides
// takes an undeclared prefix for a prefix of TTML.
func (n *namespaces) hides(prefix string) bool {
	for ; n != nil; n = n.outer {
		if n.prefix == prefix {
			return n.foreign
		}
	}
	return false
}

// declared returns the namespace that an element declares for a prefix, "" when it
// declares none.
func declared(attr []xml.Attr, prefix string) string {
	for _, a := range attr {
		if prefix == "" && a.Name.Space == "" && a.Name.Local == "xmlns" || prefix != "" && a.Name.Space == "xmlns" && a.Name.Local == prefix {
			return a.Value
		}
	}
	return ""
}
