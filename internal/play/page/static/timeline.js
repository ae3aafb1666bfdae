// timeline.js holds the messages of one channel that are known here: all from some
// point on, oldest first, without gaps.
import { compareIDs } from './text.js';

export class Timeline {
  messages = [];
  more = true; // there are older ones on the server
  loaded = false;
  loading = false;
  error = '';

  newest() {
    return this.messages.at(-1) ?? null;
  }

  oldest() {
    return this.messages[0] ?? null;
  }

  find(id) {
    const at = this.place(id);
    return this.messages[at]?.id === id ? this.messages[at] : null;
  }

  // place is the index where a message with this ID is or would be.
  place(id) {
    let low = 0;
    let high = this.messages.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareIDs(this.messages[middle].id, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // put adds or replaces a message. One that is older than all that is known here
  // is left out: between the two there may be others.
  put(message) {
    const at = this.place(message.id);
    if (this.messages[at]?.id === message.id) this.messages[at] = message;
    else if (at > 0 || !this.more) this.messages.splice(at, 0, message);
  }

  remove(id) {
    const at = this.place(id);
    if (this.messages[at]?.id === id) this.messages.splice(at, 1);
  }

  // prepend adds a page of older messages.
  prepend({ messages, more }) {
    const first = this.oldest();
    const older = first ? messages.filter((m) => compareIDs(m.id, first.id) < 0) : messages;
    this.messages = older.concat(this.messages);
    this.more = Boolean(more) && older.length > 0;
  }

  // restart replaces everything by the newest page.
  restart({ messages, more }) {
    this.messages = messages.slice();
    this.more = Boolean(more) && messages.length > 0;
    this.loaded = true;
  }
}
