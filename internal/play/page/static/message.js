// message.js shows one message. It only builds elements: what a click means is
// written on them as data-do, and actions.js does it. That way a message can be
// built anew at any time and morph.js can carry over what changed.
import { h, icon } from './dom.js';
import { avatar, badges } from './face.js';
import { plain, rich, onlyEmoji } from './rich.js';
import { attachments, buttons, embeds, poll, reactions } from './parts.js';
import { clock, day, fullTime, momentOf, plural, sameDay, sentence } from './text.js';
import { channelAddress } from './urls.js';

const pauseBetween = 7 * 60 * 1000; // after this long, the author's name is shown again

// A place is how a message stands among the others: whether it begins a group of
// its author, a new day, or what was not read yet.
export function placeOf(message, before, { isFirst, unreadAfter }) {
  const moment = momentOf(message.time);
  const dayBegins = before ? !sameDay(moment, momentOf(before.time)) : isFirst;
  const unreadBegins = unreadAfter !== null && message.id === unreadAfter;
  const head = !before || dayBegins || unreadBegins || !continues(message, before);
  return { day: dayBegins ? moment : null, unread: unreadBegins, head };
}

function continues(message, before) {
  const pause = momentOf(message.time) - momentOf(before.time);
  return message.author.id === before.author.id && pause < pauseBetween && !message.replyTo
    && !message.system && !before.system && Boolean(message.onlyYou) === Boolean(before.onlyYou);
}

// messageNodes returns what the row of a message contains.
export function messageNodes(message, place, store) {
  return [
    place.day && h('div', { class: 'day', role: 'separator' }, h('span', {}, day(place.day))),
    place.unread && h('div', { class: 'unread-line', role: 'separator' }, h('span', {}, 'New')),
    message.system ? notice(message, store) : full(message, place, store),
  ].filter(Boolean);
}

// label is what a screen reader says when the message gets the focus.
export function label(message, store) {
  const words = plain(message.content, store.names).slice(0, 300);
  const toYou = message.onlyYou ? ', only to you' : '';
  return `${store.nameOf(message.author)}${toYou}, ${clock(momentOf(message.time))}: ${words || 'no text'}`;
}

function full(message, place, store) {
  return h('div', { class: place.head ? 'message-grid with-head' : 'message-grid' },
    message.replyTo && replyLine(message.replyTo, store),
    place.head ? avatar(message.author, store.nameOf(message.author)) : sideTime(message),
    h('div', { class: 'message-column' },
      heading(message, place, store),
      body(message, store),
      attachments(message),
      embeds(message, store.names),
      poll(message),
      buttons(message, store.marks(message.id)),
      reactions(message),
      threadLink(message, store),
      message.onlyYou && onlyYou('leave'),
      silence(store.marks(message.id)),
      notes(message, store)));
}

function heading(message, place, store) {
  const moment = momentOf(message.time);
  const time = h('time', { datetime: moment.toISOString(), title: fullTime(moment) }, clock(moment));
  return h('div', { class: place.head ? 'message-head' : 'sr-only' },
    h('bdi', { class: 'author' }, store.nameOf(message.author)), badges({ bot: message.author.bot }), time,
    message.pinned && h('span', { class: 'pinned-mark', title: 'Pinned' }, icon('pin'), h('span', { class: 'sr-only' }, 'pinned')));
}

function sideTime(message) {
  const moment = momentOf(message.time);
  return h('span', { class: 'side-time', 'aria-hidden': 'true', title: fullTime(moment) }, clock(moment));
}

function body(message, store) {
  if (message.loading && !message.content) return thinking();
  const blocks = rich(message.content, store.names);
  if (message.edited) {
    const last = blocks.at(-1);
    const mark = h('span', { class: 'edited' }, ' (edited)');
    if (last?.nodeName === 'P') last.append(mark);
    else blocks.push(mark);
  }
  if (blocks.length === 0) return null;
  return h('div', { class: onlyEmoji(message.content) ? 'rich large' : 'rich' }, blocks);
}

