// ideas.js offers things to try. One click says them.
import { h, icon } from './dom.js';
import { morph } from './morph.js';
import { sentence } from './text.js';

export class Ideas {
  #list = [];
  #error = null; // { idea, text }

  // run(idea) says it; it may throw.
  constructor(store, container, run) {
    Object.assign(this, { store, container, run });
    for (const topic of ['open', 'world', 'channels']) store.on(topic, () => this.#show());
  }

  // set takes the list and tells whether there is anything in it.
  set(list) {
    this.#list = list.filter((idea) => typeof idea?.text === 'string' && idea.text);
    this.#show();
    return this.#list.length > 0;
  }

  // chips returns the first few as buttons, for a channel that is still empty.
  chips() {
    return this.#fitting().slice(0, 3).map((idea) => h('button', {
      type: 'button', class: 'idea-chip', on: { click: () => this.#say(idea) },
    }, idea.text));
  }

  // fitting are those for where one is, since direct messages have their own, and for who speaks.
  #fitting() {
    const alone = this.store.channel()?.kind === 'dm';
    return this.#list.filter((idea) => (idea.where === 'dm') === alone && this.#suits(idea));
  }

  // A stranger would get no answer, and a channel that is hidden is none to talk about. What others see is not known here.
  #suits({ text, as, channel }) {
    const { me, strangers, channels } = this.store;
    if (as || !me) return true;
    const names = new Set([...channels.values()].flatMap(({ id, name }) => [id, name]));
    const named = [...text.matchAll(/#([\p{L}\p{N}_-]+)/gu)].map(([, name]) => name);
    if (channel) named.push(String(channel).replace(/^#/, ''));
    return !strangers.has(me.id) && named.every((name) => names.has(name));
  }

  #show() {
    const fitting = this.#fitting();
    const none = `${this.store.me?.name} gets no answer here. Speak as somebody else.`;
    morph(this.container, [
      h('p', { class: 'panel-empty' }, fitting.length > 0 ? 'One click says it.' : none),
      h('ul', {}, fitting.map((idea) => h('li', { 'data-key': `${idea.as ?? ''}:${idea.text}` }, this.#button(idea),
        this.#error?.idea === idea && h('p', { class: 'error-line', role: 'alert' }, sentence(this.#error.text))))),
    ]);
  }

  #button(idea) {
    const { text, as, channel, why } = idea;
    return h('button', { type: 'button', class: 'idea', on: { click: () => this.#say(idea) } },
      h('span', { class: 'idea-text', dir: 'auto' }, text),
      why && h('span', { class: 'idea-why', dir: 'auto' }, why),
      (as || channel) && h('span', { class: 'idea-where' },
        as && h('span', { class: 'badge' }, `as ${as}`),
        channel && h('span', { class: 'badge' }, `#${String(channel).replace(/^#/, '')}`)),
      icon('send'));
  }

  async #say(idea) {
    this.#error = null;
    try {
      await this.run(idea);
    } catch (error) {
      this.#error = { idea, text: error.message };
    }
    this.#show();
  }
}
