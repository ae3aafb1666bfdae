// clock.js shows the playground's clock and the scheduled jobs that go by it, and moves
// it on. Until there is a job, there is nothing to show.
import { h, icon } from './dom.js';
import { momentNode } from './moments.js';
import { morph } from './morph.js';
import { now } from './now.js';
import { clock, day, momentOf, plural, sentence } from './text.js';

const timeFormat = new Intl.DateTimeFormat([], { weekday: 'short', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' });
const mostJobs = 5;
const punctual = 60000; // milliseconds; a run that begins later calls itself late
const steps = [
  { to: 'run', name: 'Next run', title: 'On to the moment at which the next job runs' },
  { to: 'hour', name: '+1 hour', title: 'An hour on, as if the computer had slept' },
  { to: 'day', name: 'Next day', title: 'A day on, as if the computer had slept' },
];

export class ClockView {
  #error = '';
  #busy = false;

  constructor(store, session, container) {
    Object.assign(this, { store, session, container });
    store.on('clock', () => this.#show());
    setInterval(() => this.#tick(), 1000);
  }

  // The server tells nothing of a run that is left out, so a time that has passed is
  // asked about.
  #tick() {
    if (this.container.hidden || document.hidden) return;
    const passed = this.store.clock.jobs.some((job) => job.next && momentOf(job.next) <= now());
    if (passed) this.session.loadClock();
    this.#show();
  }

  #show() {
    const { aheadMs, jobs } = this.store.clock;
    this.container.hidden = jobs.length === 0 && aheadMs === 0;
    if (this.container.hidden) return;
    const moment = new Date(now());
    morph(this.container, [
      h('p', { class: 'clock-time' }, icon('held'), h('time', { datetime: moment.toISOString() }, timeFormat.format(moment)),
        aheadMs > 0 && h('span', { class: 'badge' }, 'moved on')),
      h('ul', { class: 'clock-jobs' }, jobs.slice(0, mostJobs).map(jobNode)),
      jobs.length > mostJobs && h('p', { class: 'clock-more' }, `and ${plural(jobs.length - mostJobs, 'more job', 'more jobs')}`),
      h('div', { class: 'clock-steps' }, steps.map((step) => this.#button(step))),
      this.#error && h('p', { class: 'error-line', role: 'alert' }, sentence(this.#error)),
      h('p', { class: 'clock-foot' }, '“Next run” runs a job on time. The others pass times by, as if the computer had slept: what was due then runs late, or is left out.'),
    ].filter(Boolean));
  }

  #button({ to, name, title }) {
    const none = to === 'run' && !this.store.clock.jobs.some((job) => job.next);
    return h('button', {
      type: 'button', class: 'press', 'data-style': to === 'run' ? 1 : 2, 'data-to': to, title, disabled: this.#busy || none, on: { click: () => this.#move(to) },
    }, name);
  }

  async #move(to) {
    this.#error = '';
    this.#busy = true;
    this.#show();
    try {
      await this.session.moveClock(to);
    } catch (error) {
      this.#error = error.message;
    }
    this.#busy = false;
    this.#show();
  }
}

function jobNode({ name, paused, next, last }) {
  const when = next ? ['next ', soon(next) ? momentNode({ seconds: momentOf(next) / 1000, style: 'R' }) : moment(next)] : [paused ? 'paused' : 'no next run'];
  return h('li', { class: 'clock-job' },
    h('bdi', { class: 'clock-name' }, name),
    h('span', { class: 'clock-when' }, ...when, ` · ${last ? lastWords(last) : 'no run yet'}`));
}

const soon = (text) => momentOf(text) - now() < 3600000;

export const moment = (text) => `${day(momentOf(text)).toLowerCase()} ${clock(momentOf(text))}`;

function lastWords({ slot, ended, why, status, error }) {
  if (status === 'left out') return `left out ${moment(slot)}: ${error}`;
  if (status === 'error') return `failed ${moment(ended)}`;
  if (status === 'canceled') return `stopped ${moment(ended)}`;
  return `ran ${lateBy({ slot, ended, why }) > 0 ? 'late, ' : ''}${moment(ended)}`;
}

// lateBy is how many milliseconds late a run was; 0 if it was on time, or had none.
export function lateBy({ slot, ended, why }) {
  const late = why === 'slot' ? momentOf(ended) - momentOf(slot) : 0;
  return late > punctual ? late : 0;
}
