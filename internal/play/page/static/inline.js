// inline.js reads what stands within a line: emphasis, code, links, mentions.
//
// It goes through the text once per level of nesting and remembers which marks
// have no partner, so a text made to be slow to read is not.
//
// Nodes are strings, or { kind: 'strong' | 'em' | 'underline' | 'strike' |
// 'spoiler' | 'link', children, … }, or leaves: code, mention, emoji, time.
import { webAddress } from './urls.js';

const deepest = 10;
const word = /[\p{L}\p{N}]/u;
const angle = /<(?:@!?(\d+)|#(\d+)|@&(\d+)|a?:(\w+):\d+|t:(-?\d{1,13})(?::([tTdDfFR]))?|(https?:\/\/[^\s<>]+))>/y;
const bareLink = /https?:\/\/[^\s<>"`|[\]]+/iy;
const maskedLink = /\[([^\][]{1,300})\]\(<?(https?:\/\/[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*)>?\)/iy;
const everyone = /@(everyone|here)(?![\p{L}\p{N}_])/uy;
const codeSpan = /(`+)([^]*?[^`])\1(?!`)/y;

// pairs are the marks that stand around text. A mark is not closed where more of
// the same sign follows: in ***a***, the last two signs close the first two.
const pairs = [
  { mark: '**', kind: 'strong', not: '*' },
  { mark: '__', kind: 'underline', not: '_' },
  { mark: '~~', kind: 'strike', not: '~' },
  { mark: '||', kind: 'spoiler', not: '' },
];

// inline reads one run of text.
export function inline(text) {
  return new Scanner(text, 0, false).nodes();
}

class Scanner {
  constructor(text, depth, inLink) {
    this.text = text;
    this.depth = depth;
    this.inLink = inLink;
    this.at = 0;
    this.out = [];
    this.alone = new Set(); // marks that nothing further on closes
  }

  nodes() {
    while (this.at < this.text.length) {
      const node = this.node();
      if (node === null) this.plain(this.text[this.at++]);
      else this.out.push(node);
    }
    return this.out;
  }

  plain(sign) {
    if (sign === '') return;
    if (typeof this.out.at(-1) === 'string') this.out[this.out.length - 1] += sign;
    else this.out.push(sign);
  }

  // node reads what begins here, or returns null when it is an ordinary sign.
  node() {
    switch (this.text[this.at]) {
      case '\\':
        return this.escaped();
      case '`':
        return this.code();
      case '<':
        return this.bracketed();
      case '[':
        return this.masked();
      case '@':
        return this.take(everyone, (found) => ({ kind: 'mention', of: 'everyone', name: found[1] }));
      case 'h':
      case 'H':
        return this.bare();
      case '*':
      case '_':
      case '~':
      case '|':
        return this.pair() ?? this.emphasis();
      default:
        return null;
    }
  }

  // take reads a pattern at this place.
  take(pattern, make) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    const node = found && make(found);
    if (node) this.at += found[0].length;
    return node;
  }

  // A backslash before a sign is not shown and makes the sign an ordinary one.
  escaped() {
    if (/[!-/:-@[-`{-~]/.test(this.text[this.at + 1] ?? '')) this.at++;
    return null;
  }

  code() {
    if (this.alone.has('`')) return null;
    const node = this.take(codeSpan, (found) => ({ kind: 'code', text: found[2].trim() || found[2] }));
    if (node) return node;
    // A run without a partner is text as a whole.
    let end = this.at;
    while (this.text[end] === '`') end++;
    if (!this.text.includes('`', end)) this.alone.add('`');
    this.plain(this.text.slice(this.at, end - 1));
    this.at = end - 1;
    return null;
  }

  bracketed() {
    return this.take(angle, ([, person, channel, role, emoji, seconds, style, address]) => {
      if (person) return { kind: 'mention', of: 'person', id: person };
      if (channel) return { kind: 'mention', of: 'channel', id: channel };
      if (role) return { kind: 'mention', of: 'role', id: role };
      if (emoji) return { kind: 'emoji', name: emoji };
      if (seconds) return { kind: 'time', seconds: Number(seconds), style: style || 'f' };
      return this.link(address, [address], true);
    });
  }

  masked() {
    return this.take(maskedLink, ([, label, address]) => {
      // A label that reads like another address is a trap; it stays visible as it is.
      const looksLike = /^\s*(?:\w+:\/\/|www\.)/i.test(label);
      if (looksLike && webAddress(label) !== webAddress(address)) return null;
      return this.link(address, this.within(label, true));
    });
  }

  bare() {
    if (this.inLink || word.test(this.text[this.at - 1] ?? '')) return null;
    bareLink.lastIndex = this.at;
    const found = bareLink.exec(this.text);
    if (!found) return null;
    const address = withoutTail(found[0]);
    const node = this.link(address, [address], true);
    if (node) this.at += address.length;
    return node;
  }

  // A bare link has no other label than its address.
  link(address, children, bare = false) {
    const href = this.inLink ? null : webAddress(address);
    return href && { kind: 'link', href, bare, children };
  }

  pair() {
    for (const { mark, kind, not } of pairs) {
      if (!this.text.startsWith(mark, this.at) || this.alone.has(mark) || this.depth >= deepest) continue;
      const from = this.at + mark.length;
      const to = this.closing(mark, from, not);
      if (to < 0) {
        this.alone.add(mark);
        continue;
      }
      if (this.text.slice(from, to).trim() === '' && kind !== 'spoiler') continue;
      this.at = to + mark.length;
      return { kind, children: this.within(this.text.slice(from, to)) };
    }
    return null;
  }

  closing(mark, from, not) {
    for (let i = from; i < this.text.length; i++) {
      if (this.text[i] === '\\') i++;
      else if (i > from && this.text.startsWith(mark, i) && (!not || this.text[i + mark.length] !== not)) return i;
    }
    return -1;
  }

  // A single * or _ is emphasis if it touches what it stresses; a _ moreover must
  // not be part of a word, as in some_file_name.
  emphasis() {
    const sign = this.text[this.at];
    if ((sign !== '*' && sign !== '_') || this.alone.has(sign) || this.depth >= deepest) return null;
    const from = this.at + 1;
    if (/\s/.test(this.text[from] ?? ' ') || this.text[from] === sign) return null;
    if (sign === '_' && word.test(this.text[this.at - 1] ?? '')) return null;
    const to = this.emphasisEnd(sign, from);
    if (to < 0) {
      this.alone.add(sign);
      return null;
    }
    this.at = to + 1;
    return { kind: 'em', children: this.within(this.text.slice(from, to)) };
  }

  emphasisEnd(sign, from) {
    for (let i = from; i < this.text.length; i++) {
      if (this.text[i] === '\\') {
        i++;
        continue;
      }
      if (this.text[i] !== sign) continue;
      let run = 1;
      while (this.text[i + run] === sign) run++;
      const last = i + run - 1;
      const touches = !/\s/.test(this.text[i - 1]);
      const free = sign === '*' || !word.test(this.text[last + 1] ?? '');
      if (run !== 2 && touches && free) return last;
      i = last; // two signs belong to a pair inside
    }
    return -1;
  }

  within(text, inLink = this.inLink) {
    return new Scanner(text, this.depth + 1, inLink).nodes();
  }
}

// withoutTail cuts off the punctuation of the sentence that an address stands in. The
// brackets are counted once, since an address can be all brackets.
function withoutTail(address) {
  const opening = count(address, '(');
  let closing = count(address, ')');
  let end = address.length;
  for (; end > 0; end--) {
    const sign = address[end - 1];
    const closesOwn = sign === ')' && opening >= closing;
    if (!/[.,:;!?'*_~)\]]/.test(sign) || closesOwn) break;
    if (sign === ')') closing--;
  }
  return address.slice(0, end);
}

const count = (text, sign) => text.split(sign).length - 1;
