// tour.js leads through what is special about the bot, in six steps at most. A button does each of them, but it counts just as much when
// somebody did it by hand. It can be left at any time, and comes back only when it is asked for.
import { h, icon } from './dom.js';
import { morph } from './morph.js';
import { sentence } from './text.js';

const storage = 'tour'; // where the browser remembers that it was left
const spare = ['attic', 'random']; // channels that nobody will miss
const approve = 'Approve';

export class Tour {
  #at = -1; // the step; before the first one, the tour is offered
  #phase = ''; // of a step that takes more than one thing
  #seen = ''; // what the last step has shown
  #error = '';
  #on; // it is shown

  // say({ text, as }) says something; show(channel, message) goes to a message; over() is called when the tour was left.
  constructor(store, session, container, { say, show, over }) {
    Object.assign(this, { store, session, container, say, show, over });
    this.#on = !left();
    for (const topic of ['turn', 'decided', 'silence', 'bot', 'timeline']) store.on(topic, (detail) => this.#look(topic, detail));
    for (const topic of ['world', 'clock']) store.on(topic, () => this.#show());
    this.#show();
  }

  // steps are those that can be done here: text says what to do, name is what its button says, and run does it. look tells what
  // was seen, once it was done.
  get #steps() {
    const { store } = this;
    const stranger = [...store.people.values()].find(({ id }) => store.strangers.has(id));
    const gone = this.#spare();
    return [
      {
        text: 'Ask the bot for something.', name: 'Say “make a channel called tour”', run: () => this.#says('make a channel called tour'),
        look: (topic) => topic === 'turn' && store.turn.kind === 'message' && `It ${actions(store.turn).some(({ verdict }) => verdict === 'done') ? 'did so' : 'answered'}. “Last turn” in the panel shows how much of what the model was told, what it asked for, and what came of it.`,
      },
      stranger && {
        text: `Let ${stranger.name} say something, who is not on the bot’s list of people.`, name: `Say “hello?” as ${stranger.name}`, run: () => this.say({ text: 'hello?', as: stranger.name }),
        look: (topic) => topic === 'silence' && `${stranger.name} gets no answer. Below the message stands why.`,
      },
      this.#card({ text: 'Take back what the bot did here last.', name: 'Say “!undo”', run: () => this.#says('!undo') },
        (turn) => turn.command === 'undo', 'It is as it was before.', 'It stays as it is.'),
      gone && this.#card({ text: 'Ask for something that cannot be undone.', name: `Say “delete #${gone}”`, run: () => this.#says(`delete #${gone}`) },
        (turn) => actions(turn).some(({ verdict }) => verdict === 'held'),
        'It was done only then. The panel says who approved it.', 'Nothing was done. The panel says who rejected it.'),
      {
        ...(store.clock.jobs.some(({ next }) => next)
          ? { text: 'Jobs run by themselves. Move the clock on to the next one.', name: 'Move the clock on', run: () => this.session.moveClock('run') }
          : { text: 'Let the bot do something every day.', name: 'Say “every day at 7:00, tell us to water the plants”', run: () => this.#says('every day at 7:00, tell us to water the plants') }),
        look: (topic) => topic === 'turn' && store.turn.kind === 'job' && `A job ran${this.#where(store.turn)}, and nobody had to ask. The panel says when it was due.`,
      },
      store.bot.own && this.#plug(),
    ].filter(Boolean);
  }

  // card is a step that ends with a card. waits(turn) tells whether the card is there.
  #card(step, waits, approved, rejected) {
    const look = (topic, turn) => {
      if (topic === 'turn' && waits(this.store.turn)) this.#phase = this.store.turn.turn;
      if (topic !== 'decided' || turn.turn !== this.#phase) return '';
      return actions(turn).some(({ verdict, end }) => end && verdict === 'done') ? approved : rejected;
    };
    if (!this.#phase) return { ...step, look };
    return { text: `The bot asks first. Press ${approve} or Reject on its card.`, name: 'Go to the card', run: () => this.#toCard(), look };
  }

  #toCard() {
    const { channel } = this.store.turn ?? {};
    const card = this.store.timeline(channel).messages.findLast(({ buttons }) => buttons.flat().some(({ label, disabled }) => label === approve && !disabled));
    if (!card) throw new Error('there is no card; skip this step');
    return this.show(channel, card.id);
  }

  #plug() {
    const { state, kept } = this.store.bot;
    const look = (topic) => {
      if (topic === 'timeline' && this.#phase === 'asked' && this.#growing()) {
        this.#phase = 'pulled';
        this.#try(() => this.session.setAlive(false));
      }
      if (topic === 'turn' && this.#phase === 'asked') this.#phase = ''; // the answer was too quick
      if (topic !== 'bot') return '';
      if (state === 'dead') this.#phase = 'dead';
      return state === 'alive' && this.#phase === 'dead' && (kept.length > 0 ? 'The bot goes on with the same message. Nothing is lost.' : 'The bot is back. Nothing was being written.');
    };
    if (this.#phase === 'dead') return { text: 'The bot is dead, in the middle of its answer.', name: 'Start it again', run: () => this.session.setAlive(true), look };
    if (this.#phase) return { text: 'The plug is pulled as soon as the story has begun.', name: 'One moment…', look };
    return {
      text: 'Kill the bot in the middle of an answer.', name: 'Ask for a story, and pull the plug', look, run: () => {
        this.#phase = 'asked';
        return this.#says('tell me a story');
      },
    };
  }

  // growing tells whether an answer is being written here.
  #growing() {
    const last = this.store.timeline().newest();
    return last?.author.bot && last.content.length > 40 && last.buttons.flat().some(({ label }) => label === 'Stop');
  }

  #where({ channel }) {
    const name = this.store.channels.get(channel)?.name;
    return name ? ` in #${name}` : '';
  }

  // A stranger would get no answer to the sentences of the tour.
  #says(text) {
    const { me, strangers, people } = this.store;
    const as = strangers.has(me.id) ? [...people.values()].find(({ owner }) => owner)?.name : undefined;
    return this.say({ text, as });
  }

  #spare() {
    const here = [...this.store.channels.values()].filter(({ kind, id }) => kind === 'text' && id !== this.store.open).map(({ name }) => name);
    return spare.find((name) => here.includes(name)) ?? here.at(-1);
  }

