// rich.js shows a text with its formatting. "names" knows who and what the
// mentions in it mean: person(id), channel(id) and role(id) return a name or null;
// guild() returns the ID of the server.
import { h } from './dom.js';
import { parse } from './markdown.js';
import { momentNode } from './moments.js';
import { channelAddress, messageAt } from './urls.js';

// rich returns the elements of a text.
export function rich(text, names) {
  return parse(text).map((block) => blockNode(block, names));
}

// plain returns the words of a text without any formatting, on one line.
export function plain(text, names) {
  return parse(text).map((block) => words(block, names)).join(' ').replace(/(^|\s)-# /g, '$1').replace(/\s+/g, ' ').trim();
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
      return linkNode(node, names);
    case 'spoiler':
      return h('span', { class: 'spoiler', role: 'button', tabindex: '0', 'data-do': 'reveal' },
        h('span', { class: 'spoiler-hint sr-only' }, 'Hidden text; press to show it'),
        h('span', { class: 'spoiler-text' }, nodes(node.children, names)));
    case 'mention':
      return mentionNode(node, names);
    case 'emoji':
      return h('span', { class: 'custom-emoji' }, `:${node.name}:`);
    case 'time':
      return momentNode(node);
    case 'list':
      return listNode(node, names);
    default:
      return h(tags[node.kind], {}, nodes(node.children, names));
  }
}

// A link to a message that is here goes there; any other leads out of the page.
function linkNode(node, names) {
  const there = hereAt(node.href, names);
  if (!there) return h('a', { href: node.href, target: '_blank', rel: 'noopener noreferrer', title: node.href }, nodes(node.children, names));
  return h('a', {
    class: 'mention', href: channelAddress(there.channel), title: node.href, 'data-do': 'jump', 'data-channel': there.channel, 'data-to': there.message,
  }, h('bdi', {}, node.bare ? placeWords(there, names) : nodes(node.children, names)));
}

// hereAt returns the message that an address leads to, if it is one of this server.
function hereAt(address, names) {
  const there = messageAt(address);
  return there && ['@me', names.guild()].includes(there.guild) && names.channel(there.channel) !== null ? there : null;
}

const placeWords = ({ channel }, names) => `#${names.channel(channel)} › message`;

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
      return `#${names.channel(node.id) ?? 'unknown channel'}`;
    default:
      return `@${node.name}`;
  }
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
      return momentNode(node).textContent;
    case 'spoiler':
      return '▒▒▒';
    case 'link': {
      const there = node.bare && hereAt(node.href, names);
      return there ? placeWords(there, names) : node.children.map((child) => words(child, names)).join('');
    }
    case 'list':
      return node.items.map((item) => item.map((child) => words(child, names)).join('')).join(' ');
    default:
      return node.children.map((child) => words(child, names)).join(node.kind === 'quote' ? ' ' : '');
  }
}
