// store.js is what the page knows: the people, the channels, the messages that
// were loaded, and what was read. It is filled by session.js and told to the
// views, which listen to topics:
//
//   status    the connection is there, or gone
//   world     the server, its people or who speaks changed
//   channels  the list of channels or their unread marks changed
//   open      another channel is shown
//   timeline  messages changed; the detail is the channel's ID
//   arrived   a message is new; the detail is the message
//   typing, turn, clock
//   decided   a card has ended; the detail is its turn
//   silence   a message gets no answer; the detail says why
//   voice     something is said in a call; the detail is the line
//   bot       the bot's process died, or is there again
import { setAhead } from './now.js';
import { compareIDs } from './text.js';
import { Timeline } from './timeline.js';

const typingLasts = 10000; // as long as Discord shows it

export class Store {
  connection = { state: 'connecting' }; // or online, or lost with retryAt, or refused with reason
  guild = { id: '', name: '' };
  me = null;
  people = new Map();
  strangers = new Set(); // IDs of those whom the bot does not answer
  roles = new Map();
  channels = new Map();
  open = '';
  turn = null;
  clock = { aheadMs: 0, jobs: [] };
  bot = { own: false, state: 'alive', why: '', kept: [] };
  version = 0; // of the names and the days that messages may show

  #listeners = new Map();
  #timelines = new Map();
  #read = new Map(); // channel → the last message that was read
  #newest = new Map(); // channel → the newest message that was heard of
  #mentions = new Map(); // channel → how often one was named since
  #typing = new Map(); // channel → name → until when
  #marks = new Map(); // message → what only this page knows of it

