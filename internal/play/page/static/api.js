// api.js speaks to the playground. Every method returns what the server answered,
// or throws an ApiError whose message is a sentence for people.

class ApiError extends Error {
  // status is 0 when there was no answer at all.
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

const noAnswer = 'the playground does not answer; look whether it is still running';

export class Api {
  // as is the name or ID of the person who speaks.
  constructor(as) {
    this.as = as;
  }

  world() {
    return this.json('GET', '/api/world');
  }

  messages(channel, { before = '', limit = 50 } = {}) {
    return this.json('GET', messagesOf(channel), { query: { before, limit } });
  }

  send(channel, { content, replyTo = '', files = [] }) {
    const payload = { content, replyTo };
    if (files.length === 0) return this.json('POST', messagesOf(channel), { body: payload });
    const form = new FormData();
    form.append('payload', JSON.stringify(payload));
    for (const file of files) form.append('files', file, file.name);
    return this.json('POST', messagesOf(channel), { body: form });
  }

  edit(channel, message, content) {
    return this.json('PATCH', messageOf(channel, message), { body: { content } });
  }

  remove(channel, message) {
    return this.json('DELETE', messageOf(channel, message));
  }

  react(channel, message, emoji, on) {
    return this.json(on ? 'PUT' : 'DELETE', `${messageOf(channel, message)}/reactions/${encodeURIComponent(emoji)}`);
  }

  vote(channel, message, answer, on) {
    return this.json(on ? 'PUT' : 'DELETE', `${messageOf(channel, message)}/votes/${answer}`);
  }

  press(channel, message, button) {
    return this.json('POST', `${messageOf(channel, message)}/press`, { body: { button } });
  }

  pick(channel, message, command) {
    return this.json('POST', `${messageOf(channel, message)}/commands`, { body: { command } });
  }

  submit(channel, form, values) {
    return this.json('POST', `/api/channels/${encodeURIComponent(channel)}/forms`, { body: { form, values } });
  }

  startThread(channel, thread) {
    return this.json('POST', `/api/channels/${encodeURIComponent(channel)}/threads`, { body: thread });
  }

  commands(channel) {
    return this.json('GET', commandsOf(channel));
  }

  run(channel, command) {
    return this.json('POST', commandsOf(channel), { body: { command } });
  }

  suggest(channel, command) {
    return this.json('POST', `${commandsOf(channel)}/suggestions`, { body: { command } });
  }

  ideas() {
    return this.json('GET', '/api/ideas');
  }

  clock() {
    return this.json('GET', '/api/clock');
  }

  moveClock(to) {
    return this.json('POST', '/api/clock', { body: { to } });
  }

  models() {
    return this.json('GET', '/api/models');
  }

  chooseModel(choice) {
    return this.json('POST', '/api/models', { body: choice });
  }

  troubles() {
    return this.json('GET', '/api/trouble');
  }

  setTroubles(troubles) {
    return this.json('POST', '/api/trouble', { body: troubles });
  }

  bot() {
    return this.json('GET', '/api/bot');
  }

  setAlive(alive) {
    return this.json('POST', '/api/bot', { body: { alive } });
  }

  enterVoice(channel) {
    return this.json('POST', '/api/voice', { body: { channel } });
  }

  sayAloud(text) {
    return this.json('POST', '/api/voice/say', { body: { text } });
  }

  about() {
    return this.json('GET', '/api/about');
  }

  // events opens the stream of events and returns its body.
  async events(signal) {
    const response = await this.request('GET', '/api/events', { signal });
    return response.body;
  }

  async json(method, path, options) {
    const response = await this.request(method, path, options);
    if (response.status === 204) return null;
    try {
      return await response.json();
    } catch {
      throw new ApiError('the answer of the playground cannot be read', response.status);
    }
  }

  async request(method, path, { query = {}, body, signal } = {}) {
    const response = await this.fetch(method, this.address(path, query), body, signal);
    if (!response.ok) throw new ApiError(await reason(response), response.status);
    return response;
  }

  async fetch(method, address, body, signal) {
    // The header keeps other pages from speaking for this one: a browser lets no
    // foreign page set it.
    const headers = { 'X-Discoclaw': 'play' };
    const options = { method, headers, signal, cache: 'no-store' };
    if (body instanceof FormData) {
      options.body = body;
    } else if (body !== undefined) {
      headers['Content-Type'] = 'application/json';
      options.body = JSON.stringify(body);
    }
    try {
      return await fetch(address, options);
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      throw new ApiError(noAnswer, 0);
    }
  }

  address(path, query) {
    const parts = new URLSearchParams();
    if (this.as) parts.set('as', this.as);
    for (const [name, value] of Object.entries(query)) {
      if (value !== '') parts.set(name, value);
    }
    const text = parts.toString();
    return text ? `${path}?${text}` : path;
  }
}

const messagesOf = (channel) => `/api/channels/${encodeURIComponent(channel)}/messages`;
const commandsOf = (channel) => `/api/channels/${encodeURIComponent(channel)}/commands`;
const messageOf = (channel, message) => `${messagesOf(channel)}/${encodeURIComponent(message)}`;

async function reason(response) {
  const text = await response.text().catch(() => '');
  try {
    const { error } = JSON.parse(text);
    if (typeof error === 'string' && error) return error;
  } catch {
    // Only the guard of the key answers in plain words: the playground was started anew, with another key.
    if (response.status === 403 && text.length < 200) return text;
  }
  return `the playground refused with status ${response.status}`;
}
