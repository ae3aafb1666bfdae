// commands.js knows the bot's slash commands: which there are in a channel, and what
// might be meant while somebody types one. It also knows the bot's entries in the
// menus of messages.
export class Commands {
  #known = new Map(); // channel → its commands
  #onMessages = new Map(); // channel → the entries in the menus of its messages

  constructor(store, session) {
    this.store = store;
    this.session = session;
    // Who types fast does not wait for the list.
    store.on('open', () => this.#load(store.open).catch(() => {}));
  }

  // offer is a source of complete.js. The bot may have other commands by now, so
  // whoever begins to type one has them loaded again.
  offer(before) {
    if (!/^\/[^\n]*$/.test(before)) return null;
    const channel = this.store.open;
    const known = before === '/' ? null : this.#known.get(channel);
    if (known) return this.#fitting(known, channel, before);
    return this.#load(channel).then((commands) => this.#fitting(commands, channel, before), () => null);
  }

  // isOne tells whether a text is meant for the bot alone. One that only looks like
  // a command is a message, as on Discord.
  async isOne(channel, text) {
    if (!text.startsWith('/')) return false;
    const [first] = text.split(/\s/, 1);
    const has = (commands) => commands.some(({ name }) => name.startsWith(`${first} `));
    // The list may be of a time before the bot had offered its command.
    return has(this.#known.get(channel) ?? []) || has(await this.#load(channel));
  }

  // onMessages are the entries in the menus of messages. While there are none, they are
  // loaded again: the bot may have started meanwhile.
  onMessages(channel) {
    const entries = this.#onMessages.get(channel) ?? [];
    if (entries.length === 0) this.#load(channel).catch(() => {});
    return entries;
  }

  async #load(channel) {
    const { commands, onMessages } = await this.session.commands(channel);
    this.#known.set(channel, commands);
    const changed = String(onMessages) !== String(this.#onMessages.get(channel) ?? []);
    this.#onMessages.set(channel, onMessages);
    if (changed) this.store.emit('onMessages');
    return commands;
  }

  #fitting(commands, channel, before) {
    const command = commands.find(({ name }) => before.startsWith(`${name} `));
    return command ? this.#options(command, channel, before) : named(commands, before.slice(1).toLowerCase());
  }

  #options(command, channel, before) {
    const here = optionAt(command, before);
    if (!here) return { hint: `${command.name} takes nothing more.`, found: [] };
    const { option, from, end, rest } = here;
    const typed = before.slice(from).toLowerCase();
    const offer = (texts) => ({
      label: option.name,
      hint: `${option.name}: ${option.summary}${option.required ? '' : ' Optional.'}`,
      from,
      found: texts.map((name) => ({ name, text: name + end, enough: !rest.some(({ required }) => required) })),
      marked: option.required || typed !== '',
    });
    if (!option.suggests) return offer(option.choices.filter((choice) => choice.toLowerCase().includes(typed)));
    // Without an answer, people still know what the option is for.
    return this.session.suggest(channel, before).then(({ suggestions }) => offer(suggestions), () => offer([]));
  }
}

// named are the commands that have in their name what was typed, best first.
function named(commands, typed) {
  const rank = ({ name }) => name.slice(1).toLowerCase().indexOf(typed);
  const found = commands.filter((one) => rank(one) >= 0).sort((a, b) => rank(a) - rank(b));
  if (found.length === 0) return null;
  return {
    label: 'Commands',
    from: 0,
    found: found.map(({ name, summary, options }) => ({
      kind: 'command', name, note: summary, text: options.length > 0 ? `${name} ` : name, enough: !options.some(({ required }) => required),
    })),
  };
}

// optionAt is the option in which the text ends: there is a word for each, and the
// last one has all that is left.
function optionAt({ name, options }, before) {
  let from = name.length;
  for (const [at, option] of options.entries()) {
    while (before[from] === ' ') from++;
    const rest = options.slice(at + 1);
    const space = before.indexOf(' ', from);
    if (rest.length === 0 || space < 0) return { option, from, rest, end: rest.length > 0 ? ' ' : '' };
    from = space;
  }
  return null;
}