function thinking() {
  return h('p', { class: 'thinking' }, h('span', { class: 'dots', 'aria-hidden': 'true' }, h('i'), h('i'), h('i')), 'thinking…');
}

// Of a message that is gone, only the ID is left.
function replyLine(reply, store) {
  if (!reply.author) return h('span', { class: 'reply-line' }, 'a message that is gone');
  return h('button', { type: 'button', class: 'reply-line', 'data-do': 'jump', 'data-to': reply.id, title: 'Show that message' },
    h('span', { class: 'sr-only' }, 'answers'),
    h('bdi', { class: 'author' }, reply.author),
    h('span', { class: 'excerpt' }, plain(reply.excerpt ?? '', store.names) || 'a message'));
}

function threadLink(message, store) {
  const thread = store.channels.get(message.thread);
  if (!thread) return null;
  return h('a', { class: 'thread-link', href: channelAddress(thread.id) },
    icon('thread'), h('bdi', {}, thread.name), h('span', {}, plural(thread.messages ?? 0, 'message', 'messages')));
}

// silence says why the bot does not answer this message.
const silence = (marks) => marks?.silence && h('p', { class: 'silence' }, icon('ignored'), marks.silence);

// notes are about this message, and nobody else sees them.
function notes(message, store) {
  const marks = store.marks(message.id);
  if (!marks?.note && !marks?.error) return null;
  const text = marks.error ? h('p', {}, sentence(marks.error)) : rich(marks.note, store.names);
  return h('div', { class: 'note', role: marks.error ? 'alert' : 'status', 'data-tone': marks.error ? 'error' : 'quiet' },
    h('div', { class: 'rich' }, text),
    onlyYou('dismiss'));
}

// onlyYou stands below what nobody else sees, and lets it be taken away.
function onlyYou(action) {
  return h('div', { class: 'only-you' },
    icon('eye'), h('span', {}, 'Only you can see this'), h('span', { 'aria-hidden': 'true' }, '·'),
    h('button', { type: 'button', class: 'link', 'data-do': action }, 'Dismiss message'));
}

function notice(message, store) {
  const moment = momentOf(message.time);
  return h('div', { class: 'notice' },
    icon({ pin: 'pin', thread: 'thread', starter: 'thread' }[message.system] ?? 'spark'),
    h('span', { class: 'notice-text' }, h('bdi', { class: 'author' }, store.nameOf(message.author)), ' ', noticeWords(message, store)),
    h('time', { datetime: moment.toISOString(), title: fullTime(moment) }, clock(moment)));
}

// jump is a link to a message, or only words if it is not known.
function jump(to, words) {
  return to ? h('button', { type: 'button', class: 'link', 'data-do': 'jump', 'data-to': to }, words) : words;
}

function noticeWords(message, store) {
  switch (message.system) {
    case 'pin':
      return ['pinned ', jump(message.replyTo?.id, 'a message'), '.'];
    case 'poll':
      return ['had ', jump(message.replyTo?.id, 'a poll'), ' that is over now.'];
    case 'thread': {
      const thread = store.channels.get(message.thread);
      const name = h('bdi', {}, thread?.name ?? plain(message.content, store.names));
      return ['started a thread: ', thread ? h('a', { href: channelAddress(thread.id) }, name) : name];
    }
    case 'starter': {
      const parent = store.channels.get(store.channels.get(message.channel)?.parent);
      const words = plain(message.replyTo?.excerpt ?? '', store.names);
      const link = parent && h('a', { href: channelAddress(parent.id) }, h('bdi', {}, `#${parent.name}`));
      return ['began this thread', words ? ` from “${words}”` : '', link ? [' in ', link] : '', '.'];
    }
    default:
      return plain(message.content, store.names) || 'did something that this page cannot show.';
  }
}
