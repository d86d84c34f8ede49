// SPDX-License-Identifier: Apache-2.0
// Work that reads a whole table, or takes one in, while the user waits: how far it is, and a way out. The server gives up
// when the request is given up.
import {texts, say} from './texts.js';
import {el, get, post, button, attempt, announce, short, Refused} from './tools.js';

const t = texts.waiting;
const EVERY_MS = 1000;

// Runs work(signal) and shows words in place meanwhile, with the rows that were read so far where `counted`. Null: cancelled.
export async function whileWaiting(place, words, work, {counted = false} = {}) {
  const stop = new AbortController();
  const far = el('span', {class: 'quiet'});
  place.replaceChildren(el('div', {class: 'row waiting', role: 'status'}, el('span', {}, words), far, button(t.cancel, () => stop.abort())));
  const timer = counted ? setInterval(async () => {
    const {reads, rows} = await get('progress').catch(() => ({reads: false}));
    if (reads && !stop.signal.aborted) far.textContent = say(t.rows, {rows: short(rows, 12)});
  }, EVERY_MS) : null;
  try {
    return await work(stop.signal);
  } catch (error) {
    if (!(error instanceof Refused) || !stop.signal.aborted) throw error;
    place.replaceChildren(el('p', {class: 'quiet'}, t.cancelled));
    announce(t.cancelled);
    return null;
  } finally {
    clearInterval(timer);
    place.querySelector('.waiting')?.remove();
  }
}

// Cells and rows that do not fit, counted from the records for the owner's eyes. body(): of the request.
export function faultCounter(body) {
  const shown = el('div');
  const control = button(texts.columns.count, () => attempt(shown, async () => {
    const found = await whileWaiting(shown, texts.columns.counting, (signal) => post('check', body(), signal), {counted: true});
    if (found) shown.replaceChildren(el('p', {class: 'not-private'}, texts.notPrivate), el('pre', {tabindex: 0}, found.text));
  }, control));
  return el('div', {}, el('div', {class: 'row'}, control, el('span', {class: 'quiet'}, texts.columns.countHint)), shown);
}
