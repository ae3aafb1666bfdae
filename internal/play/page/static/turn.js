// turn.js shows what the bot did last: what it was asked, what it told the model,
// what the model wanted done, and what became of that. Whatever is missing from
// the record is left out.
import { h, icon } from './dom.js';
import { plain } from './rich.js';
import { lateBy, moment } from './clock.js';
import { clock, duration, momentOf, plural, sentence, size } from './text.js';
import { channelAddress } from './urls.js';

const nothingYet = 'Ask the bot for something. Here you will see what it told the model, what the model wanted, and what was done about it.';
const signs = { // icons of verdicts
  done: 'done', held: 'held', failed: 'failed', refused: 'refused', ignored: 'ignored', broken: 'broken', dropped: 'refused', unclear: 'broken',
};
const verdictWords = { held: 'waits for approval', dropped: 'not done' };

export class TurnView {
  constructor(store, container) {
    this.store = store;
    this.container = container;
    store.on('turn', () => this.#show());
    store.on('open', () => this.#show());
    store.on('clock', () => store.turn?.kind === 'job' && this.#show()); // which knows when the job was due
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
      (turn.cards ?? []).map((card) => h('section', { class: 'round' },
        h('h4', {}, 'Its card'), h('ul', { class: 'acts' }, card.actions.map((action) => actionNode(action, this.store.names))))),
      rounds.map((round, at) => roundNode(round, at, { total: rounds.length, largest, names: this.store.names })),
      Array.isArray(turn.restCalls) && turn.restCalls.length > 0 && calls(turn.restCalls));
  }

  // asked says whose turn it was, where and why, above what was said.
  #asked(turn) {
    if (!turn.asked && !turn.by && !turn.kind) return null;
    const job = turn.kind === 'job' && this.store.clock.jobs.find(({ id }) => id === turn.job);
    return h('figure', { class: 'asked', 'data-kind': turn.kind ?? 'message' },
      h('figcaption', {}, this.#whose(turn, job), this.#where(turn)),
      job?.last && dueNode(turn, job.last),
      turn.asked && h('blockquote', { dir: 'auto' }, plain(turn.asked, this.store.names)));
  }

  #whose({ kind, by }, job) {
    const who = h('bdi', { class: 'author' }, this.store.people.get(by)?.name ?? by ?? 'somebody');
    switch (kind) {
      case 'job':
        return job ? ['A run of the job ', h('bdi', { class: 'author' }, job.name), ' '] : 'A run of a scheduled job ';
      case 'follow-up':
        return ['A follow-up for ', who, ' '];
      case 'reaction':
        return [who, ' reacted to this '];
      case 'command':
        return [who, ' used a command '];
    }
    return [who, ' asked '];
  }

  #where({ channel: id, began }) {
    const channel = this.store.channels.get(id);
    const name = channel && h('bdi', {}, channel.kind === 'dm' ? 'direct messages' : `#${channel.name}`);
    return [
      channel && ['in ', id === this.store.open ? name : h('a', { href: channelAddress(id) }, name), ' '],
      began && ['at ', h('time', { datetime: began }, clock(momentOf(began)))],
    ];
  }
}

// dueNode says when a run of a job was due, and whether it came late. The clock may still know only the run before.
function dueNode({ began }, last) {
  if (momentOf(last.ended) < momentOf(began)) return null;
  if (last.why !== 'slot') return h('p', { class: 'asked-due' }, 'Not on its schedule: something else had it run now.');
  const late = Math.round(lateBy(last) / 60000);
  const by = late < 90 ? plural(late, 'minute', 'minutes') : plural(Math.round(late / 60), 'hour', 'hours');
  return h('p', { class: 'asked-due' }, `Due ${moment(last.slot)}, and ran ${late > 0 ? `${by} late` : 'on time'}.`);
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

function actionNode({ type, verdict, end, line, reason, tookMs }, names) {
  const known = verdict in signs ? verdict : 'ignored';
  return h('li', { class: 'act', 'data-verdict': known },
    h('span', { class: 'act-sign' }, icon(signs[known])),
    h('span', { class: 'act-words' },
      h('span', { class: 'act-head' }, h('code', {}, type), h('span', { class: 'act-verdict' }, verdictWords[verdict] ?? verdict),
        tookMs !== undefined && h('span', { class: 'act-time' }, duration(tookMs))),
      end && h('span', { class: 'act-end', dir: 'auto' }, sentence(end)),
      line && h('span', { class: 'act-line', dir: 'auto' }, plain(line, names)),
      reason && !line?.includes(reason) && !(end && line) && h('span', { class: 'act-reason', dir: 'auto' }, sentence(plain(reason, names)))));
}

function calls(list) {
  return h('details', { class: 'calls' },
    h('summary', {}, 'Calls to Discord'),
    h('ol', {}, list.map((call) => h('li', {}, h('code', {}, callWords(call))))));
}

const callWords = (call) => (typeof call === 'string' ? call : [call.method, call.path, call.status].filter(Boolean).join(' '));
