// messages.js is the list of messages. However many there are, only those on the
// screen and some around them are elements; the space of the others is kept by two
// empty blocks above and below.
//
// The position is not a number of pixels but an anchor: a message and how far it is
// from the top edge, or the bottom of the list. Whatever changes above or below,
// the anchor stays where the reader sees it.
import { h } from './dom.js';
import { Heights } from './heights.js';
import { morph } from './morph.js';
import { label, messageNodes, placeOf } from './message.js';
import { compareIDs } from './text.js';

const nearBottom = 8; // pixels that still count as the bottom
const rounds = 5; // how often unexpected heights are taken into account at once

export class MessageList {
  #heights = new Heights();
  #rows = new Map(); // ID → { node, content, shown }
  #resizes = new ResizeObserver((entries) => this.#resized(entries));
  #anchor = null; // { id, offset }, or null for the bottom
  #lastTop = 0; // where this list last scrolled to
  #from = 0;
  #to = 0;
  #frame = 0;
  #width = 0;

  // parts are elements of index.html; unreadFrom() returns the ID of the first
  // message that was not read, or null; moved() is called after every change.
  constructor(store, parts, { unreadFrom, moved }) {
    this.store = store;
    this.parts = parts;
    this.unreadFrom = unreadFrom;
    this.moved = moved;
    this.timeline = store.timeline();
    this.#resizes.observe(parts.scroller);
    this.#resizes.observe(parts.lead);
    parts.scroller.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    parts.scroller.addEventListener('keydown', (event) => this.#key(event));
  }

  // show begins anew with the messages of another channel, at their end.
  show(timeline) {
    this.timeline = timeline;
    this.#heights.forget();
    for (const id of [...this.#rows.keys()]) this.#drop(id);
    this.toBottom();
  }

  // soon brings the list up to date with the next frame. A hidden tab has none.
  soon() {
    if (this.#frame) return;
    const run = () => {
      this.#frame = 0;
      this.sync();
    };
    this.#frame = document.hidden ? setTimeout(run, 100) : requestAnimationFrame(run);
  }

  atBottom() {
    return this.#anchor === null;
  }

  toBottom() {
    this.#anchor = null;
    this.#lastTop = this.parts.scroller.scrollTop; // wherever that was, it is left
    this.sync();
  }

  // farFromBottom tells whether more than a screen is below.
  farFromBottom() {
    const { scroller } = this.parts;
    return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight > scroller.clientHeight;
  }

  // firstVisible is the ID of the message at the top edge, or ''.
  firstVisible() {
    return this.#anchor?.id ?? this.#heights.id(this.#from) ?? '';
  }

  rowOf(id) {
    return this.#rows.get(id)?.node ?? null;
  }

  // jump shows a message that is in the timeline, and points at it.
  jump(id) {
    this.#hold(id, this.parts.scroller.clientHeight * 0.3);
    const row = this.rowOf(id);
    if (!row) return;
    row.removeAttribute('data-found');
    void row.offsetWidth; // so that pointing at it twice is seen twice
    row.setAttribute('data-found', '');
    row.focus({ preventScroll: true });
  }

  // sync makes the elements agree with the messages.
  sync() {
    if (this.#hidden()) return;
    this.#noticeScroll();
    const { messages } = this.timeline;
    this.#heights.lay(messages.map((message) => message.id));
    for (let round = 0; round < rounds; round++) {
      this.#fill(messages);
      if (!this.#measure()) break;
      this.#heights.layAgain();
    }
    this.#place();
    this.moved();
  }

  // While something else is shown in its place, nothing can be measured.
  #hidden() {
    return this.parts.scroller.clientHeight === 0;
  }

  // range decides which rows to have: the screen, and as much above and below.
  #range() {
    const view = this.parts.scroller.clientHeight;
    const top = this.#wantedTop() - this.parts.lead.offsetHeight;
    const margin = Math.max(view, 600);
    if (this.#heights.count === 0) return [0, 0];
    return [this.#heights.at(top - margin), this.#heights.at(top + view + margin) + 1];
  }

  #wantedTop() {
    const { scroller, lead } = this.parts;
    const highest = lead.offsetHeight + this.#heights.total - scroller.clientHeight;
    if (this.#anchor === null) return highest;
    const index = Math.min(this.timeline.place(this.#anchor.id), this.#heights.count - 1);
    return lead.offsetHeight + this.#heights.top(Math.max(0, index)) - this.#anchor.offset;
  }

  #fill(messages) {
    [this.#from, this.#to] = this.#range();
    const wanted = new Set(messages.slice(this.#from, this.#to).map((message) => message.id));
    for (const id of [...this.#rows.keys()]) if (!wanted.has(id)) this.#drop(id);
    let here = this.parts.feed.firstChild;
    for (let i = this.#from; i < this.#to; i++) {
      const { node } = this.#row(messages, i);
      if (node === here) here = here.nextSibling;
      else this.parts.feed.insertBefore(node, here);
    }
  }

  #row(messages, i) {
    const message = messages[i];
    const place = placeOf(message, messages[i - 1], { isFirst: !this.timeline.more, unreadAfter: this.unreadFrom() });
    let row = this.#rows.get(message.id);
    if (!row) {
      const content = h('div', { class: 'message-content' });
      row = { node: h('article', { class: 'message', tabindex: '-1', 'data-id': message.id }, content), content, shown: null };
      this.#rows.set(message.id, row);
      this.#resizes.observe(row.node);
    }
    const thread = this.store.channels.get(message.thread)?.messages;
    const shown = [message, this.store.marks(message.id), this.store.version, thread, place.head, place.unread, place.day?.getTime()];
    if (row.shown?.every((value, at) => value === shown[at])) return row;
    row.shown = shown;
    row.node.setAttribute('aria-label', label(message, this.store));
    row.node.toggleAttribute('data-mentioned', Boolean(message.mentionsYou));
    row.node.toggleAttribute('data-only-you', Boolean(message.onlyYou));
    const focused = row.content.contains(document.activeElement);
    morph(row.content, messageNodes(message, place, this.store));
    // What had the focus may be gone, such as a button that has been answered.
    if (focused && !row.content.contains(document.activeElement)) row.node.focus({ preventScroll: true });
    return row;
  }

  #drop(id) {
    const { node } = this.#rows.get(id);
    this.#rows.delete(id);
    this.#resizes.unobserve(node);
    // Focus must not fall back to the start of the page.
    if (node.contains(document.activeElement)) this.parts.scroller.focus({ preventScroll: true });
    node.remove();
  }

  // measure tells whether a row is not as high as it was taken to be.
  #measure() {
    let unexpected = false;
    for (const [id, { node }] of this.#rows) {
      if (this.#heights.measured(id, node.getBoundingClientRect().height)) unexpected = true;
    }
    return unexpected;
  }

  // place keeps the room of the rows that are not there, and scrolls to the anchor.
  #place() {
    const { scroller, above, below } = this.parts;
    above.style.height = `${this.#heights.top(this.#from)}px`;
    below.style.height = `${this.#heights.total - this.#heights.top(this.#to)}px`;
    const wanted = this.#anchor === null ? scroller.scrollHeight - scroller.clientHeight : this.#wantedTop();
    if (Math.abs(scroller.scrollTop - wanted) > 0.5) scroller.scrollTop = wanted;
    this.#lastTop = scroller.scrollTop;
    // Near an end the wish may be out of reach; then what is reached counts.
    if (Math.abs(this.#lastTop - wanted) > 1) this.#anchorHere();
  }

  #scrolled() {
    const moved = this.#noticeScroll();
    if (moved) this.soon();
  }

  // noticeScroll takes over where the reader has scrolled to.
  #noticeScroll() {
    if (Math.abs(this.parts.scroller.scrollTop - this.#lastTop) <= 1) return false;
    this.#anchorHere();
    return true;
  }

  #anchorHere() {
    const { scroller, lead } = this.parts;
    const top = scroller.scrollTop;
    this.#lastTop = top;
    if (this.#heights.count === 0 || scroller.scrollHeight - scroller.clientHeight - top <= nearBottom) {
      this.#anchor = null;
      return;
    }
    const index = this.#heights.at(top - lead.offsetHeight);
    this.#anchor = { id: this.#heights.id(index), offset: lead.offsetHeight + this.#heights.top(index) - top };
  }

  #hold(id, offset) {
    this.#anchor = { id, offset };
    this.#lastTop = this.parts.scroller.scrollTop;
    this.sync();
  }

  // A row can change by itself, for example when its picture has been loaded. The
  // position is kept at once; which rows are needed is decided with the next frame.
  #resized(entries) {
    if (this.#hidden()) return;
    const width = this.parts.scroller.clientWidth;
    if (width !== this.#width) {
      this.#width = width;
      this.#heights.forget();
    }
    const changed = this.#measure();
    const frame = entries.some(({ target }) => target === this.parts.scroller || target === this.parts.lead);
    if (!changed && !frame) return;
    this.#heights.layAgain();
    this.#place();
    this.soon();
  }

  // The arrow keys go from message to message, Home and End to the ends.
  #key(event) {
    const { scroller } = this.parts;
    const message = document.activeElement?.closest('.message');
    if (event.target !== scroller && event.target !== message) return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const last = this.#heights.count - 1;
    const at = message ? this.timeline.place(message.dataset.id) : this.#lastVisible() + 1;
    const to = { ArrowUp: at - 1, ArrowDown: message ? at + 1 : last, Home: 0, End: last }[event.key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.#focus(Math.max(0, Math.min(to, last)));
  }

  #lastVisible() {
    const { scroller, lead } = this.parts;
    return this.#heights.at(scroller.scrollTop + scroller.clientHeight - lead.offsetHeight - 1);
  }

  #focus(index) {
    const { scroller, lead } = this.parts;
    const id = this.#heights.id(index);
    const top = lead.offsetHeight + this.#heights.top(index) - scroller.scrollTop;
    const room = scroller.clientHeight - this.#heights.height(index);
    if (index === this.#heights.count - 1) this.toBottom();
    else if (top < 0) this.#hold(id, 8);
    else if (top > room) this.#hold(id, Math.max(8, room - 8));
    this.rowOf(id)?.focus({ preventScroll: true });
  }
}

// firstUnread returns the ID of the first message after one that was read, unless
// it is one's own.
export function firstUnread(timeline, lastRead, me) {
  const next = timeline.messages.find((message) => compareIDs(message.id, lastRead) > 0 && message.author.id !== me);
  return next?.id ?? null;
}
