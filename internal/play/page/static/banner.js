// banner.js says calmly that the connection is gone, and when it is tried again.
import { h } from './dom.js';
import { plural, sentence } from './text.js';

export class Banner {
  #timer = 0;

  constructor(store, node, retry) {
    this.store = store;
    this.node = node;
    this.words = h('span', { role: 'status' });
    // The seconds are not read out; once is enough to know.
    this.countdown = h('span', { 'aria-hidden': 'true' });
    node.append(this.words, this.countdown, h('button', { type: 'button', class: 'link', on: { click: retry } }, 'Try now'));
    store.on('status', () => this.#show());
  }

  #show() {
    clearTimeout(this.#timer);
    const { state, retryAt, reason } = this.store.connection;
    this.node.hidden = state !== 'lost' && state !== 'refused';
    const words = { lost: 'The playground does not answer. What you typed is kept.', refused: sentence(reason ?? '') }[state] ?? '';
    if (this.words.textContent !== words) this.words.textContent = words;
    this.countdown.textContent = state === 'lost' ? this.#count(retryAt) : '';
  }

  #count(retryAt) {
    const seconds = Math.ceil((retryAt - Date.now()) / 1000);
    if (seconds <= 1) return 'Trying again…';
    this.#timer = setTimeout(() => this.#show(), 1000);
    return `Trying again in ${plural(seconds, 'second', 'seconds')}.`;
  }
}
