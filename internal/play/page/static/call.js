// call.js is the call of a voice channel: who is there, what is said, and a field to say something. Whoever says
// something while the bot speaks interrupts it, so there is no button for that.
import { h, icon } from './dom.js';
import { morph } from './morph.js';
import { Sound } from './sound.js';
import { sentence } from './text.js';
import { channelAddress } from './urls.js';

const vocal = new Set(['voice', 'stage']);
const shownLines = 4;
const aloud = 'aloud'; // where the browser remembers whether it reads aloud

export class CallView {
  #ways = null; // how one can talk here; null for not at all
  #lines = new Map(); // ID → what was said in the call that one is in
  #at = ''; // that call's channel
  #error = '';
  #sound = new Sound(() => this.#show());

  constructor(store, session, container) {
    Object.assign(this, { store, session, container });
    this.head = h('div', { class: 'call-head' });
    this.list = h('ol', { class: 'call-lines', role: 'log', 'aria-label': 'What is said', hidden: true });
    this.input = h('input', { class: 'call-input', 'aria-label': 'Say something', placeholder: 'Say something', maxlength: '1000', enterkeyhint: 'send' });
    this.reads = h('input', { type: 'checkbox', on: { change: () => this.#choose() } });
    this.aloud = h('label', { class: 'call-aloud' }, this.reads, 'Read aloud');
    this.form = h('form', { class: 'call-form', autocomplete: 'off' }, this.input, h('button', { class: 'press', 'data-style': '1' }, 'Say'), this.aloud);
    this.problem = h('p', { class: 'error-line', role: 'alert', hidden: true });
    container.append(this.head, this.list, this.form, this.problem);
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#say();
    });
    this.reads.checked = remembered();
    for (const topic of ['world', 'channels', 'open']) store.on(topic, () => this.#show());
    store.on('voice', (line) => this.#hear(line));
  }

  // setWays says how one can talk: with what is typed, and with captions of what the bot says.
  setWays(ways) {
    this.#ways = ways;
    this.#show();
  }

  // mine is the voice channel that one is in.
  #mine() {
    const { channels, me } = this.store;
    return [...channels.values()].find((channel) => me && channel.inside?.includes(me.id));
  }

  #show() {
    const mine = this.#mine();
    const open = this.store.channel();
    const room = mine ?? (vocal.has(open?.kind) ? open : null);
    if (this.#at !== (mine?.id ?? '')) this.#entered(mine?.id ?? '');
    this.container.hidden = !this.#ways || !room;
    if (this.container.hidden) return;
    morph(this.head, [this.#who(room), this.#buttons(room, Boolean(mine))]);
    this.form.hidden = !mine;
    this.input.hidden = this.input.nextSibling.hidden = !this.#ways.typed;
    this.aloud.hidden = !this.#ways.captions || !window.speechSynthesis;
    const lines = [...this.#lines.values()].slice(-shownLines);
    this.list.hidden = lines.length === 0;
    morph(this.list, lines.map((line) => this.#line(line)));
    this.problem.hidden = !this.#error;
    this.problem.textContent = sentence(this.#error);
  }

  #entered(at) {
    this.#at = at;
    this.#lines.clear();
    this.#error = '';
    this.#quiet();
    this.#sound.end();
  }

  #who({ id, name, inside = [] }) {
    const names = inside.map((one) => this.store.people.get(one)?.name ?? 'somebody');
    return h('p', { class: 'call-who' },
      icon('voice'), h('a', { href: channelAddress(id) }, h('bdi', {}, name)),
      h('span', {}, names.length === 0 ? 'Nobody is here.' : names.map((one, at) => [at > 0 && ', ', h('bdi', {}, one)])));
  }

  #buttons(room, inside) {
    const bot = [...this.store.people.values()].find((person) => person.bot);
    const real = this.#ways && !(this.#ways.typed && this.#ways.captions); // somebody hears or speaks with sound
    const button = (key, style, words, act) => h('button', { type: 'button', class: 'press', 'data-key': key, 'data-call': key, 'data-style': style, on: { click: () => this.#do(act) } }, words);
    return h('div', { class: 'call-buttons' }, ...[
      inside && bot && !room.inside.includes(bot.id) && button('ask', 1, 'Ask the bot in', () => this.session.send(this.#at, { content: `!voice join <#${this.#at}>` })),
      inside && real && button('sound', this.#sound.on ? 2 : 1, this.#sound.on ? 'Sound off' : this.#ways.typed ? 'Listen' : 'Microphone',
        () => (this.#sound.on ? this.#sound.end() : this.#sound.begin(this.store.me.id, !this.#ways.typed))),
      inside && button('leave', 2, 'Leave', () => this.session.enterVoice('')),
      !inside && room.canEnter && button('enter', 1, 'Enter', () => this.session.enterVoice(this.store.open)),
    ].filter(Boolean));
  }

  #line({ id, by, text, over, cut }) {
    const person = this.store.people.get(by);
    return h('li', { class: 'call-line', 'data-key': id, 'data-bot': person?.bot, 'data-heard': over ? null : 'now' },
      h('bdi', { class: 'call-by' }, person?.name ?? 'somebody'), ' ', h('span', {}, text), cut && h('span', { class: 'call-cut' }, ' (interrupted)'));
  }

  #hear(line) {
    if (line.channel !== this.#at) return;
    this.#lines.set(line.id, line);
    if (this.#lines.size > 2 * shownLines) this.#lines.delete(this.#lines.keys().next().value);
    if (line.cut) this.#quiet();
    else if (!line.over && this.reads.checked && this.#ways.captions) window.speechSynthesis?.speak(new SpeechSynthesisUtterance(line.text));
    this.#show();
  }

  #quiet() {
    window.speechSynthesis?.cancel();
  }

  async #say() {
    const text = this.input.value.trim();
    if (!text) return;
    this.input.value = '';
    await this.#do(() => this.session.sayAloud(text));
    if (this.#error) this.input.value = this.input.value ? `${text} ${this.input.value}` : text;
  }

  async #do(act) {
    this.#error = '';
    try {
      await act();
    } catch (error) {
      this.#error = error.message;
    }
    this.#show();
  }

  #choose() {
    if (!this.reads.checked) this.#quiet();
    try {
      localStorage.setItem(aloud, this.reads.checked ? 'yes' : '');
    } catch {
      // Storage is off; the choice lasts until the page is closed.
    }
  }
}

function remembered() {
  try {
    return Boolean(localStorage.getItem(aloud));
  } catch {
    return false;
  }
}
