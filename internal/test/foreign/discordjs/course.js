// The course of discord.js: steps with names, and a line to the test that runs this program. Each line is JSON. The program says how a step went, or
// asks for something to happen in the world. Both are answered with a line, so that what the fake answers belongs to one step.
'use strict';

const { createRequire } = require('node:module');
const readline = require('node:readline');
const { inspect } = require('node:util');

const load = createRequire(process.env.DISCOCLAW_NPM + '/package.json');
const discord = load('discord.js');

const patience = 10_000; // milliseconds

const lines = readline.createInterface({ input: process.stdin });
const waiting = [];
lines.on('line', (line) => waiting.shift()(JSON.parse(line)));

// tell says something, and waits for the answer.
function tell(value) {
  process.stdout.write(JSON.stringify(value) + '\n');
  return new Promise((resolve) => waiting.push(resolve));
}

// world has something done in the world, and returns what came of it.
async function world(action, ...args) {
  const { value, error } = await tell({ do: action, args: args.map(String) });
  if (error) throw new Error(`${action}: ${error}`);
  return value;
}

// is refuses a value that is not the one that is wanted.
function is(what, got, want) {
  if (got !== want) throw new Error(`${what}: ${inspect(got)}, want ${inspect(want)}`);
}

// refused waits for Discord's refusal with a code.
async function refused(request, status, code) {
  try {
    await request;
  } catch (error) {
    if (error.status === status && (code === undefined || error.code === code)) return;
    throw error;
  }
  throw new Error('it was not refused');
}

// until asks until what is wanted comes, for a while.
async function until(what, ask, want) {
  const late = Date.now() + patience;
  for (;;) {
    const got = await ask();
    if (got === want || Date.now() > late) return is(what, got, want);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

// emits waits for an event of a client that comes while or after something is done, and returns what it comes with.
async function emits(client, event, act, isMeant = () => true) {
  let stop;
  const came = new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${event} did not come`)), patience);
    const listen = (...args) => {
      if (isMeant(...args)) resolve(args);
    };
    client.on(event, listen);
    stop = () => {
      clearTimeout(late);
      client.off(event, listen);
    };
  });
  came.catch(() => {}); // it is awaited below, unless the act fails first
  try {
    await act();
    return await came;
  } finally {
    stop();
  }
}

// apart waits until Discord starts another session, five seconds after the last one, and has it started.
let started = 0;
async function apart(start) {
  await new Promise((resolve) => setTimeout(resolve, started + 5000 - Date.now()));
  try {
    return await start();
  } finally {
    started = Date.now();
  }
}

// walk takes steps in order. What they leave for each other is in the first argument of each.
async function walk(steps, state) {
  for (const [name, step] of steps) {
    let trouble = '';
    let status = 0;
    try {
      await step(state);
    } catch (error) {
      status = error.status ?? 0;
      trouble = `${error.message ?? error}\n${error.stack?.split('\n')[1]?.trim() ?? ''}`;
    }
    await tell({ step: name, trouble, status });
  }
}

module.exports = { discord, load, world, is, refused, until, emits, apart, walk };
