package request

import (
	"errors"
	"net/url"
)

// WebAddress is the absolute address of a web server, of 1 to longest characters: http or https,
// without credentials and without a fragment.
func WebAddress(longest int) Kind[string] {
	take := func(s string) (string, error) {
		if err := ofLength(s, 1, longest); err != nil {
			return "", err
		}
		u, err := url.Parse(s)
		switch {
		case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https": // err may hold a password
			return "", errors.New("must be an address of the form https://HOST/PATH or http://HOST/PATH")
		case u.User != nil:
			return "", errors.New("must not hold a user or a password")
		case u.Fragment != "":
			return "", errors.New("must not have a fragment, the part after #")
		}
		return s, nil
	}
	return kindOf(texts, take, itself, func() Schema {
		s := lengths(1, longest)
		s["format"] = "uri"
		return s
	})
}