  #look(topic, detail) {
    if (!this.#on || this.#at < 0 || topic === 'timeline' && this.#phase !== 'asked') return;
    const seen = this.#steps[this.#at]?.look(topic, detail);
    if (topic === 'turn') this.#error = ''; // something has happened since
    if (seen) this.#next(seen);
    else if (topic !== 'timeline') this.#show();
  }

  #next(seen = '') {
    this.#at++;
    this.#phase = this.#error = '';
    this.#seen = seen;
    this.#show();
  }

  begin() {
    this.#on = true;
    this.#at = -1;
    this.#next();
    this.container.querySelector('button')?.focus();
  }

  #leave() {
    this.#on = false;
    remember();
    this.#show();
    this.over();
  }

  async #try(run) {
    this.#error = '';
    try {
      await run();
    } catch (error) {
      this.#error = error.message;
    }
    this.#show();
  }

  #show() {
    this.container.hidden = !this.#on;
    if (!this.#on) return;
    const steps = this.#at < 0 ? [] : this.#steps;
    const step = this.#at < 0
      ? { text: 'New here? A tour of two minutes shows what is special about this bot.', name: 'Take the tour', run: () => this.begin() }
      : steps[this.#at];
    const button = (key, words, press) => h('button', { type: 'button', class: 'tour-button', 'data-key': key, 'data-tour': key, on: { click: press } }, words);
    const focused = this.container.contains(document.activeElement);
    morph(this.container, [
      h('div', { class: 'tour-words', role: 'status' },
        this.#seen && h('p', { class: 'tour-seen', 'data-key': 'seen' }, icon('done'), h('span', {}, this.#seen)),
        h('p', { 'data-key': 'text' }, step && this.#at >= 0 && h('span', { class: 'tour-count' }, `${this.#at + 1} of ${steps.length}`), step ? step.text : 'That was all. Try whatever you like.')),
      this.#error && h('p', { class: 'error-line', role: 'alert' }, sentence(this.#error)),
      h('div', { class: 'tour-buttons', 'data-key': 'buttons' },
        step?.name && button('do', step.name, () => this.#do()),
        step && this.#at >= 0 && button('skip', 'Skip', () => this.#next()),
        button('leave', !step ? 'Close' : this.#at < 0 ? 'No, thanks' : 'Leave', () => this.#leave())),
    ].filter(Boolean));
    if (focused && !this.container.contains(document.activeElement)) this.container.querySelector('button').focus(); // its button is gone
  }

  #do() {
    if (this.#at < 0) return this.begin();
    return this.#try(() => this.#steps[this.#at]?.run?.());
  }
}

// actions are those of a turn, also those of its cards.
const actions = ({ rounds = [], cards = [] }) => [...rounds, ...cards].flatMap((part) => part.actions ?? []);

function left() {
  try {
    return localStorage.getItem(storage) === 'left';
  } catch {
    return false; // storage is off
  }
}

function remember() {
  try {
    localStorage.setItem(storage, 'left');
  } catch {
    // Storage is off; the tour is offered again with the next visit.
  }
}
