// text.js turns values into words: names, sizes, times and sentences.
import { now } from './now.js';

const dayLength = 24 * 60 * 60 * 1000;
const clockFormat = new Intl.DateTimeFormat([], { hour: '2-digit', minute: '2-digit' });
const dayFormat = new Intl.DateTimeFormat([], { day: 'numeric', month: 'long', year: 'numeric' });
const fullFormat = new Intl.DateTimeFormat([], { dateStyle: 'full', timeStyle: 'short' });
const graphemes = new Intl.Segmenter();

// sentence makes a proper sentence of an error that the server wrote in lower case.
export function sentence(text) {
  const trimmed = String(text).trim();
  if (!trimmed) return '';
  const begun = trimmed[0].toUpperCase() + trimmed.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

// initials are what an avatar shows: one sign of each of the first two words.
export function initials(name) {
  const words = String(name).split(/[\s_.-]+/).filter(Boolean).slice(0, 2);
  const signs = words.map((word) => [...graphemes.segment(word)][0].segment);
  return signs.join('').toUpperCase() || '?';
}

// hue is the colour that belongs to an ID: always the same one of twelve. IDs that
// follow each other get colours that are far apart.
export function hue(id) {
  let sum = 7;
  for (const sign of String(id)) sum = (sum * 31 + sign.codePointAt(0)) % 9973;
  return ((sum * 7) % 12) * 30;
}

export const plural = (n, one, many) => `${n.toLocaleString()} ${n === 1 ? one : many}`;

export function size(bytes) {
  if (bytes < 1000) return plural(bytes, 'byte', 'bytes');
  if (bytes < 1e6) return `${(bytes / 1000).toFixed(bytes < 1e4 ? 1 : 0)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

export function duration(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

// compareIDs orders IDs by age. They are decimal numbers that are too large for a
// number of this language.
export function compareIDs(a, b) {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

export const clock = (time) => clockFormat.format(time);
export const fullTime = (time) => fullFormat.format(time);

// day names a day the way people do.
export function day(time, today = new Date(now())) {
  const ago = Math.round((midnight(today) - midnight(time)) / dayLength);
  if (ago === 0) return 'Today';
  if (ago === 1) return 'Yesterday';
  if (ago === -1) return 'Tomorrow';
  return dayFormat.format(time);
}

export const sameDay = (a, b) => midnight(a) === midnight(b);

// momentOf reads a time that came from the server; one that is none becomes now.
export function momentOf(text) {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? new Date(now()) : time;
}

const midnight = (time) => new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();
