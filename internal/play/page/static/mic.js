// mic.js runs beside the page, where the sound of the microphone comes in: it makes frames of 20 milliseconds of it.
class Frames extends AudioWorkletProcessor {
  frame = new Int16Array(sampleRate / 50);
  filled = 0;

  process([[samples]]) {
    for (const sample of samples ?? []) {
      this.frame[this.filled++] = Math.max(-1, Math.min(1, sample)) * 32767;
      if (this.filled < this.frame.length) continue;
      this.port.postMessage(this.frame.slice().buffer);
      this.filled = 0;
    }
    return true;
  }
}

registerProcessor('frames', Frames);
