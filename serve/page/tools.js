// SPDX-License-Identifier: Apache-2.0
// What every step uses: elements made from text (never from markup), requests, failures, numbers for people, tables.
import {texts, say} from './texts.js';

// el('p', {class: 'x', onclick: f}, 'text', child): children that are null are left out.
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  fill(node, attributes, children);
  return node;
}

export function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  fill(node, attributes, children);
  return node;
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (['value', 'checked', 'disabled', 'selected'].includes(key)) node[key] = value;
    else node.setAttribute(key, value === true ? '' : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
}

let lastId = 0;
export const newId = () => 'i' + ++lastId;

// A control under its label, with a hint that a screen reader reads with it.
export function labelled(text, control, hint = null) {
  const id = control.id || newId();
  control.id = id;
  if (hint) control.setAttribute('aria-describedby', id + '-hint');
  return el('div', {class: 'field'}, el('label', {for: id}, text), control, hint ? el('p', {class: 'hint', id: id + '-hint'}, hint) : null);
}

export function ticked(text, checked, onchange) {
  return el('label', {class: 'inline'}, el('input', {type: 'checkbox', checked, onchange: (event) => onchange(event.target.checked)}), text);
}

export function button(text, onclick, {main = false, label = null, disabled = false} = {}) {
  return el('button', {type: 'button', class: main ? 'main' : null, 'aria-label': label, disabled, onclick}, text);
}

// The head of a step: what it is about, its title, and one sentence.
export const stepHead = (subject, title, intro) => [subject ? el('p', {class: 'subject'}, subject) : '', el('h1', {}, title), el('p', {class: 'lead'}, intro)];

// The end of a step: its one action comes last.
export const actions = (...controls) => el('div', {class: 'actions'}, controls);

// For screen readers.
export function announce(text) {
  document.getElementById('said').textContent = text;
}

// ---- requests ----

// status: as sbl_status has it; 0: no answer came
export class Refused extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

async function answerOf(request) {
  let response;
  try {
    response = await request;
  } catch {
    throw new Refused(texts.gone);
  }
  if (response.ok) return response;
  const text = await response.text();
  let said = {error: text.trim()};
  try {
    said = JSON.parse(text);
  } catch {
    // Not JSON: the text itself is the message.
  }
  throw new Refused(said.error, said.status);
}

const query = (values) => new URLSearchParams(values).toString();

export async function get(path, values = {}) {
  return (await answerOf(fetch(`api/${path}?${query(values)}`))).json();
}

// signal: of an AbortController, for a caller that may cancel
export async function post(path, body = {}, signal = undefined) {
  const request = fetch(`api/${path}`, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body), signal});
  return (await answerOf(request)).json();
}

export async function postForBytes(path, body) {
  const request = fetch(`api/${path}`, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)});
  return (await answerOf(request)).arrayBuffer();
}

// Whatever comes: its type and its bytes.
export async function postForAnswer(path, body) {
  const request = fetch(`api/${path}`, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)});
  const answer = await answerOf(request);
  return {type: answer.headers.get('Content-Type') || '', buffer: await answer.arrayBuffer()};
}

export async function getBytes(path, values) {
  return (await answerOf(fetch(`api/${path}?${query(values)}`))).arrayBuffer();
}

export async function upload(name, file, signal) {
  return (await answerOf(fetch(`api/upload?${query({name})}`, {method: 'POST', body: file, signal}))).json();
}

export const resultAddress = (run, name, save) => `api/result?${query(save ? {run, name, save: 1} : {run, name})}`;

const BAD_INPUT = 2, OVER_BUDGET = 3; // sbl_status

// The step where a failure can be mended, as a link. Messages put names of columns in quotes.
export function mendLink({message, status}, table) {
  const column = message.match(/(?:column|field) '([^']+)'/)?.[1];
  const link = (words, step, flag = '') => el('a', {class: 'mend', href: place(step, table, flag)}, words);
  if (column) return link(say(texts.mend.column, {name: column}), 'columns', 'column=' + column);
  if (/header|encoding|delimiter|separated by/.test(message)) return link(texts.mend.reading, 'columns', 'reading');
  if (status === BAD_INPUT) return link(texts.mend.columns, 'columns');
  return status === OVER_BUDGET ? link(texts.mend.budget, 'budget', 'epsilon') : null;
}

