// tools.js is the small bar of things to do with a message. There is one bar, and
// it moves to the message that the pointer or the focus is at.
import { h, iconButton } from './dom.js';

export class Tools {
  #bar = h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Do something with this message' });

  constructor(store, scroller, commands) {
    Object.assign(this, { store, commands });
    scroller.addEventListener('pointerover', (event) => this.#near(event.target));
    scroller.addEventListener('focusin', (event) => this.#near(event.target));
    scroller.addEventListener('pointerleave', () => this.#leave());
    this.#bar.addEventListener('keydown', (event) => this.#key(event));
    store.on('onMessages', () => this.#refresh());
  }

  #near(target) {
    const row = target.closest('.message');
    // The bar must not run away from somebody who uses it with the keyboard.
    if (!row || this.#bar.parentNode === row || this.#bar.contains(document.activeElement)) return;
    const message = this.store.timeline().find(row.dataset.id);
    if (!message || message.system || message.onlyYou) {
      this.#bar.remove();
      return;
    }
    this.#bar.replaceChildren(...this.#buttons(message));
    row.append(this.#bar);
  }

  // refresh builds the bar again, unless the focus is in it and would be lost.
  #refresh() {
    const row = this.#bar.parentNode;
    if (!row || this.#bar.contains(document.activeElement)) return;
    this.#bar.remove();
    this.#near(row);
  }

  #leave() {
    if (!this.#bar.parentNode?.contains(document.activeElement)) this.#bar.remove();
  }

  #buttons(message) {
    const channel = this.store.channel();
    const { me } = this.store;
    const mine = message.author.id === me.id;
    const mayThread = channel.canSend && !message.thread && ['text', 'announcement'].includes(channel.kind);
    return [
      iconButton('smile', 'Add a reaction', { 'data-do': 'react' }),
      channel.canSend && iconButton('reply', 'Reply', { 'data-do': 'reply' }),
      mayThread && iconButton('thread', 'Start a thread', { 'data-do': 'thread' }),
      iconButton('link', 'Copy the link of this message', { 'data-do': 'link' }),
      ...this.commands.onMessages(channel.id).map((entry) => iconButton({ 'Delete answer': 'delete' }[entry] ?? 'spark', entry, { 'data-do': 'pick', 'data-entry': entry })),
      mine && iconButton('edit', 'Edit', { 'data-do': 'edit' }),
      (mine || me.owner) && iconButton('delete', 'Delete', { 'data-do': 'delete' }),
    ].filter(Boolean);
  }

  #key(event) {
    const all = [...this.#bar.children];
    const at = all.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1 }[event.key];
    if (event.key === 'Escape') {
      event.stopPropagation();
      this.#bar.parentNode.focus();
    } else if (to !== undefined) {
      event.preventDefault();
      all[(to + all.length) % all.length].focus();
    }
  }
}
