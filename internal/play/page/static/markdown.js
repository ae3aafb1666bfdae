// markdown.js reads the blocks of a message the way Discord does: quotes,
// headings, lists, code, and paragraphs whose line breaks count. The result is a
// tree of plain objects; rich.js makes elements of it.
//
// Blocks are { kind: 'paragraph' | 'heading' | 'subtext' | 'quote' | 'list' | 'code', … }.
import { inline } from './inline.js';

const headingLine = /^(#{1,3}) +(\S.*)$/;
const subtextLine = /^-# +(\S.*)$/;
const itemLine = /^( *)([-*]|\d{1,9}\.) +(\S.*)$/;
const deepestList = 8;

// parse reads a whole text.
export function parse(text) {
  return new Reader(String(text)).blocks();
}

class Reader {
  constructor(text, quoted = false) {
    this.text = text;
    this.quoted = quoted; // Discord knows no quote within a quote
    this.at = 0; // always at the start of a line, or behind a code block
    this.plain = ''; // lines that belong to the paragraph being read
    this.out = [];
  }

  blocks() {
    while (this.at < this.text.length) {
      const line = this.line();
      if (!(this.quote(line) || this.heading(line) || this.list(line) || this.code(line))) {
        this.plain += line + '\n';
        this.next(line);
      }
    }
    this.endParagraph();
    return this.out;
  }

  line() {
    const end = this.text.indexOf('\n', this.at);
    return this.text.slice(this.at, end < 0 ? this.text.length : end);
  }

  next(line) {
    this.at += line.length + 1;
  }

  add(block) {
    this.endParagraph();
    this.out.push(block);
    return true;
  }

  // The breaks next to another block are not shown: blocks stand on their own lines.
  endParagraph() {
    const text = withoutBreaks(this.plain);
    this.plain = '';
    if (text) this.out.push({ kind: 'paragraph', children: inline(text) });
  }

  quote(line) {
    if (this.quoted) return false;
    let inner = null;
    if (line.startsWith('>>> ')) {
      inner = this.text.slice(this.at + 4);
      this.at = this.text.length;
    } else {
      const lines = [];
      for (; line.startsWith('> ') && this.at < this.text.length; line = this.line()) {
        lines.push(line.slice(2));
        this.next(line);
      }
      if (lines.length > 0) inner = lines.join('\n');
    }
    return inner !== null && this.add({ kind: 'quote', children: new Reader(inner, true).blocks() });
  }

  heading(line) {
    const heading = headingLine.exec(line);
    const subtext = subtextLine.exec(line);
    if (!heading && !subtext) return false;
    this.next(line);
    if (heading) return this.add({ kind: 'heading', level: heading[1].length, children: inline(heading[2]) });
    return this.add({ kind: 'subtext', children: inline(subtext[1]) });
  }

  list(line) {
    const items = [];
    for (; this.at < this.text.length; line = this.line()) {
      const item = itemLine.exec(line);
      if (item) items.push({ indent: item[1].length, mark: item[2], text: item[3] });
      else if (items.length > 0 && /^ {2,}\S/.test(line)) items.at(-1).text += '\n' + line.trim();
      else break;
      this.next(line);
    }
    return items.length > 0 && this.add(listOf(items, 1));
  }

  // A fence may begin and end within a line. One that never ends is just text.
  code(line) {
    const open = line.indexOf('```');
    if (open < 0 || line[open - 1] === '\\') return false;
    const from = this.at + open + 3;
    const close = this.text.indexOf('```', from);
    const inner = this.text.slice(from, Math.max(from, close));
    if (inner.trim() === '') return false;
    this.plain += line.slice(0, open);
    const [, language = '', content] = /^(?:([\w+.#-]{1,32})(?=\n\s*\S))?\n*([^]*?)\n*$/.exec(inner);
    this.at = close + 3;
    if (this.text[this.at] === '\n') this.at++;
    return this.add({ kind: 'code', language, text: content });
  }
}

// listOf makes a tree of items by how far they are indented.
function listOf(items, depth) {
  const ordered = /\d/.test(items[0].mark);
  const list = { kind: 'list', ordered, start: ordered ? parseInt(items[0].mark, 10) : 1, items: [] };
  const base = items[0].indent;
  for (let i = 0; i < items.length; ) {
    const below = items.slice(i + 1).findIndex((item) => item.indent <= base || depth >= deepestList);
    const end = below < 0 ? items.length : i + 1 + below;
    const children = inline(items[i].text);
    if (end > i + 1) children.push(listOf(items.slice(i + 1, end), depth + 1));
    list.items.push(children);
    i = end;
  }
  return list;
}

// withoutBreaks takes off line breaks at both ends, in one look at each.
function withoutBreaks(text) {
  let from = 0;
  let to = text.length;
  while (from < to && text[from] === '\n') from++;
  while (to > from && text[to - 1] === '\n') to--;
  return text.slice(from, to);
}
