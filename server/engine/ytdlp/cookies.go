package ytdlp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// maxCookies limits a file of cookies, in bytes.
const maxCookies = 1 << 20

// CookieReport describes a file of cookies. It contains no names or values of cookies.
type CookieReport struct {
	Count   int       // the number of cookies of the platform
	Others  []string  // other hosts with cookies in the file, sorted; their cookies are not used
	Expires time.Time // when the last of the cookies expires; zero if none has a time
}

// ReadCookies checks a file of cookies as New does. An error names the line but never
// contains its text.
func ReadCookies(c Cookies) (CookieReport, error) {
	jar, err := readJar(c)
	return jar.CookieReport, err
}

// jar holds the cookies of a platform.
type jar struct {
	CookieReport
	lines [][]byte
}

// readJar reads the cookies for the hosts of a platform.
func readJar(c Cookies) (j jar, err error) {
	if len(c.Hosts) == 0 {
		return j, errors.New("no host of the platform is named")
	}
	text, err := readPrivate(c.File)
	if err != nil {
		return j, err
	}
	others := make(map[string]bool)
	for n, line := range bytes.Split(text, []byte("\n")) {
		line = bytes.TrimRight(line, "\r")
		fields := bytes.Split(bytes.TrimPrefix(line, []byte(httpOnly)), []byte("\t"))
		if len(bytes.TrimSpace(line)) == 0 || bytes.HasPrefix(line, []byte("#")) && !bytes.HasPrefix(line, []byte(httpOnly)) {
			continue
		}
		expires, bad := strconv.ParseInt(orZero(fields), 10, 64)
		if len(fields) != fieldsOfCookie || len(fields[0]) == 0 || bad != nil {
			return j, fmt.Errorf("line %d of %s is no cookie in the Netscape format: export the cookies of the platform as cookies.txt, and copy the file whole", n+1, c.File)
		}
		host := strings.ToLower(strings.TrimPrefix(string(fields[0]), "."))
		if !ofHosts(host, c.Hosts) {
			others[clip.Text(host)] = true
			continue
		}
		j.lines = append(j.lines, line)
		if j.Count++; expires > 0 && time.Unix(expires, 0).After(j.Expires) {
			j.Expires = time.Unix(expires, 0).UTC()
		}
	}
	j.Others = slices.Sorted(maps.Keys(others))
	switch {
	case j.Count == 0:
		return j, fmt.Errorf("%s has no cookie for %s: export the cookies while you are logged in there", c.File, c.Hosts[0])
	case !j.Expires.IsZero() && j.Expires.Before(time.Now()):
		return j, fmt.Errorf("all cookies of %s for %s have expired: export the cookies again", c.File, c.Hosts[0])
	}
	return j, nil
}

// fieldsOfCookie is the number of fields of a line: the host, whether other hosts below the host
// get the cookie, the path, whether only https gets it, the time of its end, the name, the value.
const fieldsOfCookie = 7

// httpOnly begins the line of a cookie that scripts of the platform do not see.
const httpOnly = "#HttpOnly_"

// orZero returns the time in the fields of a line. Some programs leave out a time.
func orZero(fields [][]byte) string {
	if len(fields) != fieldsOfCookie || len(fields[4]) == 0 {
		return "0"
	}
	whole, _, _ := strings.Cut(string(fields[4]), ".")
	return whole
}

// ofHosts reports whether a cookie of a host is sent to one of some hosts.
func ofHosts(host string, hosts []string) bool {
	return slices.ContainsFunc(hosts, func(own string) bool {
		own, _, _ = strings.Cut(strings.ToLower(own), ":")
		return host == own || strings.Contains(host, ".") && strings.HasSuffix(own, "."+host) || strings.HasSuffix(host, "."+own)
	})
}

// readPrivate reads a file that only its owner, and perhaps a group, may read.
func readPrivate(path string) ([]byte, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() { // opening a pipe may block for ever
		return nil, fmt.Errorf("%s is not a file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it is only read
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", path)
	case info.Mode().Perm()&0o007 != 0:
		return nil, fmt.Errorf("everybody on this machine may read %s: run chmod 600 %s", path, path)
	case info.Size() > maxCookies:
		return nil, fmt.Errorf("%s is larger than %d bytes: export the cookies of one platform", path, maxCookies)
	}
	return io.ReadAll(io.LimitReader(file, maxCookies))
}

// write writes the cookies into a folder for one run, and returns the path. The program changes
// this file.
func (j jar) write(folder string) (string, error) {
	path := filepath.Join(folder, "cookies.txt")
	text := "# Netscape HTTP Cookie File\n" + string(bytes.Join(j.lines, []byte("\n"))) + "\n"
	return path, os.WriteFile(path, []byte(text), 0o600)
}
