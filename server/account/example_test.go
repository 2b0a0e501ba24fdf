package account_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, store.Options{
		Database: "sqlite:" + filepath.Join(dir, "service.db"),
		Blobs:    filepath.Join(dir, "blobs"),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	accounts, err := account.New(s, account.DefaultPlans())
	if err != nil {
		log.Fatal(err)
	}
	if _, err := accounts.Set(ctx, "acme", account.Settings{}); err != nil {
		log.Fatal(err)
	}
	key, secret, err := accounts.CreateKey(ctx, account.KeyParams{
		Account: "acme", Name: "ci", Scopes: []account.Scope{account.Transcripts},
	})
	if err != nil {
		log.Fatal(err)
	}
	who, err := accounts.Verify(ctx, secret)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(who.Account, who.Plan.Name, who.Can(account.Transcripts), who.Can(account.Batches))

	if err := accounts.Revoke(ctx, key.Prefix); err != nil {
		log.Fatal(err)
	}
	_, err = accounts.Verify(ctx, secret)
	fmt.Println(errors.Is(err, account.ErrInvalid))
	// Output:
	// acme self_hosted true false
	// true
}