  on(topic, listener) {
    if (!this.#listeners.has(topic)) this.#listeners.set(topic, []);
    this.#listeners.get(topic).push(listener);
  }

  emit(topic, detail) {
    for (const listener of this.#listeners.get(topic) ?? []) listener(detail);
  }

  // forget drops all that another person may not see.
  forget() {
    this.#timelines.clear();
    this.#read.clear();
    this.#newest.clear();
    this.#mentions.clear();
    this.#typing.clear();
    this.#marks = new Map([...this.#marks].filter(([, { silence }]) => silence).map(([id, { silence }]) => [id, { silence }]));
    this.channels.clear();
    this.me = null;
  }

  setConnection(connection) {
    this.connection = connection;
    this.emit('status');
  }

  setWorld({ guild, me, people, channels, roles = [] }) {
    const first = this.me === null;
    const before = this.channels;
    this.guild = guild;
    this.me = me;
    this.people = new Map(people.map((person) => [person.id, person]));
    this.roles = new Map(roles.map((role) => [role.id, role]));
    this.channels = new Map(channels.map((channel) => [channel.id, channel]));
    for (const channel of channels) {
      if (first) {
        this.#read.set(channel.id, channel.last ?? '');
        this.#newest.set(channel.id, channel.last ?? '');
      }
      // A message may have come while this answer was on its way.
      const last = before.get(channel.id)?.last ?? '';
      if (compareIDs(last, channel.last ?? '') > 0) channel.last = last;
    }
    this.version++;
    this.emit('world');
    this.emit('channels');
  }

  // Names for mentions; rich.js asks for them.
  names = {
    person: (id) => this.people.get(id)?.name ?? null,
    role: (id) => this.roles.get(id)?.name ?? null,
    channel: (id) => this.channels.get(id)?.name ?? null,
    guild: () => this.guild.id,
  };

  // nameOf prefers the name that a person has now over the one in an old message.
  nameOf(person) {
    return this.people.get(person.id)?.name ?? person.name ?? 'somebody';
  }

  channel() {
    return this.channels.get(this.open) ?? null;
  }

  timeline(id = this.open) {
    if (!this.#timelines.has(id)) this.#timelines.set(id, new Timeline());
    return this.#timelines.get(id);
  }

  // dropTimelines forgets all messages but those of one channel; after a gap
  // nobody knows what became of them.
  dropTimelines(except) {
    for (const id of this.#timelines.keys()) {
      if (id !== except) this.#timelines.delete(id);
    }
  }

  show(id) {
    this.open = id;
    this.emit('open');
    this.emit('channels');
  }

  putMessage(message) {
    const channel = this.channels.get(message.channel);
    const timeline = this.timeline(message.channel);
    const newest = this.#newest.get(message.channel) ?? '';
    const fresh = channel && compareIDs(message.id, newest) > 0 && !timeline.find(message.id);
    timeline.put(message);
    if (fresh) this.#arrived(channel, message);
    this.emit('timeline', message.channel);
  }

  #arrived(channel, message) {
    this.#newest.set(channel.id, message.id);
    if (compareIDs(message.id, channel.last ?? '') > 0) channel.last = message.id;
    this.#typing.get(channel.id)?.delete(message.author.name);
    if (message.author.id === this.me.id) this.#read.set(channel.id, message.id);
    else if (message.mentionsYou) this.#mentions.set(channel.id, this.mentions(channel.id) + 1);
    this.emit('typing');
    this.emit('arrived', message);
    this.emit('channels');
  }

  removeMessage(channel, id) {
    this.timeline(channel).remove(id);
    this.#marks.delete(id);
    this.emit('timeline', channel);
  }

  putChannel(channel) {
    const before = this.channels.get(channel.id);
    if (!before) this.#read.set(channel.id, '');
    if (before?.name !== channel.name) this.version++;
    this.channels.set(channel.id, channel);
    this.emit('channels');
    this.emit('timeline', this.open);
  }

  removeChannel(id) {
    this.channels.delete(id);
    this.#timelines.delete(id);
    this.version++;
    this.emit('channels');
    this.emit('timeline', this.open);
  }

  // Reading.

  lastRead(id) {
    return this.#read.get(id) ?? '';
  }

  markRead(id) {
    const last = this.channels.get(id)?.last ?? '';
    if (this.#read.get(id) === last && !this.#mentions.has(id)) return;
    this.#read.set(id, last);
    this.#mentions.delete(id);
    this.emit('channels');
  }

  unread(id) {
    const last = this.channels.get(id)?.last ?? '';
    return compareIDs(last, this.lastRead(id)) > 0;
  }

  mentions(id) {
    return this.#mentions.get(id) ?? 0;
  }

  // Typing.

  setTyping(channel, name) {
    if (!this.#typing.has(channel)) this.#typing.set(channel, new Map());
    this.#typing.get(channel).set(name, Date.now() + typingLasts);
    this.emit('typing');
  }

  // typing returns who writes here, and when the first of them would be over.
  typing(channel) {
    const all = [...(this.#typing.get(channel) ?? [])].filter(([name, until]) => until > Date.now() && name !== this.me?.name);
    return { names: all.map(([name]) => name), until: Math.min(...all.map(([, until]) => until)) };
  }

  // setTurn takes a turn that is over, or whose card is: then it may not be the last one any more.
  setTurn(turn) {
    if (!turn.decided || !this.turn || this.turn.turn === turn.turn) {
      this.turn = turn;
      this.emit('turn');
    }
    if (turn.decided) this.emit('decided', turn);
  }

  setClock(clock) {
    this.clock = clock;
    if (setAhead(clock.aheadMs)) {
      this.version++; // today is another day
      this.emit('timeline', this.open);
    }
    this.emit('clock');
  }

  setStrangers(ids) {
    this.strangers = new Set(ids);
    this.emit('world');
  }

  setBot(bot) {
    this.bot = bot;
    this.emit('bot');
  }

  setLine(line) {
    this.emit('voice', line);
  }

  // setSilence notes why a message gets no answer.
  setSilence({ channel, message, why }) {
    this.setMarks(channel, message, { silence: why });
    this.emit('silence', { channel, why });
  }

  // Marks are what only this page knows of a message: an answer that only you
  // see, an error, the button that was pressed and is not answered yet, why there is no answer.

  marks(id) {
    return this.#marks.get(id) ?? null;
  }

  setMarks(channel, id, marks) {
    this.#marks.set(id, { ...this.#marks.get(id), ...marks });
    this.emit('timeline', channel);
  }
}
