// Command exampleservice is the service that the examples of package client ask. It is a separate
// process, so that the tests of package client import nothing of the service. Otherwise everyone
// who imports the client would have the imports of these tests in go.sum.
//
// The first line that the program prints is the address of the service. For each line that it
// reads, the program makes an account of that name and prints a key of it. It ends when its input
// ends.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("exampleservice: the argument is the address of the publisher of feeds, which also receives webhooks")
	}
	if err := serve(context.Background(), os.Args[1], os.Stdin, os.Stdout); err != nil {
		log.Fatal("exampleservice: ", err)
	}
}

func serve(ctx context.Context, publisher string, in io.Reader, out io.Writer) error {
	plan := account.WithoutLimits("pro")
	plan.TranscriptsPerPeriod, plan.ASRMinutesPerPeriod = 1000, 600
	plan.RateLimit = account.RateLimit{Requests: 1000, Window: time.Minute}
	s, err := servertest.Start(ctx, servertest.OnPlan(plan), servertest.Configure(func(c *server.Config) {
		c.DirectMedia = true
		c.Egress.Allow = []string{publisher}
		scripted := c.Engine
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			e, err := scripted(h)
			e.Captions = []engine.CaptionSource{captions{}}
			return e, err
		}
	}))
	if err != nil {
		return err
	}
	s.Engine.Say("Ask not what your country can do for you.")
	publishTalks(s.Engine)
	fmt.Fprintln(out, s.URL)
	for names := bufio.NewScanner(in); names.Scan(); {
		key, err := newAccount(ctx, s, names.Text())
		if err != nil {
			return err
		}
		fmt.Fprintln(out, key)
	}
	return s.Close()
}

// newAccount makes an account and returns a key of it that may do everything.
func newAccount(ctx context.Context, s *servertest.Server, name string) (key string, err error) {
	if _, err := s.Accounts.Set(ctx, name, account.Settings{}); err != nil {
		return "", err
	}
	_, key, err = s.Accounts.CreateKey(ctx, account.KeyParams{Account: name, Name: "example", Scopes: account.Scopes()})
	return key, err
}
