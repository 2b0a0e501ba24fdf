// Package server is the transcript service: an HTTP API that turns links and uploads
// into timestamped transcripts. The caller passes it a store for its data and an engine
// that does the work.
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
// [Server.Handler] serves the whole API. A program with a site of its own can mount
// single parts instead: [Server.Transcripts], [Server.Captions], [Server.Discovery],
// [Server.Library], [Server.Shared], [Server.Feeds], [Server.Batches],
// [Server.Follows], [Server.Webhooks], [Server.Usage], [Server.OpenAI], [Server.MCP],
// [Server.Health], [Server.Metrics] and [Server.Docs]. Each part may stand under a
// prefix, and its comment names its patterns. To accept the sessions of the site, set
// [Config.Authenticator]. To limit clients of the site's own handlers, wrap the
// handlers in [Server.Bounded]. Shut the site's own [http.Server] down after
// [Server.Stop], because Stop ends the event streams for which Shutdown would wait.
//
// The program can also use the service without HTTP. [Server.Submit] requests a
// transcript on behalf of an account. The server calls [Config.JobEnded] and
// [Config.BatchEnded] at least once at the end of each job and batch, even after a
// crash. [Server.PutTranscript] stores a transcript that the program provides.
// [Server.Refuse] writes an error in the form of the API, for the program's own
// middleware. [Config.Admit] can refuse new work that the plan permits.
//
// [Config.Sites] says which links the service accepts. A guard checks every address
// that the service opens for a link, including the addresses in pages. The guard
// refuses private networks, except for the addresses in [Egress.Allow].
//
// All data of a server is in the [store.Store], which the caller opens and closes.
package server

//go:generate go test . -run TestTextsAreCheckedIn -update
//go:generate go test . -run TestDocumentIsCheckedIn -update
//go:generate go -C .. run ./internal/reference
