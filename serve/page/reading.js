// SPDX-License-Identifier: Apache-2.0
// How a table is written: found in its first lines, or said here; which table of a database; names of a JSON table's columns.
import {texts, say} from './texts.js';
import {optionField} from './methods.js';
import {el, get, post, button, labelled, attempt, announce, stepHead, actions, go} from './tools.js';
import {whileWaiting} from './waiting.js';

const t = texts.reading;
const CSV = 1, JSON_FILE = 2; // sbl_data_form

export const isDatabase = (path) => /\.(sqlite3?|db|duckdb)$/i.test(path);
const isJson = (path) => /\.(json|ndjson|jsonl)(\.gz)?$/i.test(path);
const isText = (path) => /\.(csv|tsv)(\.gz)?$/i.test(path);

// A schema says how the file is written.
export function writtenAs({dialect = {}, encoding = 'utf-8', fields}) {
  const delimiter = dialect.delimiter || ',';
  const header = dialect.header === false ? t.noHeader : dialect.commentChar ? say(t.headerBehind, {sign: dialect.commentChar}) : say(t.header, {line: (dialect.headerRows || [1])[0]});
  return say(t.written, {delimiter: t.signs[delimiter] || delimiter, encoding, header: (fields.some((one) => one.decimalChar === ',') ? t.decimal : '') + header, count: fields.length});
}

// The same as options of data.
function asReading(path, {dialect = {}, encoding, fields}) {
  if (isJson(path)) return {columns: fields.map((one) => one.name).join(',')};
  const of = (key) => fields.find((one) => one[key])?.[key];
  const all = {delimiter: dialect.delimiter === '\t' ? 'tab' : dialect.delimiter, quote: dialect.quoteChar, header: dialect.header === false ? 'no' : undefined, comment: dialect.commentChar,
    encoding, decimal: of('decimalChar'), thousands: of('groupChar') === ' ' ? 'space' : of('groupChar')};
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

// said: values by name, which the fields change
function readingFields(path, options, said) {
  const form = isText(path) ? CSV : isJson(path) ? JSON_FILE : 0;
  return options.filter((option) => option.forms === form).map((option) => optionField(option, said, () => {}, t.option));
}

const keepReading = (path, reading) => post('data', {path, kind: 'table', reading});

// Kept beside the table: inspection and discovery use it.
export function readingForm(path, {reading, options}, open = false) {
  const said = {...reading}, fields = readingFields(path, options, said);
  delete said.kind;
  if (fields.length === 0) return null;
  const trouble = el('div');
  const keep = button(t.keep, () => attempt(trouble, async () => {
    await keepReading(path, said);
    announce(t.kept);
    trouble.replaceChildren(el('p', {class: 'good', role: 'status'}, t.kept));
  }, keep));
  return el('details', {open, class: 'reading'}, el('summary', {}, isJson(path) ? t.titleJson : t.title), el('p', {class: 'quiet'}, isJson(path) ? t.hintJson : t.hint),
    el('div', {class: 'grid'}, fields), el('div', {class: 'row'}, keep), trouble);
}

// Before a discovery is charged: how the file will be read, for the owner to confirm.
export async function beforeDiscovery(body, path, {reading, options}, trouble) {
  if (!isText(path) && !isJson(path)) return go('budget', path, 'discover');
  const found = await whileWaiting(trouble, texts.columns.looking, (signal) => post('dialect', {path}, signal));
  if (!found) return null;
  const said = {...asReading(path, found.schema), ...reading}, line = (found.schema.dialect?.headerRows || [1])[0];
  delete said.kind;
  const refused = el('div');
  const confirm = button(t.confirm, () => attempt(refused, async () => {
    await keepReading(path, said);
    go('budget', path, 'discover');
  }, confirm), {main: true, disabled: line > 1});
  body.replaceChildren(el('h2', {}, t.found), el('p', {class: 'not-private'}, t.foundHint), el('p', {}, writtenAs(found.schema)),
    el('p', {}, say(t.names, {names: found.schema.fields.slice(0, 40).map((one) => one.name).join(', ')})),
    line > 1 ? el('p', {class: 'failure', role: 'alert'}, say(t.lower, {line})) : '',
    el('details', {open: line > 1}, el('summary', {}, t.title), el('div', {class: 'grid'}, readingFields(path, options, said))), refused, actions(confirm));
  return confirm.focus();
}

// Which table of a database: one of its list, or one that is typed.
export async function databaseStep(content, path) {
  const trouble = el('div');
  const enter = (table) => go('columns', `${path}::${table}`);
  const name = el('input', {type: 'text', spellcheck: 'false'});
  content.append(...stepHead(path, t.databaseTitle, t.databaseIntro), trouble);
  const found = await attempt(trouble, () => get('tables', {path}));
  const tables = found ? found.tables : [];
  content.append(tables.length === 0 ? '' : el('ul', {class: 'plain'}, tables.map((table) => el('li', {class: 'row'}, button(t.openTable, () => enter(table), {label: say(t.openLabel, {table})}), table))),
    el('details', {open: tables.length === 0}, el('summary', {}, t.other), labelled(t.table, name, t.tableHint), el('div', {class: 'row'}, button(t.openTable, () => enter(name.value.trim()), {label: t.other}))));
}
