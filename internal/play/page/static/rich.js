// rich.js shows a text with its formatting. "names" knows who and what the
// mentions in it mean: person(id), channel(id) and role(id) return a name or null.
import { h } from './dom.js';
import { parse } from './markdown.js';
import { channelAddress } from './urls.js';
import { clock, fullTime } from './text.js';

// rich returns the elements of a text.
export function rich(text, names) {
  return parse(text).map((block) => blockNode(block, names));
}

// plain returns the words of a text without any formatting, on one line.
export function plain(text, names) {
  return parse(text).map((block) => words(block, names)).join(' ').replace(/\s+/g, ' ').trim();
}

// onlyEmoji tells whether a text is a few emoji and nothing else; they are shown large.
export function onlyEmoji(text) {
  return /^(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d\ufe0f\s]){1,40}$/u.test(text) && text.trim() !== '';
}

function blockNode(block, names) {
  switch (block.kind) {
    case 'heading':
      return h(`h${block.level + 2}`, { class: `rich-heading level-${block.level}`, dir: 'auto' }, nodes(block.children, names));
    case 'subtext':
      return h('p', { class: 'rich-subtext', dir: 'auto' }, nodes(block.children, names));
    case 'quote':
      return h('blockquote', {}, block.children.map((child) => blockNode(child, names)));
    case 'list':
      return listNode(block, names);
    case 'code':
      return codeNode(block);
    default:
      return h('p', { dir: 'auto' }, nodes(block.children, names));
  }
}

function listNode(list, names) {
  const items = list.items.map((children) => h('li', { dir: 'auto' }, nodes(children, names)));
  return h(list.ordered ? 'ol' : 'ul', list.ordered && list.start !== 1 ? { start: list.start } : {}, items);
}

// The copy button says no more than what to do; the list of messages knows how,
// and reads the code that stands there at that moment.
function codeNode({ language, text }) {
  return h('div', { class: 'code-block' },
    h('div', { class: 'code-head' },
      h('span', { class: 'code-language' }, language || 'text'),
      h('button', { type: 'button', class: 'code-copy', 'data-do': 'copy' }, 'Copy')),
    h('pre', { tabindex: '0', 'aria-label': language ? `Code, ${language}` : 'Code' }, h('code', {}, text)));
}

function nodes(children, names) {
  return children.map((child) => (typeof child === 'string' ? child : inlineNode(child, names)));
}

const tags = { strong: 'strong', em: 'em', underline: 'u', strike: 's' };

function inlineNode(node, names) {
  switch (node.kind) {
    case 'code':
      return h('code', {}, node.text);
    case 'link':
      return h('a', { href: node.href, target: '_blank', rel: 'noopener noreferrer', title: node.href }, nodes(node.children, names));
    case 'spoiler':
      return h('span', { class: 'spoiler', role: 'button', tabindex: '0', 'data-do': 'reveal' },
        h('span', { class: 'spoiler-hint sr-only' }, 'Hidden text; press to show it'),
        h('span', { class: 'spoiler-text' }, nodes(node.children, names)));
    case 'mention':
      return mentionNode(node, names);
    case 'emoji':
      return h('span', { class: 'custom-emoji' }, `:${node.name}:`);
    case 'time':
      return timeNode(node);
    case 'list':
      return listNode(node, names);
    default:
      return h(tags[node.kind], {}, nodes(node.children, names));
  }
}

function mentionNode(node, names) {
  if (node.of === 'channel' && names.channel(node.id) !== null) {
    return h('a', { class: 'mention', href: channelAddress(node.id) }, h('bdi', {}, mentionWords(node, names)));
  }
  return h('span', { class: 'mention' }, h('bdi', {}, mentionWords(node, names)));
}

function mentionWords(node, names) {
  switch (node.of) {
    case 'person':
      return `@${names.person(node.id) ?? 'somebody'}`;
    case 'role':
      return `@${names.role(node.id) ?? 'role'}`;
    case 'channel':
      return `#${names.channel(node.id) ?? 'hidden channel'}`;
    default:
      return `@${node.name}`;
  }
}

function timeNode({ seconds, style }) {
  const moment = new Date(seconds * 1000);
  if (Number.isNaN(moment.getTime())) return h('span', {}, 'some time');
  return h('time', { class: 'moment', datetime: moment.toISOString(), title: fullTime(moment) }, momentWords(moment, style));
}

function momentWords(moment, style) {
  switch (style) {
    case 't':
      return clock(moment);
    case 'T':
      return moment.toLocaleTimeString();
    case 'd':
      return moment.toLocaleDateString();
    case 'D':
      return moment.toLocaleDateString([], { dateStyle: 'long' });
    case 'R':
      return relative(moment);
    default:
      return fullTime(moment);
  }
}

function relative(moment) {
  const format = new Intl.RelativeTimeFormat([], { numeric: 'auto' });
  let amount = (moment.getTime() - Date.now()) / 1000;
  for (const [unit, length] of [['second', 60], ['minute', 60], ['hour', 24], ['day', 30], ['month', 12]]) {
    if (Math.abs(amount) < length) return format.format(Math.round(amount), unit);
    amount /= length;
  }
  return format.format(Math.round(amount), 'year');
}

function words(node, names) {
  if (typeof node === 'string') return node;
  switch (node.kind) {
    case 'code':
      return node.text;
    case 'mention':
      return mentionWords(node, names);
    case 'emoji':
      return `:${node.name}:`;
    case 'time':
      return timeNode(node).textContent;
    case 'spoiler':
      return '▒▒▒';
    case 'list':
      return node.items.map((item) => item.map((child) => words(child, names)).join('')).join(' ');
    default:
      return node.children.map((child) => words(child, names)).join(node.kind === 'quote' ? ' ' : '');
  }
}
