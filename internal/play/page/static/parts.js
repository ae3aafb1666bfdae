// parts.js shows what a message carries besides its text: files, embeds, polls,
// buttons and reactions.
import { h, icon, iconButton } from './dom.js';
import { rich } from './rich.js';
import { plural, size } from './text.js';
import { fileAddress, webAddress } from './urls.js';

const shownInline = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

export function attachments(message) {
  const list = message.attachments ?? [];
  const pictures = list.filter(isPicture);
  const files = list.filter((one) => !isPicture(one));
  return list.length > 0 && h('div', { class: 'attachments' },
    pictures.length > 0 && h('div', { class: 'pictures' }, pictures.map(picture)),
    files.length > 0 && h('div', { class: 'files' }, files.map(file)));
}

function isPicture({ type, url }) {
  return Boolean(fileAddress(url)) && shownInline.has(String(type).split(';')[0].trim().toLowerCase());
}

function picture({ name, url }) {
  const address = fileAddress(url);
  return h('a', { class: 'picture', href: address, target: '_blank', rel: 'noopener', title: name },
    h('img', { src: address, alt: name, loading: 'lazy', decoding: 'async' }));
}

function file({ name, size: bytes, url }) {
  const address = fileAddress(url);
  return h(address ? 'a' : 'span', { class: 'file', href: address, download: address && name },
    icon('file'),
    h('span', { class: 'file-words' }, h('bdi', { class: 'file-name' }, name), h('span', { class: 'file-size' }, size(bytes ?? 0))));
}

export function embeds(message, names) {
  const list = message.embeds ?? [];
  return list.length > 0 && h('div', { class: 'embeds' }, list.map((embed) => embedNode(embed, names)));
}

function embedNode({ title, description, url, color, footer, fields }, names) {
  const address = url && webAddress(url);
  const node = h('div', { class: 'embed' },
    title && h('div', { class: 'embed-title', dir: 'auto' },
      address ? h('a', { href: address, target: '_blank', rel: 'noopener noreferrer' }, title) : title),
    description && h('div', { class: 'rich' }, rich(description, names)),
    fields?.length > 0 && h('dl', { class: 'embed-fields' }, fields.map((field) => fieldNode(field, names))),
    footer && h('div', { class: 'embed-footer', dir: 'auto' }, footer));
  if (Number.isInteger(color) && color > 0 && color <= 0xffffff) {
    node.style.setProperty('--embed', `#${color.toString(16).padStart(6, '0')}`);
  }
  return node;
}

function fieldNode({ name, value, inline }, names) {
  return h('div', { class: 'embed-field', 'data-inline': Boolean(inline) },
    h('dt', {}, name),
    h('dd', { class: 'rich' }, rich(value ?? '', names)));
}

export function poll(message) {
  if (!message.poll) return null;
  const { question, answers, multiple, closed } = message.poll;
  const votes = answers.map((answer) => answer.votes ?? 0);
  const total = votes.reduce((sum, count) => sum + count, 0);
  const most = Math.max(...votes);
  return h('div', { class: 'poll' },
    h('div', { class: 'poll-question', dir: 'auto' }, question),
    h('ul', {}, answers.map((answer, at) => h('li', {},
      answerNode(answer, at + 1, { total, closed, won: closed && total > 0 && votes[at] === most })))),
    h('div', { class: 'poll-foot' }, plural(total, 'vote', 'votes'), closed ? ' · closed' : multiple ? ' · choose one or more' : ' · choose one'));
}

// An answer of an open poll is a button, which votes or takes the vote back.
function answerNode({ text, votes = 0, mine, who }, number, { total, closed, won }) {
  const share = total > 0 ? votes / total : 0;
  const people = (who ?? []).join(', ');
  const vote = closed ? {} : { type: 'button', 'data-do': 'vote', 'data-answer': number, 'aria-pressed': String(Boolean(mine)) };
  const node = h(closed ? 'div' : 'button', { class: 'poll-answer', 'data-mine': Boolean(mine), 'data-won': Boolean(won), title: people || null, ...vote },
    h('span', { class: 'poll-text', dir: 'auto' }, text),
    (mine || won) && h('span', { class: 'poll-sign' }, icon('done'), won ? 'most votes' : 'your vote'),
    h('span', { class: 'poll-share' }, `${votes} · ${Math.round(share * 100)} %`));
  node.style.setProperty('--share', share);
  return node;
}

export function buttons(message, marks) {
  const rows = (message.buttons ?? []).filter((row) => row.length > 0);
  return rows.length > 0 && h('div', { class: 'buttons', role: 'group', 'aria-label': 'Buttons of this message' },
    rows.map((row) => h('div', { class: 'button-row' }, row.map((button) => buttonNode(button, marks?.pressing ?? '')))));
}

// While one button waits for its answer, none of the message can be pressed. They are
// not disabled for that long, because a disabled button cannot keep the focus.
function buttonNode({ id, label, style, disabled, url }, pressing) {
  if (url) {
    return h('a', { class: 'press', 'data-style': 2, href: webAddress(url), target: '_blank', rel: 'noopener noreferrer' }, label);
  }
  const busy = pressing !== '' && pressing === id;
  return h('button', {
    type: 'button', class: 'press', 'data-style': style ?? 2, 'data-do': 'press', 'data-button': id,
    disabled: Boolean(disabled), 'aria-disabled': pressing ? 'true' : null, 'aria-busy': busy ? 'true' : null,
  }, label);
}

export function reactions(message) {
  const list = message.reactions ?? [];
  return list.length > 0 && h('div', { class: 'reactions' },
    list.map(reaction),
    iconButton('smile', 'Add a reaction', { class: 'reaction add', 'data-do': 'react' }));
}

function reaction({ emoji, count, mine, who }) {
  const shown = emojiWords(emoji);
  const people = (who ?? []).join(', ');
  return h('button', {
    type: 'button', class: 'reaction', 'data-do': 'toggle', 'data-emoji': emoji, 'aria-pressed': String(Boolean(mine)),
    'aria-label': `${shown}, ${count}${people ? `, by ${people}` : ''}`, title: people || null,
  }, h('span', { class: 'reaction-emoji' }, shown), h('span', { class: 'reaction-count' }, String(count)));
}

// Custom emoji are named like name:id.
const emojiWords = (emoji) => (/^\w+:\d+$/.test(emoji) ? `:${emoji.split(':')[0]}:` : emoji);
