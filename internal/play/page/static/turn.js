// turn.js shows what the bot did last: what it was asked, what it told the model,
// what the model wanted done, and what became of that. Whatever is missing from
// the record is left out.
import { h, icon } from './dom.js';
import { plain } from './rich.js';
import { clock, duration, momentOf, plural, sentence, size } from './text.js';

const nothingYet = 'Ask the bot for something. Here you will see what it told the model, what the model wanted, and what was done about it.';
const verdicts = new Set(['done', 'held', 'failed', 'refused', 'ignored', 'broken']); // each has an icon

export class TurnView {
  constructor(store, container) {
    this.store = store;
    this.container = container;
    store.on('turn', () => this.#show());
    store.on('open', () => this.#show());
    this.#show();
  }

  #show() {
    const { turn } = this.store;
    this.container.replaceChildren(turn ? this.#turn(turn) : h('p', { class: 'panel-empty' }, nothingYet));
  }

  #turn(turn) {
    const rounds = turn.rounds ?? [];
    const largest = Math.max(1, ...rounds.flatMap((round) => (round.sections ?? []).map((section) => section.bytes ?? 0)));
    return h('div', { class: 'turn-body' },
      this.#asked(turn),
      turn.command && commandNode(turn.command),
      facts(turn, rounds),
      turn.error && h('p', { class: 'turn-error', role: 'alert' }, sentence(turn.error)),
      rounds.map((round, at) => roundNode(round, at, { total: rounds.length, largest, names: this.store.names })),
      Array.isArray(turn.restCalls) && turn.restCalls.length > 0 && calls(turn.restCalls));
  }

  #asked(turn) {
    if (!turn.asked) return null;
    const by = this.store.people.get(turn.by)?.name ?? turn.by;
    return h('figure', { class: 'asked' },
      h('blockquote', { dir: 'auto' }, plain(turn.asked, this.store.names)),
      h('figcaption', {},
        by && ['asked by ', h('bdi', {}, by), ' '],
        this.#place(turn.channel),
        turn.began && ['at ', h('time', { datetime: turn.began }, clock(momentOf(turn.began)))]));
  }

  // place says where a turn was that is not in the channel one looks at.
  #place(id) {
    const channel = this.store.channels.get(id);
    return channel && id !== this.store.open && ['in ', h('a', { href: `#channel/${id}` }, h('bdi', {}, channel.kind === 'dm' ? 'direct messages' : `#${channel.name}`)), ' '];
  }
}

const commandNode = (name) => h('p', { class: 'turn-command' }, h('code', {}, `!${name}`), ' is a command. The bot answered by itself; no model was asked.');

function facts(turn, rounds) {
  const sent = Array.isArray(turn.restCalls) ? turn.restCalls.length : turn.restCalls;
  const list = [
    turn.tookMs !== undefined && ['took', duration(turn.tookMs)],
    rounds.length > 0 && ['model', plural(rounds.length, 'round', 'rounds')],
    Number.isInteger(sent) && !turn.command && ['Discord', plural(sent, 'call', 'calls')],
  ].filter(Boolean);
  return [
    list.length > 0 && h('dl', { class: 'facts' }, list.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))),
    turn.model && h('p', { class: 'turn-model' }, hasAnswer(turn, rounds) ? 'answered by ' : 'no usable answer by ', h('bdi', {}, speakerOf(turn, rounds))),
  ];
}

// After an error, the last round may have no answer.
const hasAnswer = (turn, rounds) => rounds.length > 0 && !(turn.error && !rounds.at(-1).answerBytes);

// The last round says which runtime and model did answer; before there is one, the turn says which was asked.
function speakerOf(turn, rounds) {
  const { runtime, model } = rounds.at(-1) ?? {};
  if (!model) return turn.model;
  return runtime ? `${model} (${runtime})` : model;
}

function roundNode(round, at, { total, largest, names }) {
  const sections = round.sections ?? [];
  const actions = round.actions ?? [];
  return h('section', { class: 'round' },
    total > 1 && h('h3', {}, `Round ${at + 1}`),
    sections.length > 0 && h('h4', {}, 'Told the model', h('span', {}, told(round))),
    sections.length > 0 && h('ul', { class: 'bars' }, sections.map((section) => bar(section, largest))),
    h('h4', {}, 'It answered', h('span', {}, answered(round))),
    actions.length > 0 && h('ul', { class: 'acts' }, actions.map((action) => actionNode(action, names))),
    round.flaw && h('p', { class: 'round-flaw' }, sentence(round.flaw)),
    actions.length === 0 && !round.flaw && h('p', { class: 'no-acts' }, 'with words, and asked for no action'));
}

const told = ({ promptBytes, inputTokens, cachedTokens }) => amounts(promptBytes, inputTokens, cachedTokens && `${cachedTokens} of them cached`);
const answered = ({ answerBytes, outputTokens, usd }) => amounts(answerBytes, outputTokens, usd && dollars(usd));
const dollars = (usd) => (usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`);

function amounts(bytes, tokens, more) {
  const parts = [];
  if (bytes !== undefined) parts.push(size(bytes));
  if (tokens) parts.push(plural(tokens, 'token', 'tokens'));
  if (more) parts.push(more);
  return parts.join(', ');
}

function bar({ name, bytes = 0 }, largest) {
  const node = h('li', { class: 'bar' },
    h('span', { class: 'bar-name' }, name),
    h('span', { class: 'bar-size' }, size(bytes)),
    h('span', { class: 'bar-line', 'aria-hidden': 'true' }));
  node.style.setProperty('--share', Math.max(bytes / largest, 0.01));
  return node;
}

function actionNode({ type, verdict, reason, line, tookMs }, names) {
  const known = verdicts.has(verdict) ? verdict : 'ignored';
  return h('li', { class: 'act', 'data-verdict': known },
    h('span', { class: 'act-sign' }, icon(known)),
    h('span', { class: 'act-words' },
      h('span', { class: 'act-head' }, h('code', {}, type), h('span', { class: 'act-verdict' }, verdict),
        tookMs !== undefined && h('span', { class: 'act-time' }, duration(tookMs))),
      line && h('span', { class: 'act-line', dir: 'auto' }, plain(line, names)),
      reason && !line?.includes(reason) && h('span', { class: 'act-reason', dir: 'auto' }, sentence(plain(reason, names)))));
}

function calls(list) {
  return h('details', { class: 'calls' },
    h('summary', {}, 'Calls to Discord'),
    h('ol', {}, list.map((call) => h('li', {}, h('code', {}, callWords(call))))));
}

const callWords = (call) => (typeof call === 'string' ? call : [call.method, call.path, call.status].filter(Boolean).join(' '));
