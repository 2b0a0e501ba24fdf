"""Holds the official Python client of OpenAI's API to what the service answers.

Usage: client.py URL KEY PART, where PART is the name of a function below.
"""

import io
import sys

import openai

WHOLE = "Good morning. Hello."


def recording(content):
    return ("talk.wav", io.BytesIO(content.encode()), "audio/wav")


def refusal(kind, call):
    """The error of this kind with which a call fails."""
    try:
        call()
    except kind as e:
        return e
    raise AssertionError(f"the call did not fail as {kind.__name__}")


def formats(client):
    transcribe = client.audio.transcriptions.create
    assert client.models.list().data[0].id == "large"

    said = transcribe(model="whisper-1", file=recording("a"))
    assert said.text == WHOLE, said
    assert said.usage.type == "duration" and said.usage.seconds == 10, said

    said = transcribe(
        model="whisper-1", file=recording("a"), response_format="verbose_json",
        timestamp_granularities=["word", "segment"], language="en", temperature=0, prompt="Ann",
    )
    assert said.language == "english" and len(said.segments) == 2, said
    assert [w.word for w in said.words] == ["Good", "morning.", "Hello."], said
    assert said.segments[0].tokens == [] and said.segments[0].avg_logprob == 0, said

    for form in ("text", "srt", "vtt"):
        said = transcribe(model="gpt-transcribe", file=recording("a"), response_format=form)
        assert isinstance(said, str) and "Good morning." in said, (form, said)

    said = transcribe(
        model="gpt-4o-transcribe-diarize", file=recording("a"), response_format="diarized_json", chunking_strategy="auto",
    )
    assert [s.speaker for s in said.segments] == ["A", "B"], said

    said = transcribe(
        model="whisper-1", file=recording("a"), extra_body={"keywords": ["Grafana", "pgx"]},
        chunking_strategy={"type": "server_vad", "threshold": 0.5},
    )
    assert said.text == WHOLE, said


def streams(client):
    for form in ("json", "diarized_json"):
        text, kinds, last = "", [], None
        for last in client.audio.transcriptions.create(
            model="gpt-4o-transcribe", file=recording("new " + form), response_format=form, stream=True,
        ):
            kinds.append(last.type)
            if last.type == "transcript.text.delta":
                text += last.delta
        assert kinds[-1] == "transcript.text.done" and last.text == text == WHOLE, (kinds, text)
        assert kinds.count("transcript.text.segment") == (2 if form == "diarized_json" else 0), kinds


def errors(client):
    transcribe = client.audio.transcriptions.create
    e = refusal(openai.NotFoundError, lambda: transcribe(model="gpt-4o", file=recording("a")))
    assert (e.code, e.param) == ("model_not_found", "model"), e
    e = refusal(openai.BadRequestError, lambda: transcribe(model="whisper-1", file=recording("a"), include=["logprobs"]))
    assert e.param == "include", e
    e = refusal(openai.BadRequestError, lambda: client.audio.translations.create(model="whisper-1", file=recording("a")))
    assert e.code == "unsupported_operation", e
    e = refusal(openai.AuthenticationError, client.with_options(api_key="wrong").models.list)
    assert e.code == "invalid_api_key", e


def failed(client):
    """The recognizer fails: the stream says why, and so does the status without a stream."""
    for streams in (True, False):
        e = refusal(openai.APIError, lambda: read(client, "a", streams))
        assert "The file has no sound." in e.message, e


def read(client, content, streams):
    said = client.audio.transcriptions.create(model="whisper-1", file=recording(content), stream=streams)
    for _ in said if streams else ():
        pass
    return said


def leaves(client):
    """The client ends a stream before its job ends."""
    client.audio.transcriptions.create(model="whisper-1", file=recording("a"), stream=True).close()


def waits(client):
    """The client waits for the text, also across a restart of the service."""
    said = read(client.with_options(max_retries=20), "a", False)
    assert said.text == WHOLE, said


if __name__ == "__main__":
    url, key, part = sys.argv[1:]
    globals()[part](openai.OpenAI(base_url=url + "/v1", api_key=key))
