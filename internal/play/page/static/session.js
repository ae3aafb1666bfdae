// session.js connects the store to the server: it listens to the events, loads
// what is shown, and sends what people do. Errors are thrown to whoever asked,
// who shows them next to what caused them.
import { Api } from './api.js';
import { Stream } from './stream.js';
import { firstOpen } from './tree.js';
import { compareIDs } from './text.js';
import { channelAddress, channelAt } from './urls.js';

const pageSize = 50;
const largePage = 100;
const farthestSearch = 200; // pages; a search for a message ends somewhere
const patience = 50; // milliseconds; changes come in groups
const retryWorld = 2000;

export class Session {
  #api = null;
  #stream = null;
  #loads = new Map(); // channel → messages that changed while it was loaded; null for gone
  #listening = false; // the stream of events is open
  #outdated = false; // a channel changed while the world was loaded
  #reload = null; // timer
  #clockLoads = 0; // an answer to an earlier one is out of date
  #botLoads = 0; // likewise
  #ready = () => {};
  #others = []; // as whom to try next when somebody may not speak

  constructor(store) {
    this.store = store;
    this.fallback = ''; // who speaks when somebody may not
    this.anchor = () => ''; // the oldest message that is on the screen
    addEventListener('hashchange', () => this.open(channelAt(location.hash)));
    addEventListener('online', () => this.#stream?.retry());
  }

  // begin speaks as somebody from now on. It ends when the world is there.
  begin(as) {
    return new Promise((resolve) => {
      this.#ready = resolve;
      this.#others = [this.fallback];
      this.#start(as);
    });
  }

  retry() {
    if (this.store.connection.state === 'refused') this.#start(this.fallback);
    else this.#stream.retry();
  }

  #start(as) {
    this.#stream?.close();
    this.#listening = false;
    clearTimeout(this.#reload);
    this.#loads.clear();
    this.store.forget();
    this.store.setConnection({ state: 'connecting' });
    const api = new Api(as);
    this.#api = api;
    this.#stream = new Stream((signal) => api.events(signal), {
      event: (name, data) => this.#event(name, data),
      lost: (pause) => this.#lost(pause),
      refused: (error) => this.#refused(error),
    });
  }

  // A person can be gone: somebody was removed, or the playground was started anew
  // and the same name has another ID.
  #refused(error) {
    const other = this.#others.shift();
    if (other) this.#start(other);
    else this.store.setConnection({ state: 'refused', reason: error.message });
  }

  #lost(pause) {
    this.#listening = false;
    this.store.setConnection({ state: 'lost', retryAt: Date.now() + pause });
  }

  #event(name, data) {
    if (name === 'channel' || name === 'channelGone') this.#outdated = true;
    if (name === 'hello') {
      this.#listening = true;
      this.#connected();
    } else if (this.store.me) {
      this.#apply(name, data); // what was before, the world will tell
    }
  }

  #apply(name, data) {
    switch (name) {
      case 'message':
        this.#loads.get(data.channel)?.set(data.id, data);
        return this.store.putMessage(data);
      case 'gone':
        this.#loads.get(data.channel)?.set(data.id, null);
        return this.store.removeMessage(data.channel, data.id);
      case 'channel':
        return this.store.putChannel(data);
      case 'channelGone':
        this.store.removeChannel(data.id);
        return this.#openIfNone();
      case 'typing':
        return this.store.setTyping(data.channel, data.name);
      case 'turn':
        this.loadClock(); // it may have made a job, or have been one
        return this.store.setTurn(data);
      case 'voice':
        return this.store.setLine(data);
      case 'silence':
        return this.store.setSilence(data);
      case 'clock':
        return this.loadClock();
      case 'bot':
        return this.loadBot();
      case 'world':
        return this.#reloadSoon(patience);
    }
  }

  // connected loads what is shown. The stream is open already, so nothing that
  // happens from here on is missed.
  async #connected() {
    if (!(await this.#loadWorld())) return;
    // A name can change while one speaks; an ID cannot.
    this.#api.as = this.store.me.id;
    this.#others = [this.store.me.name, this.fallback];
    this.store.dropTimelines(this.store.open);
    this.store.setConnection({ state: 'online' });
    this.loadBot();
    this.#ready();
    if (this.store.timeline().loaded && this.store.channel()) this.load(this.store.open);
    else this.open(this.store.open || channelAt(location.hash));
  }

  // loadWorld tells whether the world is there. It tries again by itself.
  async #loadWorld() {
    const api = this.#api;
    this.#outdated = false;
    try {
      const world = await api.world();
      if (api !== this.#api) return false;
      this.store.setWorld(world);
    } catch {
      if (api === this.#api) this.#reloadSoon(retryWorld);
      return false;
    }
    // A channel changed while the answer was on its way; which of the two is
    // newer cannot be told.
    if (this.#outdated) this.#reloadSoon(patience);
    return true;
  }

  #reloadSoon(pause) {
    clearTimeout(this.#reload);
    this.#reload = setTimeout(async () => {
      if (!this.#listening) return; // once it is again, everything is loaded
      if (this.store.connection.state !== 'online') await this.#connected();
      else if (await this.#loadWorld()) this.#openIfNone();
    }, pause);
  }

  #openIfNone() {
    if (!this.store.channels.has(this.store.open)) this.open('');
  }

  // open shows a channel; an unknown one is replaced by the first. It ends when its
  // messages are there.
  async open(id) {
    const { channels } = this.store;
    const channel = channels.get(id);
    const chosen = channel && channel.kind !== 'category' ? id : channels.has(this.store.open) ? this.store.open : firstOpen(channels);
    if (!chosen) return;
    if (channelAt(location.hash) !== chosen) history.replaceState(null, '', channelAddress(chosen));
    if (chosen === this.store.open && this.store.timeline().loaded) return;
    this.store.show(chosen);
    await this.load(chosen);
  }

  // load gets the newest messages of a channel, and as many older ones as are
  // needed to have what is on the screen.
  async load(id) {
    if (this.store.channels.get(id)?.kind === 'forum') return;
    const timeline = this.store.timeline(id);
    const needed = timeline.loaded && id === this.store.open ? this.anchor() : '';
    await this.#fetch(id, timeline, async (api) => {
      let page = await api.messages(id, { limit: pageSize });
      let messages = page.messages;
      while (needed && page.more && compareIDs(messages[0].id, needed) > 0) {
        page = await api.messages(id, { before: messages[0].id, limit: largePage });
        messages = page.messages.concat(messages);
      }
      return () => timeline.restart({ messages, more: page.more });
    });
  }

  // older gets the page of messages before the oldest that is known.
  async older(id = this.store.open) {
    const timeline = this.store.timeline(id);
    if (!timeline.loaded || !timeline.more || timeline.loading) return;
    await this.#fetch(id, timeline, async (api) => {
      const page = await api.messages(id, { before: timeline.oldest().id, limit: largePage });
      return () => timeline.prepend(page);
    });
  }

  // find loads older messages until one is there, and tells whether it is.
  async find(channel, message) {
    const timeline = this.store.timeline(channel);
    for (let pages = 0; pages < farthestSearch; pages++) {
      if (timeline.find(message)) return true;
      if (!timeline.more || timeline.error || channel !== this.store.open) return false;
      if (timeline.oldest() && compareIDs(timeline.oldest().id, message) < 0) return false;
      await this.older(channel);
    }
    return false;
  }

  // fetch runs one load of a channel. A later load replaces it, and an event that
  // arrives meanwhile is newer than the answer, so what it says is kept.
  async #fetch(id, timeline, load) {
    const changed = new Map();
    this.#loads.set(id, changed);
    timeline.loading = true;
    timeline.error = '';
    this.store.emit('timeline', id);
    const result = await load(this.#api).then((apply) => ({ apply }), (error) => ({ error }));
    if (this.#loads.get(id) !== changed) return;
    this.#loads.delete(id);
    timeline.loading = false;
    if (result.error) {
      timeline.error = result.error.message;
    } else {
      result.apply();
      for (const [message, now] of changed) now ? timeline.put(now) : timeline.remove(message);
    }
    this.store.emit('timeline', id);
  }

  // What people do.

  // send returns the message. The event about it usually comes before the answer
  // to the request; if it did not, the answer will do.
  async send(channel, draft, by = null) {
    const api = this.#as(by);
    const message = await api.send(channel, draft);
    if (api === this.#api && !this.store.timeline(channel).find(message.id)) this.store.putMessage(message);
    return message;
  }

  edit(channel, id, content) {
    return this.#api.edit(channel, id, content);
  }

  remove(channel, id) {
    return this.#api.remove(channel, id);
  }

  vote(channel, id, answer, on) {
    return this.#api.vote(channel, id, answer, on);
  }

  react(channel, id, emoji, on) {
    return this.#api.react(channel, id, emoji, on);
  }

  press(channel, id, button) {
    return this.#api.press(channel, id, button);
  }

  // pick chooses an entry of the bot from the menu of a message. The answer is the form that the bot shows.
  pick(channel, id, command) {
    return this.#api.pick(channel, id, command);
  }

  // submit sends a form that was filled in. What the bot says to it comes as a message.
  submit(channel, form, values) {
    return this.#api.submit(channel, form, values);
  }

  commands(channel) {
    return this.#api.commands(channel);
  }

  // run uses a slash command. What the bot says to it comes as a message.
  run(channel, command, by = null) {
    return this.#as(by).run(channel, command);
  }

  // as speaks once for another person.
  #as(by) {
    return by ? new Api(by.id) : this.#api;
  }

  suggest(channel, command) {
    return this.#api.suggest(channel, command);
  }

  // enterVoice enters a voice channel; without one, it leaves the one that one is in.
  enterVoice(channel) {
    return this.#api.enterVoice(channel);
  }

  // sayAloud says something in the call. It ends when it was said.
  sayAloud(text) {
    return this.#api.sayAloud(text);
  }

  async startThread(channel, thread) {
    const made = await this.#api.startThread(channel, thread);
    this.store.putChannel(made);
    return made;
  }

  // loadClock loads what time it is, and the jobs that go by it. One can play without.
  async loadClock() {
    const load = ++this.#clockLoads;
    const clock = await this.#api.clock().catch(() => null);
    if (clock && load === this.#clockLoads) this.store.setClock(clock);
  }

  async moveClock(to) {
    const load = ++this.#clockLoads;
    const clock = await this.#api.moveClock(to);
    if (load === this.#clockLoads) this.store.setClock(clock);
  }

  // loadBot loads how the bot is. What it knows of the clock's jobs is loaded when it is there.
  async loadBot() {
    const load = ++this.#botLoads;
    const bot = await this.#api.bot().catch(() => null);
    if (load === this.#botLoads) this.#setBot(bot);
  }

  // setAlive kills the bot, or starts it again.
  async setAlive(alive) {
    const load = ++this.#botLoads;
    const bot = await this.#api.setAlive(alive);
    if (load === this.#botLoads) this.#setBot(bot);
  }

  #setBot(bot) {
    if (bot) this.store.setBot(bot);
    if (this.store.bot.state === 'alive') this.loadClock();
  }

  // These are the same for everybody.

  ideas() {
    return new Api('').ideas();
  }

  about() {
    return new Api('').about();
  }

  troubles() {
    return new Api('').troubles();
  }

  setTroubles(troubles) {
    return new Api('').setTroubles(troubles);
  }

  models() {
    return new Api('').models();
  }

  chooseModel(choice) {
    return new Api('').chooseModel(choice);
  }
}
