// conversation.js is the middle of the page: the messages of a channel, what stands
// above them, who is writing, and the way back to the newest.
import { byID, h, icon } from './dom.js';
import { firstUnread, MessageList } from './messages.js';
import { plural, sentence } from './text.js';
import { Tools } from './tools.js';

const nearTop = 3; // screens from the top at which older messages are loaded

export class Conversation {
  #missed = 0; // messages that came while the reader was further up
  #lineAt = null; // the last message that was read, until the first unread one is found
  #unreadFrom = null; // the first unread one
  #leadState = ''; // what the lead shows
  #typingTimer = 0;

  // chips() returns things to try, for an empty channel.
  constructor(store, session, { chips, commands }) {
    Object.assign(this, { store, session, chips });
    this.scroller = byID('scroller');
    this.lead = byID('lead');
    this.newer = byID('newer');
    const parts = { scroller: this.scroller, lead: this.lead, above: byID('above'), feed: byID('feed'), below: byID('below') };
    this.list = new MessageList(store, parts, {
      unreadFrom: () => this.#unreadFrom,
      moved: () => this.#moved(),
    });
    new Tools(store, this.scroller, commands);
    session.anchor = () => this.list.firstVisible();
    this.newer.addEventListener('click', () => this.toNewest());
    document.addEventListener('visibilitychange', () => this.#moved());
    store.on('open', () => this.#open());
    store.on('timeline', (id) => id === store.open && this.#changed());
    store.on('arrived', (message) => this.#arrived(message));
    store.on('typing', () => this.#showTyping());
    store.on('world', () => this.#changed());
  }

  toNewest() {
    this.list.toBottom();
  }

  #open() {
    const forum = this.store.channel()?.kind === 'forum';
    byID('forum').hidden = !forum;
    byID('conversation').hidden = forum;
    this.#missed = 0;
    this.#lineAt = this.store.unread(this.store.open) ? this.store.lastRead(this.store.open) : null;
    this.#unreadFrom = null;
    this.#findUnread();
    this.#showLead();
    this.list.show(this.store.timeline());
    this.#showTyping();
  }

  #findUnread() {
    const timeline = this.store.timeline();
    if (this.#lineAt === null || !timeline.loaded) return;
    this.#unreadFrom = firstUnread(timeline, this.#lineAt, this.store.me?.id);
    this.#lineAt = null;
  }

  #changed() {
    const timeline = this.store.timeline();
    this.#findUnread();
    if (this.list.timeline !== timeline) this.list.show(timeline);
    this.#showLead();
    this.list.soon();
  }

  #arrived(message) {
    if (message.channel !== this.store.open) return;
    if (message.author.id === this.store.me.id) this.#unreadFrom = null;
    else if (!this.list.atBottom()) this.#missed++;
  }

  // moved follows every change of position or content.
  #moved() {
    const timeline = this.store.timeline();
    const feed = byID('feed'), busy = String(timeline.loading);
    if (feed.getAttribute('aria-busy') !== busy) feed.setAttribute('aria-busy', busy); // each setting is an event for assistive technology
    if (this.list.atBottom()) {
      this.#missed = 0;
      if (!document.hidden && timeline.loaded) this.store.markRead(this.store.open);
    }
    if (timeline.more && !timeline.error && this.scroller.scrollTop < nearTop * this.scroller.clientHeight) this.session.older();
    this.#showNewer();
  }

  #showNewer() {
    this.newer.hidden = this.#missed === 0 && !this.list.farFromBottom();
    if (this.newer.hidden) return;
    const words = this.#missed > 0 ? plural(this.#missed, 'new message', 'new messages') : 'To the newest';
    this.newer.toggleAttribute('data-new', this.#missed > 0);
    if (this.newer.textContent !== words) this.newer.replaceChildren(words, icon('down'));
  }

  // The lead stands above the first message: that there are more, that loading
  // failed, or where the channel begins.
  #showLead() {
    const channel = this.store.channel();
    const { loaded, more, error, messages } = this.store.timeline();
    if (!channel) return;
    const empty = messages.length === 0;
    const state = [channel.id, channel.name, channel.canSend, loaded, more, error, empty].join('|');
    if (state === this.#leadState) return;
    this.#leadState = state;
    if (error) this.lead.replaceChildren(this.#problem(error));
    else if (!loaded || more) this.lead.replaceChildren(h('p', { class: 'lead-more' }, loaded ? 'Older messages…' : 'Loading…'));
    else this.lead.replaceChildren(this.#beginning(channel, empty));
  }

  // refreshLead shows the lead anew although the channel has not changed.
  refreshLead() {
    this.#leadState = '';
    this.#showLead();
  }

  #problem(error) {
    const again = () => (this.store.timeline().loaded ? this.session.older() : this.session.load(this.store.open));
    const button = h('button', { type: 'button', class: 'link', on: { click: again } }, 'Try again');
    return h('p', { class: 'lead-problem', role: 'alert' }, sentence(error), ' ', button);
  }

  #beginning(channel, empty) {
    const chips = empty && channel.canSend ? this.chips() : [];
    return h('div', { class: 'beginning' },
      h('span', { class: 'beginning-sign' }, icon(channel.kind)),
      h('h2', {}, h('bdi', {}, channel.name)),
      h('p', {},
        empty ? 'Nothing has been written here yet.' : 'This is where it begins.',
        chips.length > 0 && ' Ask the bot for something:'),
      chips.length > 0 && h('div', { class: 'idea-chips' }, chips));
  }

  #showTyping() {
    clearTimeout(this.#typingTimer);
    const { names, until } = this.store.typing(this.store.open);
    byID('typing').replaceChildren(...(names.length > 0 ? typingNodes(names) : []));
    if (names.length > 0) this.#typingTimer = setTimeout(() => this.#showTyping(), until - Date.now() + 1);
  }
}

function typingNodes(names) {
  const before = (at) => (at === 0 ? '' : at === names.length - 1 ? ' and ' : ', ');
  return [
    h('span', { class: 'dots', 'aria-hidden': 'true' }, h('i'), h('i'), h('i')),
    h('span', {}, names.map((name, at) => [before(at), h('bdi', {}, name)]), names.length === 1 ? ' is writing…' : ' are writing…'),
  ];
}
