// Reads the captions of a video by a package of npm, and prints what the package answers as
// JSON: the cues, or the words of its error. What the package sends to the video site goes to
// the site of a test, and the answers bear the addresses of the video site.
//
//   node read.mjs PACKAGE SITE ID LANGUAGE
import {createRequire} from 'node:module';

const [name, site, id, lang] = process.argv.slice(2);
const require = createRequire(process.cwd() + '/');
const send = globalThis.fetch;

globalThis.fetch = async (link, options) => {
  const response = await send(String(link).replace(/^https:\/\/(www\.)?youtube\.com/, site), options);
  const body = response.text.bind(response);
  response.text = async () => (await body()).replaceAll(site, 'https://www.youtube.com');
  response.json = async () => JSON.parse(await response.text());
  return response;
};

const readers = {
  'youtube-transcript': async () => (await require(name).YoutubeTranscript.fetchTranscript(id, {lang})).map(cue => cue.text),
  'youtube-captions-scraper': async () => (await require(name).getSubtitles({videoID: id, lang})).map(cue => cue.text),
};

let said;
try {
  said = {cues: await readers[name]()};
} catch (error) {
  said = {error: error.constructor.name, words: String(error.message)};
}
console.log(JSON.stringify(said));