// mend: where to go, an element; null: the user mends it here
export function failure(error, mend = null) {
  const why = say(texts.failed, {why: error.message});
  announce(why);
  return el('p', {class: 'failure', role: 'alert'}, why, mend ? ' ' : null, mend);
}

// Runs work and shows its failure in place; the button is disabled meanwhile. mend(error): as above.
export async function attempt(place, work, control = null, mend = () => null) {
  place.replaceChildren();
  if (control) control.disabled = true;
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    place.replaceChildren(failure(error, mend(error)));
    return null;
  } finally {
    if (control) control.disabled = false;
  }
}

// ---- what plans and runs report ----

export const warningLine = (line) => el('p', {class: 'failure'}, say(texts.budget.warning, {line}));

// The lines of a run, warnings as those of its plan.
export function adviceList(advice) {
  const word = 'WARNING: ';
  return advice.split('\n').filter(Boolean).map((line) => (line.startsWith(word) ? warningLine(line.slice(word.length)) : el('p', {class: 'note'}, line)));
}

// The table of a package that the others refer to: it refers to public ones at most.
export function rootOf(resources) {
  const isPublic = (name) => resources.find((one) => one.name === name)?.semblance?.public === true;
  const refers = (one) => (one.schema?.foreignKeys || []).some((key) => !isPublic(key.reference?.resource));
  return resources.find((one) => !isPublic(one.name) && !refers(one))?.name ?? '';
}

// ---- numbers ----

export function short(value, digits = 3) {
  if (value === null || !Number.isFinite(value)) return '∞';
  return Number(value.toPrecision(digits)).toLocaleString('en', {maximumFractionDigits: 6});
}

export function sizeText(bytes) {
  let unit = 0;
  while (bytes >= 1000 && unit + 1 < texts.bytes.length) {
    bytes /= 1000;
    unit++;
  }
  return `${short(bytes)} ${texts.bytes[unit]}`;
}

// ---- addresses inside the page: #step/TABLE-OR-RUN/flag ----

export const place = (step, subject = '', flag = '') => '#' + [step, encodeURIComponent(subject), encodeURIComponent(flag)].join('/').replace(/\/+$/, '');

export function go(step, subject = '', flag = '') {
  location.hash = place(step, subject, flag);
}

// The table and the number of a run "TABLE.runs/K".
export function runParts(run) {
  const cut = run.lastIndexOf('.runs/');
  return {input: run.slice(0, cut), number: run.slice(cut + 6)};
}

// ---- tables ----

export function csvRows(text, delimiter = ',', quote = '"', most = 21) {
  const rows = [];
  let row = [], cell = '', quoted = false;
  for (let i = 0; i < text.length && rows.length < most; i++) {
    const c = text[i];
    if (quoted) {
      if (c === quote && text[i + 1] === quote) cell += text[++i];
      else if (c === quote) quoted = false;
      else cell += c;
    } else if (c === quote && cell === '') quoted = true;
    else if (c === delimiter || c === '\n') {
      row.push(cell.endsWith('\r') && c === '\n' ? cell.slice(0, -1) : cell);
      cell = '';
      if (c === '\n') {
        rows.push(row);
        row = [];
      }
    } else cell += c;
  }
  return rows;
}

// A table in a box that scrolls sideways, and says so where it does. Then the keyboard can scroll it, too.
export function tableBox(table, caption = null) {
  const box = el('div', {class: 'tablebox'}, table), cue = el('p', {class: 'cue', hidden: true}, texts.wide);
  new ResizeObserver(() => {
    const wide = box.scrollWidth > box.clientWidth + 1;
    cue.hidden = !wide;
    for (const [name, value] of [['tabindex', 0], ['role', 'region'], ['aria-label', caption || texts.wide]]) {
      if (wide) box.setAttribute(name, value);
      else box.removeAttribute(name);
    }
  }).observe(table);
  return el('div', {class: 'wide'}, cue, box);
}

// heads: a text, or {text, class}; rows: lists of elements
export const headRow = (heads) => el('thead', {}, el('tr', {}, heads.map((one) => el('th', {scope: 'col', class: one.class}, one.text ?? one))));

export function cellTable(rows, caption) {
  const [head, ...body] = rows;
  return tableBox(el('table', {class: 'cells'}, headRow(head || []),
    el('tbody', {}, body.map((row) => el('tr', {}, row.map((cell) => el('td', {}, cell)))))), caption);
}

// Calls f once things have been quiet for a while.
export function later(f, ms = 300) {
  let timer = null;
  return (...all) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...all), ms);
  };
}
