// moments.js shows moments that somebody wrote into a text, as <t:UNIX:STYLE>. Those
// that are told relative to now ("in 3 minutes") go on by themselves: once a second
// their words are looked at, and nothing else of the page is touched.
import { h } from './dom.js';
import { now } from './now.js';
import { clock, fullTime } from './text.js';

const secondsFormat = new Intl.DateTimeFormat([], { timeStyle: 'medium' });
const shortDate = new Intl.DateTimeFormat([], { dateStyle: 'short' });
const longDate = new Intl.DateTimeFormat([], { dateStyle: 'long' });
const longTime = new Intl.DateTimeFormat([], { dateStyle: 'long', timeStyle: 'short' });
const relativeFormat = new Intl.RelativeTimeFormat([], { numeric: 'auto' });
const units = [['second', 60], ['minute', 60], ['hour', 24], ['day', 30], ['month', 12], ['year', Infinity]];

// styles are Discord's.
const styles = {
  t: clock,
  T: (moment) => secondsFormat.format(moment),
  d: (moment) => shortDate.format(moment),
  D: (moment) => longDate.format(moment),
  f: (moment) => longTime.format(moment),
  F: fullTime,
  R: (moment) => relative(moment),
};

export function momentNode({ seconds, style }) {
  const moment = new Date(seconds * 1000);
  if (Number.isNaN(moment.getTime())) return h('span', {}, 'some time');
  return h('time', {
    class: 'moment', datetime: moment.toISOString(), title: fullTime(moment), 'data-relative': style === 'R',
  }, styles[style](moment));
}

// keepTime brings relative moments within a node up to date from now on.
export function keepTime(node) {
  setInterval(() => {
    for (const time of node.querySelectorAll('time[data-relative]')) {
      const words = relative(new Date(time.dateTime));
      if (time.textContent !== words) time.textContent = words;
    }
  }, 1000);
}

function relative(moment) {
  let amount = (moment.getTime() - now()) / 1000;
  for (const [unit, length] of units) {
    const whole = Math.round(amount);
    if (Math.abs(whole) < length) return relativeFormat.format(whole, unit);
    amount /= length;
  }
  return '';
}
