package transcript_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// One decoder reads what POST /v1/transcript and the job's route answer.
func Example() {
	body := `{"jobId":"019321a0-7c11-7c3e-9a55-2f6d1f0c9b11","status":"success","stage":"done","language":"en",
		"transcript":{"lang":"en","segments":[{"text":"Good evening.","start":0.5,"duration":1.25}]}}`
	var job transcript.Job
	if err := json.Unmarshal([]byte(body), &job); err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range job.Result.Transcript.Segments {
		fmt.Printf("%.2f to %.2f s: %s\n", s.Start, s.End(), s.Text)
	}
	// Output:
	// 0.50 to 1.75 s: Good evening.
}

func ExampleParseLanguageList() {
	list, err := transcript.ParseLanguageList("PT-br, pt, asr-pt")
	fmt.Println(list, err)
	_, err = transcript.ParseLanguageList("en,portuguese")
	fmt.Println("language:", err)
	// Output:
	// pt-BR,pt,asr-pt <nil>
	// language: entry 2 ("portuguese") is neither a language tag nor asr nor asr-<tag>
}

func ExampleError() {
	var err error = transcript.Errorf(transcript.VideoTooLong, "The media is longer than the plan allows.")
	var coded *transcript.Error
	if errors.Is(err, transcript.VideoTooLong) && errors.As(err, &coded) {
		fmt.Println(coded.HTTPStatus(), coded.Message, coded.RetryableJob())
	}
	// Output: 402 The media is longer than the plan allows. false
}
