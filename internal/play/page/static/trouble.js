// trouble.js cuts the bot off from its Discord, until a second press.
import { h } from './dom.js';
import { morph } from './morph.js';
import { sentence } from './text.js';

const kinds = [
  { kind: 'network', name: 'Cut the network', title: 'No request reaches Discord, and no event the bot' },
  { kind: 'limits', name: 'Discord says 429', title: 'Discord answers every request with: too many' },
];

export class TroubleView {
  #now = { network: false, limits: false };
  #error = '';

  constructor(session, container) {
    Object.assign(this, { session, container });
    session.troubles().then((now) => now && this.#set(now), () => {}); // one can play without it
  }

  #set(now) {
    this.#now = now;
    this.#show();
  }

  #show() {
    const any = kinds.some(({ kind }) => this.#now[kind]);
    this.container.hidden = false;
    morph(this.container, [
      h('div', { class: 'clock-steps' }, kinds.map(({ kind, name, title }) => h('button', {
        type: 'button', class: 'press', 'data-style': this.#now[kind] ? 4 : 2, 'data-trouble': kind, 'aria-pressed': String(this.#now[kind]), title,
        on: { click: () => this.#toggle(kind) },
      }, name))),
      this.#error && h('p', { class: 'error-line', role: 'alert' }, sentence(this.#error)),
      h('p', { class: 'clock-foot', role: 'status' }, any
        ? 'The bot is cut off. Write something; then press again, and it answers once.'
        : 'See what the bot does when something breaks.'),
    ].filter(Boolean));
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
