// banner.js says calmly that the connection is gone, and when it is tried again.
import { h } from './dom.js';
import { plural, sentence } from './text.js';

export class Banner {
  #timer = 0;

  constructor(store, node, retry) {
    this.store = store;
    this.node = node;
    this.retry = h('button', { type: 'button', class: 'link', on: { click: retry } }, 'Try now');
    this.words = h('span', {});
    store.on('status', () => this.#show());
  }

  #show() {
    clearTimeout(this.#timer);
    const { state, retryAt, reason } = this.store.connection;
    this.node.hidden = state !== 'lost' && state !== 'refused';
    if (this.node.hidden) return this.node.replaceChildren();
    if (state === 'refused') {
      this.node.replaceChildren(sentence(reason), this.retry);
      return;
    }
    const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
    const when = seconds > 1 ? `Trying again in ${plural(seconds, 'second', 'seconds')}.` : 'Trying again…';
    this.words.textContent = `The playground does not answer. What you typed is kept. ${when}`;
    if (!this.retry.isConnected) this.node.replaceChildren(this.words, this.retry);
    if (seconds > 1) this.#timer = setTimeout(() => this.#show(), 1000);
  }
}
