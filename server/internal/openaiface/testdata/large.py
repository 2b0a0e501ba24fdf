"""Sends a large file from the disk by the official Python client of OpenAI's API, and prints the text.

Usage: large.py URL KEY FILE
"""

import resource
import sys

import openai

url, key, file = sys.argv[1:]
client = openai.OpenAI(base_url=url + "/v1", api_key=key, max_retries=0)
with open(file, "rb") as f:
    print(client.audio.transcriptions.create(model="whisper-1", file=f).text)
print(f"the client took {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB at most", file=sys.stderr)
