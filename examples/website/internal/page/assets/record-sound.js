// Takes the sound of the microphone, of a tab, or of both together.

export const perSecond = 32_000; // bytes of sound: 16-bit samples of one channel at 16 kHz

const longest = 1000; // milliseconds until the last piece; a sleeping browser hands out none

// missing reports whether the browser cannot record. A page that is not loaded by https cannot
// either, except from this machine.
export const missing = () => !navigator.mediaDevices?.getUserMedia || !globalThis.AudioWorkletNode || !navigator.locks || !globalThis.indexedDB;

// sharesTabs reports whether the browser can hand out the sound of a tab.
export const sharesTabs = () => Boolean(navigator.mediaDevices?.getDisplayMedia);

// Silent means that a shared tab or window came without its sound.
export class Silent extends Error {}

// listen takes sound from the sources "microphone" and "tab". It calls take with each piece of bytes
// and its loudest sample, from 0 to 1, and broke when the sound ends by itself. It returns a
// function that ends the sound, whose promise is fulfilled after the last piece. It throws what
// the browser throws if the visitor permits nothing, and Silent.
export async function listen(sources, take, broke) {
  const context = new AudioContext(), streams = [];
  const release = () => {
    for (const stream of streams) for (const track of stream.getTracks()) track.stop();
    context.close();
  };
  try {
    const loaded = context.audioWorklet.addModule(new URL("./record-worklet.js", import.meta.url));
    if (sources.includes("tab")) streams.push(await tab()); // first: the browser wants a click just before
    if (sources.includes("microphone")) streams.push(await microphone(sources.includes("tab")));
    await loaded;
    await context.resume();
  } catch (fault) {
    release();
    throw fault;
  }
  const node = new AudioWorkletNode(context, "record", { channelCount: 1, channelCountMode: "explicit" });
  const over = new Promise((resolve) => {
    node.port.onmessage = ({ data: { bytes, peak, last } }) => {
      if (bytes.byteLength) take(bytes, peak);
      if (last) resolve();
    };
  });
  let ended = false;
  const breaks = () => { if (!ended) broke(); };
  for (const stream of streams) {
    for (const track of stream.getTracks()) track.addEventListener("ended", breaks);
    context.createMediaStreamSource(stream).connect(node);
  }
  context.addEventListener("statechange", () => { if (context.state !== "running") breaks(); });
  node.connect(context.destination); // without a way out, browsers do not run it; it is silent
  return async () => {
    ended = true;
    node.port.postMessage("end");
    await Promise.race([over, new Promise((resolve) => { setTimeout(resolve, longest); })]);
    release();
  };
}

// microphone asks for the microphone. Without a tab the sound stays as it is: filters for telephone
// calls cost words.
function microphone(echo) {
  return navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: echo, noiseSuppression: false, autoGainControl: true } });
}

// tab asks for the sound of a tab. Browsers hand it out together with its picture only, which is
// ended at once.
async function tab() {
  const stream = await navigator.mediaDevices.getDisplayMedia({ audio: true, video: true });
  for (const track of stream.getVideoTracks()) {
    track.stop();
    stream.removeTrack(track);
  }
  if (!stream.getAudioTracks().length) throw new Silent();
  return stream;
}
