package main

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"time"
)

// A program of a systemd unit takes the socket of the unit, and tells systemd when the program is ready
// and when it stops. Outside of a unit, and on systems without systemd, it does nothing.

// firstSocket is the descriptor of the first socket that systemd hands over.
const firstSocket = 3

// systemdListener returns the socket that systemd has opened for this process, or nil if there is
// none. The socket stays open in systemd, so connections wait there from the end of one process
// until the start of the next. The caller closes the listener. A process calls systemdListener
// once, before it opens files and starts programs. An error names the setting of the socket unit
// that is at fault.
func systemdListener() (net.Listener, error) {
	if os.Getenv("LISTEN_PID") != strconv.Itoa(os.Getpid()) { //nolint:forbidigo // systemd tells it so; another number is for another process
		return nil, nil
	}
	if n := os.Getenv("LISTEN_FDS"); n != "1" { //nolint:forbidigo // as above
		return nil, fmt.Errorf("systemd hands over %q sockets, and the service takes one: leave one ListenStream=", n)
	}
	file := os.NewFile(firstSocket, "the socket of systemd")
	defer file.Close() //nolint:errcheck // the listener has a copy
	l, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("the socket cannot be used: %w: name an address by ListenStream=HOST:PORT", err)
	}
	if _, isTCP := l.Addr().(*net.TCPAddr); !isTCP {
		_ = l.Close() // the error below says more
		return nil, fmt.Errorf("systemd hands over a socket of %s: name an address by ListenStream=HOST:PORT", l.Addr().Network())
	}
	return l, nil
}

// tellReady tells systemd that the program accepts requests. An error says that systemd did not hear it.
func tellReady() error { return notify("READY=1") }

// tellStopping tells systemd that the program ends, and how long that may take at most.
func tellStopping(within time.Duration) error {
	return notify(fmt.Sprintf("STOPPING=1\nEXTEND_TIMEOUT_USEC=%d", within.Microseconds()))
}

// notify sends a message to systemd, if systemd waits for messages.
func notify(message string) error {
	path := os.Getenv("NOTIFY_SOCKET") //nolint:forbidigo // systemd tells it so
	if path == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("telling systemd: %w", err)
	}
	defer conn.Close() //nolint:errcheck // the message has left
	if _, err := conn.Write([]byte(message)); err != nil {
		return fmt.Errorf("telling systemd: %w", err)
	}
	return nil
}
