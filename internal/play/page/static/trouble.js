// trouble.js cuts the bot off from its Discord, until a second press, and pulls its plug.
import { h } from './dom.js';
import { morph } from './morph.js';
import { Plug } from './plug.js';
import { sentence } from './text.js';

const kinds = [
  {
    kind: 'network', name: 'Cut the network', undo: 'Mend the network', title: 'No request reaches Discord, and no event the bot',
    words: 'The bot is cut off from Discord. Write something, and mend the network: it answers then, once.',
  },
  {
    kind: 'limits', name: 'Discord says 429', undo: 'Discord takes them again', title: 'Discord refuses every request of the bot as one too many',
    words: 'Discord refuses every request of the bot as one too many (that is what 429 means). Write something, and press again: it answers then, once.',
  },
];

export class TroubleView {
  #now = null; // the troubles; null until they are known
  #error = '';

  // show(channel, message) goes to a message and tells whether it is there.
  constructor(store, session, container, show) {
    Object.assign(this, { session, container });
    this.plug = new Plug(store, session, { show, changed: () => this.#show() });
    session.troubles().then((now) => now && this.#set(now), () => {}); // one can play without it
  }

  #set(now) {
    this.#now = now;
    this.#show();
  }

  #show() {
    const button = this.plug.button();
    this.container.hidden = !this.#now && !button;
    if (this.container.hidden) return;
    morph(this.container, [
      h('div', { class: 'clock-steps' }, this.#now && kinds.map((kind) => this.#button(kind)), button),
      this.#error && h('p', { class: 'error-line', role: 'alert' }, sentence(this.#error)),
      ...this.plug.nodes(),
      h('p', { class: 'clock-foot', role: 'status' }, kinds.find(({ kind }) => this.#now?.[kind])?.words ?? 'See what the bot does when something breaks.'),
    ].filter(Boolean));
  }

  #button({ kind, name, undo, title }) {
    return h('button', {
      type: 'button', class: 'press', 'data-style': this.#now[kind] ? 4 : 2, 'data-trouble': kind, 'data-key': kind, 'aria-pressed': String(this.#now[kind]), title,
      on: { click: () => this.#toggle(kind) },
    }, this.#now[kind] ? undo : name);
  }

  async #toggle(kind) {
    this.#error = '';
    try {
      this.#now = await this.session.setTroubles({ ...this.#now, [kind]: !this.#now[kind] });
    } catch (error) {
      this.#error = error.message;
    }
    this.#show();
  }
}
