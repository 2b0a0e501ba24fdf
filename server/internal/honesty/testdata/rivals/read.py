# Reads the captions of a video by youtube-transcript-api, and prints what the library answers as
# JSON: the cues, or the words of its error. What the library sends to the video site goes to the
# site of a test.
#
#   python read.py SITE ID LANGUAGE
import json
import sys

import requests
from youtube_transcript_api import YouTubeTranscriptApi

site, video, lang = sys.argv[1:]


class AtSite(requests.Session):
    def request(self, method, url, **options):
        return super().request(method, url.replace('https://www.youtube.com', site, 1), **options)


try:
    found = YouTubeTranscriptApi(http_client=AtSite()).fetch(video, languages=[lang])
    said = {'cues': [cue.text for cue in found]}
except Exception as error:
    said = {'error': type(error).__name__, 'words': str(error)}
print(json.dumps(said))
