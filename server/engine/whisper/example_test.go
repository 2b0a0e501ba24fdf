package whisper_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/transcriptkit/transcriptkit/server/engine/whisper"
)

func ExampleServer() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"status":"ok"}`)
	}))
	defer server.Close()

	recognizer, err := whisper.NewServer(whisper.ServerOptions{URL: server.URL, Model: "large-v3"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(recognizer.Check(context.Background()))
	info := recognizer.Info()
	fmt.Println(info.Name, info.Model, info.Detects)
	// Output:
	// <nil>
	// whisper-server large-v3 true
}
