// sound.js is the microphone and the loudspeaker of a call in which real services hear or speak: raw sound, 48,000
// samples a second of one channel, goes to the playground and comes from it over a websocket.

const rate = 48000;
const ahead = 0.08; // seconds that are waiting to be heard, against gaps

export class Sound {
  #socket = null;
  #context = null;
  #stream = null; // of the microphone
  #until = 0; // when the last sound is over

  // changed() is called when the sound goes off by itself.
  constructor(changed) {
    this.changed = changed;
  }

  get on() {
    return this.#socket !== null;
  }

  // begin lets a person be heard, if a microphone is wanted, and hear.
  async begin(person, microphone) {
    this.#context = new AudioContext({ sampleRate: rate });
    try {
      if (microphone) this.#stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true } });
      const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/api/voice/sound?as=${encodeURIComponent(person)}`);
      socket.binaryType = 'arraybuffer';
      socket.onmessage = ({ data }) => this.#play(new Int16Array(data));
      socket.onclose = () => {
        if (this.#socket !== socket) return;
        this.end();
        this.changed();
      };
      this.#socket = socket;
      if (!microphone) return;
      await this.#context.audioWorklet.addModule('mic.js');
      const frames = new AudioWorkletNode(this.#context, 'frames');
      frames.port.onmessage = ({ data }) => socket.readyState === WebSocket.OPEN && socket.send(data);
      this.#context.createMediaStreamSource(this.#stream).connect(frames);
    } catch (error) {
      this.end();
      throw new Error(error.name === 'NotAllowedError' ? 'the browser does not let this page use the microphone; allow it, and try again' : `there is no sound: ${error.message}`);
    }
  }

  end() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.#stream?.getTracks().forEach((track) => track.stop());
    this.#context?.close();
    this.#stream = this.#context = null;
    this.#until = 0;
  }

  #play(pcm) {
    const buffer = this.#context.createBuffer(1, pcm.length, rate);
    buffer.getChannelData(0).set(Float32Array.from(pcm, (sample) => sample / 32768));
    const source = new AudioBufferSourceNode(this.#context, { buffer });
    source.connect(this.#context.destination);
    if (this.#until < this.#context.currentTime) this.#until = this.#context.currentTime + ahead;
    source.start(this.#until);
    this.#until += buffer.duration;
  }
}
