// actions.js does what a click on a message means. The elements say it as data-do;
// errors are shown in the message that was clicked.
import { ask } from './dialog.js';
import { icon } from './dom.js';
import { pickEmoji } from './emoji.js';
import { plain } from './rich.js';
import { compareIDs } from './text.js';
import { messageAddress } from './urls.js';

export class Actions {
  #picking = false; // a form is on its way

  constructor({ store, session, list, composer }) {
    Object.assign(this, { store, session, list, composer });
    store.on('arrived', (message) => this.#forgetNote(message));
  }

  // listen handles clicks, and Enter and Space on what is no button by itself.
  listen(scroller) {
    scroller.addEventListener('click', (event) => this.#handle(event));
    scroller.addEventListener('keydown', (event) => {
      if ((event.key === 'Enter' || event.key === ' ') && event.target.matches('[role=button]')) this.#handle(event);
    });
  }

  #handle(event) {
    const target = event.target.closest('[data-do]');
    const row = target?.closest('.message');
    if (!row) return;
    const message = this.store.timeline().find(row.dataset.id);
    const action = this.#actions[target.dataset.do];
    // A link that is opened elsewhere is the browser's business.
    const elsewhere = target.matches('a') && (event.ctrlKey || event.metaKey || event.shiftKey);
    if (!message || !action || elsewhere) return;
    event.preventDefault();
    action(message, target);
  }

  #actions = {
    reveal: (_, target) => target.toggleAttribute('data-open'),
    copy: (_, target) => copy(target),
    jump: (message, target) => this.jump(message, target.dataset.to, target.dataset.channel),
    link: (message, target) => this.#link(message, target),
    leave: (message) => this.#try(message, () => this.session.remove(message.channel, message.id)),
    dismiss: (message) => this.store.setMarks(message.channel, message.id, { note: '', error: '' }),
    toggle: (message, target) => this.#toggle(message, target.dataset.emoji),
    react: (message, target) => this.#react(message, target),
    vote: (message, target) => this.#vote(message, Number(target.dataset.answer)),
    press: (message, target) => this.#press(message, target.dataset.button),
    pick: (message, target) => this.#pick(message, target.dataset.entry),
    reply: (message) => this.composer.reply(message),
    edit: (message) => this.composer.edit(message),
    delete: (message) => this.#delete(message),
    thread: (message) => this.#thread(message),
  };

  // jump goes to another message, however old it is, and to another channel for it.
  async jump(message, to, channel = message.channel) {
    await this.session.open(channel);
    if (await this.session.find(channel, to)) this.list.jump(to);
    else if (this.store.open === channel) this.#fail(message, new Error('that message is not there any more'));
  }

  #toggle(message, emoji) {
    const mine = (message.reactions ?? []).some((reaction) => reaction.emoji === emoji && reaction.mine);
    return this.#try(message, () => this.session.react(message.channel, message.id, emoji, !mine));
  }

  async #react(message, target) {
    const emoji = await pickEmoji(target);
    if (emoji) await this.#try(message, () => this.session.react(message.channel, message.id, emoji, true));
  }

  // A second click on an answer takes the vote back.
  #vote(message, answer) {
    const mine = Boolean(message.poll?.answers[answer - 1]?.mine);
    return this.#try(message, () => this.session.vote(message.channel, message.id, answer, !mine));
  }

  async #press(message, button) {
    const { channel, id } = message;
    const { me } = this.store;
    if (this.store.marks(id)?.pressing) return;
    this.store.setMarks(channel, id, { pressing: button, note: '', error: '' });
    await this.#try(message, async () => {
      const before = this.store.timeline(channel).newest()?.id ?? '';
      const { text } = await this.session.press(channel, id, button);
      if (text && this.store.me?.id === me.id && !this.#heard(channel, before, text)) this.store.setMarks(channel, id, { note: text });
    });
    this.store.setMarks(channel, id, { pressing: '' });
  }

  // What only you see may also have come as a message of its own.
  #heard(channel, after, text) {
    const { messages } = this.store.timeline(channel);
    return messages.some((message) => message.onlyYou && message.content === text && compareIDs(message.id, after) > 0);
  }

  // forgetNote takes back a note when the same words come as a message.
  #forgetNote(arrived) {
    if (!arrived.onlyYou) return;
    for (const { id } of this.store.timeline(arrived.channel).messages) {
      if (this.store.marks(id)?.note === arrived.content) this.store.setMarks(arrived.channel, id, { note: '' });
    }
  }

  // pick chooses an entry of the bot. What it wants to know is asked in a dialog.
  async #pick(message, entry) {
    if (this.#picking) return;
    this.#picking = true;
    await this.#try(message, async () => {
      const { form } = await this.session.pick(message.channel, message.id, entry);
      if (form) this.#fillIn(message, form);
    });
    this.#picking = false;
  }

  #fillIn(message, { id, title, fields }) {
    return ask({
      title,
      text: this.#quote(message),
      fields: fields.map((field) => ({ name: field.id, label: field.label, limit: field.longest || null, lines: 4, required: field.required })),
      confirm: 'Submit',
      run: (values) => this.session.submit(message.channel, id, values),
    });
  }

  #quote(message) {
    const words = plain(message.content, this.store.names).slice(0, 140);
    return words ? `“${words}”` : 'It has no text.';
  }

  #delete(message) {
    return ask({
      title: 'Delete this message?',
      text: this.#quote(message),
      confirm: 'Delete',
      danger: true,
      run: () => this.session.remove(message.channel, message.id),
    });
  }

  #thread(message) {
    return ask({
      title: 'Start a thread',
      fields: [{ name: 'name', label: 'Name of the thread', value: plain(message.content, this.store.names).slice(0, 60), limit: 100 }],
      confirm: 'Start',
      run: async ({ name }) => {
        const thread = await this.session.startThread(message.channel, { name, message: message.id });
        this.session.open(thread.id);
      },
    });
  }

  // link copies the link of a message, as commands such as !why take it.
  async #link(message, target) {
    const guild = this.store.channels.get(message.channel)?.kind === 'dm' ? '' : this.store.guild.id;
    try {
      await navigator.clipboard.writeText(messageAddress(guild, message.channel, message.id));
    } catch {
      this.#fail(message, new Error('the browser does not let this page copy anything'));
      return;
    }
    const say = (shape, words) => {
      target.replaceChildren(icon(shape));
      target.ariaLabel = words;
    };
    say('done', 'Copied');
    setTimeout(() => say('link', target.title), 1500);
  }

  async #try(message, run) {
    try {
      await run();
    } catch (error) {
      this.#fail(message, error);
    }
  }

  #fail(message, error) {
    this.store.setMarks(message.channel, message.id, { error: error.message });
  }
}

async function copy(target) {
  const code = target.closest('.code-block').querySelector('code').textContent;
  try {
    await navigator.clipboard.writeText(code);
    target.textContent = 'Copied';
  } catch {
    target.textContent = 'Not allowed';
  }
  setTimeout(() => (target.textContent = 'Copy'), 1500);
}
