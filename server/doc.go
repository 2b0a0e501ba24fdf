// Package server is the service: an HTTP API that turns links and uploads into
// timestamped transcripts, over a store and an engine of the caller's choice.
//
//	s, err := store.Open(ctx, store.Options{Database: "sqlite:service.db", Blobs: "blobs"})
//	srv, err := server.New(ctx, server.Config{
//		Store: s,
//		Engine: func(h engine.Host) (engine.Engine, error) {
//			links, err := ytdlp.New(h, ytdlp.Options{})
//			return engine.Engine{
//				Captions: []engine.CaptionSource{links}, Lists: links, Discovery: links, Audio: links,
//				Media: ffmpeg.New(h), Recognizer: pocketsphinx.New(h),
//			}, err
//		},
//	})
//	err = srv.Start(ctx)
//	web := srv.HTTPServer(":8080")
//	go web.ListenAndServe()
//	<-ctx.Done()             // a signal
//	err = srv.Stop(patience) // also of web; then s.Close()
//
// [Server.Handler] is the whole API. A program with a site of its own mounts the parts
// it wants: [Server.Transcripts], [Server.Captions], [Server.Discovery],
// [Server.Library], [Server.Shared], [Server.Feeds], [Server.Batches], [Server.Follows],
// [Server.Webhooks], [Server.Usage], [Server.OpenAI], [Server.MCP], [Server.Health],
// [Server.Metrics], [Server.Docs], each under a prefix if it likes. The comment of a part
// names its patterns. The program lets its own sessions in through
// [Config.Authenticator], and puts its own handlers behind [Server.Bounded]. The program shuts
// its own http.Server down after [Server.Stop], because Stop ends the event streams
// that Shutdown would wait for.
//
// The program takes part without HTTP, too. [Server.Submit] asks for a transcript on
// behalf of an account. [Config.JobEnded] and [Config.BatchEnded] are called at the end
// of each job and batch, at least once, even after a crash. [Server.PutTranscript]
// stores a text of the program's own. [Server.Refuse] answers for the program's own
// middleware in the form of the API. [Config.Admit] has the last word on new work.
//
// [Config.Sites] says which links the service takes. The service follows links, and the
// addresses in pages, through a guard. The guard reaches a private network only at the
// addresses that [Egress] allows by name.
//
// The package has HTTP and composition. The data of a server is in the [store.Store],
// which the caller opens and closes.
package server

//go:generate go test . -run TestTextsAreCheckedIn -update
//go:generate go test . -run TestDocumentIsCheckedIn -update
//go:generate go -C .. run ./internal/reference
