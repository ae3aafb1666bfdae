// announce.js tells people who do not see the screen what was written. An answer
// that is still growing is told once it has been quiet for a moment.
import { h } from './dom.js';
import { plain } from './rich.js';

const quiet = 1200;
const kept = 20; // entries; older ones have been read out

export class Announcer {
  #waiting = new Map(); // ID → timer

  constructor(store, node) {
    this.store = store;
    this.node = node;
    store.on('arrived', (message) => this.#wait(message));
    store.on('timeline', () => this.#again());
    store.on('open', () => this.#forget());
  }

  #wait({ id, channel, author }) {
    if (channel !== this.store.open || author.id === this.store.me?.id) return;
    clearTimeout(this.#waiting.get(id));
    this.#waiting.set(id, setTimeout(() => this.#say(id), quiet));
  }

  // Something changed; whatever has not been told yet may have grown.
  #again() {
    for (const id of this.#waiting.keys()) {
      const message = this.store.timeline().find(id);
      if (message) this.#wait(message);
    }
  }

  #say(id) {
    this.#waiting.delete(id);
    const message = this.store.timeline().find(id);
    if (!message) return;
    const words = plain(message.content, this.store.names) || 'a message without text';
    this.node.append(h('p', {}, `${this.store.nameOf(message.author)}: ${words}`));
    while (this.node.children.length > kept) this.node.firstChild.remove();
  }

  #forget() {
    this.#waiting.forEach((timer) => clearTimeout(timer));
    this.#waiting.clear();
    this.node.replaceChildren();
  }
}
