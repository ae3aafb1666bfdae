// composer.js is where people write: the field, the files that go with it, and
// whether it is a new message, an answer or a change. What was typed is given back
// whenever it could not be sent.
import { h, icon, iconButton } from './dom.js';
import { Completion } from './complete.js';
import { Drafts } from './drafts.js';
import { fromWire, offerNames, toWire } from './mentions.js';
import { sentence, size } from './text.js';

const highest = 240; // pixels that the field may grow to

export class Composer {
  #drafts = new Drafts();
  #reply = null; // the message that is answered
  #editing = null; // the message that is changed

  // sent() is called after a message was sent.
  constructor(store, session, form, { sent, commands }) {
    Object.assign(this, { store, session, form, sent, commands });
    this.#build();
    this.#listen();
    store.on('open', () => this.#open());
    store.on('world', () => this.#show());
    store.on('channels', () => this.#show());
    store.on('bot', () => this.#show());
  }

  #build() {
    this.input = h('textarea', {
      id: 'writing', class: 'composer-input', rows: '1', enterkeyhint: 'send', 'aria-label': 'Write a message', 'aria-describedby': 'composer-error',
    });
    this.picker = h('input', { type: 'file', multiple: true, class: 'sr-only', tabindex: '-1', 'aria-hidden': 'true' });
    this.context = h('div', { class: 'composer-context', hidden: true });
    this.chips = h('ul', { class: 'chips', 'aria-label': 'Files to send', hidden: true });
    this.error = h('p', { class: 'error-line', id: 'composer-error', role: 'alert', hidden: true });
    this.attach = iconButton('attach', 'Attach files');
    this.submit = iconButton('send', 'Send', { type: 'submit', class: 'icon-button send' });
    this.silence = h('p', { class: 'composer-silence', role: 'status', hidden: true });
    this.foot = h('p', { class: 'composer-foot' });
    this.completion = new Completion(this.input, [
      (before) => (this.#editing ? null : this.commands.offer(before)),
      (before) => offerNames(before, this.store),
    ]);
    this.form.replaceChildren(
      this.completion.node, this.context,
      h('div', { class: 'composer-box' },
        this.chips,
        h('div', { class: 'composer-row' }, this.attach, this.picker, this.input, this.submit)),
      this.error, this.silence, this.foot);
  }

  #listen() {
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.input.addEventListener('keydown', (event) => this.#key(event));
    // Some keyboards send the sign apart from the key; the key has been dealt with.
    this.input.addEventListener('keypress', (event) => event.key === 'Enter' && !event.shiftKey && event.preventDefault());
    this.input.addEventListener('input', () => this.#typed());
    this.input.addEventListener('paste', (event) => {
      if (event.clipboardData.files.length === 0) return;
      event.preventDefault();
      this.addFiles(event.clipboardData.files);
    });
    this.attach.addEventListener('click', () => this.picker.click());
    this.picker.addEventListener('change', () => {
      this.addFiles(this.picker.files);
      this.picker.value = '';
    });
  }

  focus() {
    this.input.focus();
  }

  // setFoot shows a line below the field.
  setFoot(...content) {
    this.foot.replaceChildren(...content);
  }

  reply(message) {
    this.#leaveEdit();
    this.#reply = message;
    this.#showContext();
    this.focus();
  }

  edit(message) {
    this.#editing = message;
    this.#reply = null;
    this.#setText(fromWire(message.content, this.store));
    this.#showContext();
    this.focus();
  }

  addFiles(files) {
    if (!this.#mayWrite() || this.#editing) return;
    this.#drafts.setFiles(this.store.open, [...this.#drafts.files(this.store.open), ...files]);
    this.#showContext();
    this.focus();
  }

  // send sends a text that was not typed here, and leaves alone what was. by is the
  // person who says it, if that is another than the one who speaks.
  async send(text, by) {
    await this.#deliver(this.store.open, { text, files: [], by });
  }

  #mayWrite() {
    return Boolean(this.store.channel()?.canSend);
  }

  #open() {
    this.#editing = null;
    this.#reply = null;
    this.#fail('');
    this.#setText(this.#drafts.text(this.store.open));
    this.#show();
    this.#showContext();
  }

  // show says whether and where one can write here.
  #show() {
    const channel = this.store.channel();
    if (!channel) return;
    const { name, kind } = channel;
    const canSend = this.#mayWrite();
    this.form.toggleAttribute('data-closed', !canSend);
    this.input.disabled = !canSend;
    this.submit.disabled = !canSend;
    this.attach.disabled = !canSend || Boolean(this.#editing);
    const silence = this.#silence();
    this.silence.hidden = !silence;
    if (this.silence.textContent !== silence) this.silence.textContent = silence; // it is read out when it changes
    const place = kind === 'thread' || kind === 'dm' ? name : `#${name}`;
    this.input.placeholder = canSend ? `Write in ${place}` : `${this.store.me?.name ?? 'You'} may not write in ${place}`;
  }

  // silence says why there will be no answer for now.
  #silence() {
    const { me, bot } = this.store;
    if (me && this.store.strangers.has(me.id)) return `${me.name} is not on the bot’s list of people, so it says nothing to ${me.name}.`;
    return bot.state === 'dead' ? 'The bot is dead. What you write waits until it is started again.' : '';
  }

  // showContext says what the message is about, and what goes with it.
  #showContext() {
    this.attach.disabled = !this.#mayWrite() || Boolean(this.#editing);
    this.#showFiles();
    const about = this.#editing ?? this.#reply;
    this.context.hidden = !about;
    if (!about) return this.context.replaceChildren();
    const words = this.#editing ? ['Changing your message'] : ['Answering ', h('bdi', {}, this.store.nameOf(about.author))];
    this.context.replaceChildren(
      icon(this.#editing ? 'edit' : 'reply'), h('span', {}, words),
      iconButton('close', 'Cancel (Escape)', { on: { click: () => this.#cancel() } }));
  }

  #showFiles() {
    const files = this.#editing ? [] : this.#drafts.files(this.store.open);
    this.chips.hidden = files.length === 0;
    this.chips.replaceChildren(...files.map((file) => h('li', { class: 'chip' },
      icon('file'), h('bdi', { class: 'file-name' }, file.name), h('span', { class: 'file-size' }, size(file.size)),
      iconButton('close', `Take ${file.name} away`, { on: { click: () => this.#takeAway(file) } }))));
  }

  #takeAway(file) {
    this.#drafts.setFiles(this.store.open, this.#drafts.files(this.store.open).filter((other) => other !== file));
    this.#showContext();
    this.focus();
  }

  #key(event) {
    if (event.isComposing || this.completion.key(event)) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      this.#submit();
    } else if (event.key === 'Escape' && (this.#editing || this.#reply)) {
      event.stopPropagation();
      this.#cancel();
    } else if (event.key === 'ArrowUp' && this.input.value === '' && !this.#editing) {
      this.#editLast(event);
    }
  }

  #editLast(event) {
    const mine = this.store.timeline().messages.findLast((message) => message.author.id === this.store.me.id && !message.system);
    if (!mine) return;
    event.preventDefault();
    this.edit(mine);
  }

  #typed() {
    if (!this.#editing) this.#drafts.setText(this.store.open, this.input.value);
    this.#fail('');
    this.#fit();
  }

  #cancel() {
    this.#reply = null;
    this.#leaveEdit();
    this.#fail('');
    this.#showContext();
    this.focus();
  }

  #leaveEdit() {
    if (!this.#editing) return;
    this.#editing = null;
    this.#setText(this.#drafts.text(this.store.open));
  }

  async #submit() {
    const text = this.input.value.trim();
    if (!this.#mayWrite()) return;
    if (this.#editing) await this.#sendEdit(text);
    else if (text || this.#drafts.files(this.store.open).length > 0) await this.#sendNew(text);
  }

  async #sendEdit(text) {
    const message = this.#editing;
    if (!text) return this.#fail('a message cannot become empty; delete it instead');
    try {
      await this.session.edit(message.channel, message.id, toWire(text, this.store));
    } catch (error) {
      return this.#fail(error.message);
    }
    if (this.#editing === message) this.#cancel();
  }

  // The field is free for the next message at once. If this one cannot be sent, it
  // comes back in front of what was typed meanwhile.
  async #sendNew(text) {
    const channel = this.store.open;
    const files = this.#drafts.files(channel);
    const reply = this.#reply;
    this.#reply = null;
    this.#keep(channel, '', []);
    this.#fail('');
    try {
      await this.#deliver(channel, { text, reply, files });
    } catch (error) {
      const since = this.#drafts.text(channel);
      this.#keep(channel, since ? `${text}\n${since}` : text, [...files, ...this.#drafts.files(channel)]);
      if (this.store.open !== channel) return;
      this.#reply ??= reply;
      this.#showContext();
      this.#fail(error.message);
    }
  }

  async #deliver(channel, { text, reply, files, by }) {
    const content = toWire(text, this.store);
    if (!(await this.commands.isOne(channel, text))) {
      await this.session.send(channel, { content, replyTo: reply?.id ?? '', files }, by);
    } else if (files.length > 0) {
      throw new Error('a slash command takes no files; take them away first');
    } else {
      await this.session.run(channel, content, by);
    }
    this.sent();
  }

  // keep sets the draft of a channel, and the field if that channel is shown.
  #keep(channel, text, files) {
    this.#drafts.setText(channel, text);
    this.#drafts.setFiles(channel, files);
    if (this.store.open !== channel) return;
    if (!this.#editing) this.#setText(text);
    this.#showContext();
  }

  #fail(reason) {
    this.error.textContent = sentence(reason);
    this.error.hidden = !reason;
  }

  #setText(text) {
    this.input.value = text;
    this.completion.hide(); // it was about what stood there before
    this.#fit();
  }

  #fit() {
    this.input.style.height = 'auto';
    this.input.style.height = `${Math.min(this.input.scrollHeight, highest)}px`;
  }
}
