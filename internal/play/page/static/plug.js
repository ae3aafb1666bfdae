// plug.js kills the bot as a power cut does, starts it again, and shows what was kept. Other tabs see the same, and so
// does whoever opens the page while the bot is dead.
import { h } from './dom.js';
import { sentence } from './text.js';

export class Plug {
  #died = false; // while this page was open
  #busy = false;
  #error = '';

  // show(channel, message) goes to a message and tells whether it is there; changed() is called when the nodes are others.
  constructor(store, session, { show, changed }) {
    Object.assign(this, { store, session, show, changed });
    store.on('bot', () => {
      this.#died ||= store.bot.state === 'dead';
      changed();
    });
  }

  // button is null where the bot cannot be killed alone.
  button() {
    const { own, state } = this.store.bot;
    if (!own) return null;
    const dead = state === 'dead';
    return h('button', {
      type: 'button', class: 'press', id: 'plug', 'data-key': 'plug', 'data-style': dead ? 1 : 4, 'aria-disabled': this.#busy || state === 'starting' ? 'true' : null,
      title: dead ? 'Starts the bot with the data that its last process left' : 'Kills the bot’s process with SIGKILL, in the middle of whatever it does',
      on: { click: () => this.#press() },
    }, dead ? 'Start it again' : 'Pull the plug');
  }

  // nodes say how the bot is. Once it is alive again they say what became of its answers.
  nodes() {
    const { own, state } = this.store.bot;
    if (!own) return [];
    return [
      this.#error && h('p', { class: 'error-line', role: 'alert' }, sentence(this.#error)),
      h('div', { class: 'plug-state', role: 'status', 'data-state': state }, this.#words()),
    ];
  }

  #words() {
    const { state, why, kept } = this.store.bot;
    if (state === 'starting') return h('p', {}, 'The bot is starting…');
    if (state === 'dead') return h('p', {}, why ? `The bot is dead. ${why}` : 'The bot is dead: its process was killed.', ' What you write waits.');
    if (kept.length > 0) return this.#kept(kept);
    return this.#died ? h('p', {}, 'The bot is alive again. Nothing was being written.') : null;
  }

  #kept(kept) {
    const seen = kept.filter(({ channel }) => this.store.channels.has(channel));
    if (seen.length === 0) return h('p', {}, 'It went on with the same message, in a channel that you cannot see.');
    const many = seen.length > 1;
    return [
      h('p', {}, many ? 'It went on with the same messages:' : 'It went on with the same message:'),
      h('ul', {}, seen.map(({ channel, message }) => h('li', { 'data-key': message }, h('button', {
        type: 'button', class: 'link', 'data-kept': message, on: { click: () => this.#point(channel, message) },
      }, 'show the answer in ', h('bdi', {}, this.#place(channel)))))),
    ];
  }

  #place(id) {
    const { kind, name } = this.store.channels.get(id);
    return kind === 'dm' ? 'direct messages' : `#${name}`;
  }

  async #point(channel, message) {
    this.#error = (await this.show(channel, message)) ? '' : 'that message is gone: the rest of the answer is elsewhere';
    this.changed();
  }

  async #press() {
    const { state } = this.store.bot;
    if (this.#busy || state === 'starting') return;
    this.#error = '';
    this.#busy = true;
    this.changed();
    try {
      await this.session.setAlive(state === 'dead');
    } catch (error) {
      this.#error = error.message;
    }
    this.#busy = false;
    this.changed();
  }
}
