// How a table is written, where that is not found out; which table of a database; names of a JSON table's columns.
import {texts, say} from './texts.js';
import {el, get, post, button, labelled, attempt, announce, go} from './tools.js';

const t = texts.reading;
const FIELDS = ['delimiter', 'quote', 'decimal', 'thousands', 'encoding', 'header', 'comment'];
const ENCODINGS = ['', 'utf-8', 'utf-16', 'utf-16le', 'utf-16be', 'iso-8859-1', 'iso-8859-15', 'windows-1252'];

export const isDatabase = (path) => /\.(sqlite3?|db|duckdb)$/i.test(path);
const isJson = (path) => /\.(json|ndjson|jsonl)(\.gz)?$/i.test(path);
const isText = (path) => /\.(csv|tsv)(\.gz)?$/i.test(path);

function select(values, value) {
  const node = el('select', {}, values.map((one) => el('option', {value: one}, one || t.usual)));
  node.value = value || '';
  return node;
}

function controlOf(name, value) {
  if (name === 'encoding') return select(ENCODINGS, value);
  if (name === 'header') return select(['', 'yes', 'no'], value);
  return el('input', {type: 'text', value: value || '', spellcheck: 'false', maxlength: name === 'columns' ? 500 : 8});
}

// Kept beside the table: inspection and discovery read it so.
export function readingForm(path, reading) {
  const names = isText(path) ? FIELDS : isJson(path) ? ['columns'] : [];
  if (names.length === 0) return null;
  const trouble = el('div');
  const controls = names.map((name) => [name, controlOf(name, reading[name])]);
  const keep = button(t.keep, () => attempt(trouble, async () => {
    const said = Object.fromEntries(controls.map(([name, control]) => [name, control.value]).filter(([, value]) => value !== ''));
    await post('data', {path, kind: 'table', reading: said});
    announce(t.kept);
    trouble.replaceChildren(el('p', {class: 'good', role: 'status'}, t.kept));
  }, keep));
  return el('details', {open: names[0] === 'columns'}, el('summary', {}, isJson(path) ? t.titleJson : t.title), el('p', {class: 'quiet'}, isJson(path) ? t.hintJson : t.hint),
    el('div', {class: 'grid'}, controls.map(([name, control]) => labelled(t.names[name], control, t.hints[name]))), el('div', {class: 'row'}, keep), trouble);
}

// Which table of a database: those that it says it has, or one that is typed.
export async function databaseStep(content, path) {
  const trouble = el('div');
  const enter = (table) => go('columns', `${path}::${table}`);
  const name = el('input', {type: 'text', spellcheck: 'false'});
  content.append(el('h1', {}, t.databaseTitle), el('p', {class: 'lead'}, say(t.database, {path})), trouble);
  const found = await attempt(trouble, () => get('tables', {path}));
  const tables = found ? found.tables : [];
  content.append(tables.length === 0 ? '' : el('ul', {class: 'plain'}, tables.map((table) => el('li', {class: 'row'}, button(t.openTable, () => enter(table), {label: say(t.openLabel, {table})}), table))),
    el('details', {open: tables.length === 0}, el('summary', {}, t.other), labelled(t.table, name, t.tableHint), el('div', {class: 'row'}, button(t.openTable, () => enter(name.value.trim()), {label: t.other}))));
}
