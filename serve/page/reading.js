// How a table is written, where that is not found out; which table of a database; names of a JSON table's columns.
import {texts, say} from './texts.js';
import {optionField} from './methods.js';
import {el, get, post, button, labelled, attempt, announce, go} from './tools.js';

const t = texts.reading;
const CSV = 1, JSON_FILE = 2; // sbl_data_form

export const isDatabase = (path) => /\.(sqlite3?|db|duckdb)$/i.test(path);
const isJson = (path) => /\.(json|ndjson|jsonl)(\.gz)?$/i.test(path);
const isText = (path) => /\.(csv|tsv)(\.gz)?$/i.test(path);

// Kept beside the table: inspection and discovery read it so.
export function readingForm(path, {reading, options}) {
  const form = isText(path) ? CSV : isJson(path) ? JSON_FILE : 0, shown = options.filter((option) => option.forms === form);
  if (shown.length === 0) return null;
  const trouble = el('div'), said = Object.fromEntries(shown.map(({name}) => [name, reading[name]]).filter(([, value]) => value !== undefined));
  const keep = button(t.keep, () => attempt(trouble, async () => {
    await post('data', {path, kind: 'table', reading: said});
    announce(t.kept);
    trouble.replaceChildren(el('p', {class: 'good', role: 'status'}, t.kept));
  }, keep));
  return el('details', {open: form === JSON_FILE}, el('summary', {}, isJson(path) ? t.titleJson : t.title), el('p', {class: 'quiet'}, isJson(path) ? t.hintJson : t.hint),
    el('div', {class: 'grid'}, shown.map((option) => optionField(option, said, () => {}))), el('div', {class: 'row'}, keep), trouble);
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
