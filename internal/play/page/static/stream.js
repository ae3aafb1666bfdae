// stream.js keeps the stream of events open. When it breaks, it is opened again,
// at first at once and then with growing pauses.

const firstPause = 500;
const longestPause = 8000;
const refusals = new Set([400, 403, 404]); // other troubles pass
const longestSilence = 40000; // the server says something every 15 seconds

// A Stream calls handlers: event(name, data) for every event, lost(pause) when the
// connection is gone and the next try is in pause milliseconds, and refused(error)
// when the server answers that it does not want this person.
export class Stream {
  constructor(open, handlers) {
    this.open = open; // (signal) => Promise of a body
    this.handlers = handlers;
    this.closed = false;
    this.failures = 0;
    this.abort = null;
    this.wake = () => {};
    this.run();
  }

  close() {
    this.closed = true;
    this.abort?.abort();
    this.wake();
  }

  // retry ends the pause.
  retry() {
    this.wake();
  }

  async run() {
    while (!this.closed) {
      try {
        await this.listen();
      } catch (error) {
        if (this.closed) return;
        if (refusals.has(error.status)) {
          this.handlers.refused(error);
          return;
        }
      }
      if (!this.closed) await this.pause();
    }
  }

  async listen() {
    this.abort = new AbortController();
    const watch = new Watch(longestSilence, () => this.abort.abort());
    try {
      const body = await this.open(this.abort.signal);
      for await (const { event, data } of readEvents(body, () => watch.reset())) {
        if (this.closed) return;
        if (event === 'hello') this.failures = 0;
        this.handlers.event(event, data);
      }
    } finally {
      watch.stop();
    }
  }

  pause() {
    const pause = Math.min(firstPause * 2 ** this.failures++, longestPause);
    this.handlers.lost(pause);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pause);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

// A Watch calls back when it was not reset for too long.
class Watch {
  constructor(limit, late) {
    this.limit = limit;
    this.late = late;
    this.reset();
  }

  reset() {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.late, this.limit);
  }

  stop() {
    clearTimeout(this.timer);
  }
}

// readEvents yields the events of a text/event-stream. Data that is no JSON is
// skipped: one bad event must not cost the others.
async function* readEvents(body, alive) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let event = { event: 'message', data: '' };
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      alive();
      const lines = (rest + value).split(/\r?\n/);
      rest = lines.pop();
      for (const line of lines) {
        if (line !== '') {
          field(event, line);
          continue;
        }
        const data = parsed(event.data);
        if (data !== undefined) yield { event: event.event, data };
        event = { event: 'message', data: '' };
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // it may have ended by itself
  }
}

function field(event, line) {
  const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line);
  if (name === 'event') event.event = value;
  if (name === 'data') event.data += event.data ? `\n${value}` : value;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
