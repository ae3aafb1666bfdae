// announce.js tells people who do not see the screen what was written. An answer
// that is still growing is told once it has been quiet for a moment. A message that
// asks for a button to be pressed is told again when it does not ask any more.
import { h } from './dom.js';
import { plain } from './rich.js';

const quiet = 1200;
const kept = 20; // entries; older ones have been read out

export class Announcer {
  #waiting = new Map(); // ID → timer
  #asking = new Set(); // IDs of messages that were told with their buttons

  constructor(store, node) {
    this.store = store;
    this.node = node;
    store.on('arrived', (message) => this.#wait(message));
    store.on('timeline', () => this.#again());
    store.on('open', () => this.#forget());
    store.on('silence', ({ channel, why }) => channel === store.open && this.#tell(why));
  }

  #wait({ id, channel, author }) {
    if (channel !== this.store.open || author.id === this.store.me?.id) return;
    clearTimeout(this.#waiting.get(id));
    this.#waiting.set(id, setTimeout(() => this.#say(id), quiet));
  }

  // Something changed; whatever has not been told yet may have grown, and what asked
  // for an answer may have got one.
  #again() {
    for (const id of this.#asking) {
      const message = this.store.timeline().find(id);
      if (message && buttonsOf(message).length > 0) continue;
      this.#asking.delete(id);
      if (message) this.#wait(message);
    }
    for (const id of this.#waiting.keys()) {
      const message = this.store.timeline().find(id);
      if (message) this.#wait(message);
    }
  }

  #say(id) {
    this.#waiting.delete(id);
    const message = this.store.timeline().find(id);
    if (!message) return;
    const buttons = buttonsOf(message);
    if (buttons.length > 0) this.#asking.add(id);
    const words = plain(message.content, this.store.names) || 'a message without text';
    const toYou = message.onlyYou ? ', only to you' : '';
    const choice = buttons.length > 0 ? ` Buttons: ${buttons.join(', ')}.` : '';
    this.#tell(`${this.store.nameOf(message.author)}${toYou}: ${words}${choice}`);
  }

  #tell(words) {
    this.node.append(h('p', {}, words));
    while (this.node.children.length > kept) this.node.firstChild.remove();
  }

  #forget() {
    this.#waiting.forEach((timer) => clearTimeout(timer));
    this.#waiting.clear();
    this.#asking.clear();
    this.node.replaceChildren();
  }
}

// buttonsOf are the words on the buttons that can be pressed.
function buttonsOf(message) {
  return (message.buttons ?? []).flat().filter(({ disabled }) => !disabled).map(({ label }) => label);
}
