// sidebar.js is the list of channels.
import { arrows, h, icon, rove } from './dom.js';
import { plural } from './text.js';
import { tree } from './tree.js';
import { morph } from './morph.js';
import { channelAddress } from './urls.js';

const mostThreads = 6; // below one channel; the forum itself lists all

export class Sidebar {
  constructor(store, container) {
    this.store = store;
    this.container = container;
    arrows(container, () => this.#links());
    store.on('channels', () => this.#show());
    store.on('open', () => this.#show());
  }

  // step opens the channel before or after the one that is open.
  step(by) {
    const links = this.#links();
    const at = links.findIndex((link) => link.hasAttribute('aria-current'));
    links[(at + by + links.length) % links.length]?.click();
  }

  #links() {
    return [...this.container.querySelectorAll('a')];
  }

  #show() {
    const groups = tree(this.store.channels);
    morph(this.container, groups.map((group) => this.#group(group)));
    const links = this.#links();
    const focused = links.find((link) => link === document.activeElement);
    rove(links, focused ?? links.find((link) => link.hasAttribute('aria-current')) ?? links[0]);
  }

  #group({ category, channels }) {
    return h('section', { class: 'channel-group', 'data-key': category?.id ?? 'loose', 'aria-label': category?.name ?? 'Channels' },
      category && h('h2', { class: 'category', dir: 'auto' }, category.name),
      h('ul', {}, channels.map(({ channel, threads }) => h('li', { 'data-key': channel.id },
        this.#link(channel),
        this.#inside(channel),
        this.#threads(channel, threads)))));
  }

  // inside are those who are in a voice channel.
  #inside({ inside = [] }) {
    if (inside.length === 0) return null;
    return h('ul', { class: 'channel-inside', 'aria-label': 'In the call' }, inside.map((id) => h('li', { 'data-key': id }, h('bdi', {}, this.store.people.get(id)?.name ?? 'somebody'))));
  }

  #threads(channel, threads) {
    const live = threads.filter((thread) => !thread.archived || thread.id === this.store.open);
    if (live.length === 0) return null;
    const shown = live.filter((thread, at) => at < mostThreads || thread.id === this.store.open || this.store.unread(thread.id));
    const hidden = live.length - shown.length;
    const more = h('a', { class: 'channel more', href: channelAddress(channel.id) }, `${hidden} more`);
    return h('ul', { class: 'channel-threads' },
      shown.map((thread) => h('li', { 'data-key': thread.id }, this.#link(thread))),
      hidden > 0 && channel.kind === 'forum' && h('li', {}, more));
  }

  #link(channel) {
    const { id, kind, name } = channel;
    const current = id === this.store.open;
    const unread = !current && this.store.unread(id);
    const mentions = current ? 0 : this.store.mentions(id);
    return h('a', {
      class: 'channel', href: channelAddress(id), title: name, 'aria-current': current ? 'page' : null, 'data-unread': unread,
    },
      kind !== 'thread' && icon(kind),
      h('bdi', { class: 'channel-name' }, name),
      unread && mentions === 0 && h('span', { class: 'sr-only' }, 'unread'),
      mentions > 0 && h('span', { class: 'count', 'aria-label': plural(mentions, 'mention', 'mentions') }, String(mentions)));
  }
}
