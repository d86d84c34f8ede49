// SPDX-License-Identifier: Apache-2.0
// One column of a schema: its public facts in a line, and a form that changes them. The schema is its JSON and nothing else.
import {texts, say} from './texts.js';
import {el, labelled, ticked} from './tools.js';

const t = texts.field;
const MADE_UP = ['id', 'fake', 'constant', 'ignore'];

const own = (object, name) => (object[name] ??= {});

export function roleOf(schema, field) {
  const table = schema.semblance || {};
  if (table.unit === field.name) return 'unit';
  if (table.label === field.name) return 'label';
  return field.semblance?.role || 'column';
}

export function setRole(schema, field, role) {
  const table = own(schema, 'semblance');
  if (table.unit === field.name) {
    delete table.unit;
    delete table.max_rows_per_unit;
    delete table.order;
  }
  if (table.label === field.name) {
    delete table.label;
    delete table.task;
  }
  const before = field.semblance?.role;
  if (role === 'unit' || MADE_UP.includes(role)) {
    // Nothing else of such a column means anything.
    const made = {role: role === 'unit' ? 'id' : role};
    if (role === 'fake') made.fake = 'name';
    if (role === 'constant') made.constant = '';
    if (field.semblance?.origin) made.origin = field.semblance.origin;
    for (const key of Object.keys(field)) if (key !== 'name' && key !== 'title' && key !== 'description') delete field[key];
    field.semblance = made;
  } else if (before) {
    for (const key of ['role', 'id', 'fake', 'constant']) delete field.semblance[key];
  }
  if (role === 'unit') Object.assign(table, {unit: field.name, max_rows_per_unit: 50});
  if (role === 'label') table.label = field.name;
}

export const categoriesOf = (field) => field.constraints?.enum || (field.categories || []).map((one) => (typeof one === 'object' ? String(one.value) : one));

// "from 0 to 110, never missing"
export function factsOf(schema, field) {
  const c = texts.columns, mine = field.semblance || {}, limits = field.constraints || {};
  if (mine.role === 'id' && mine.id) return say(c.newIds, {pattern: mine.id});
  if (MADE_UP.includes(mine.role)) return [mine.fake, mine.constant].filter((one) => one !== undefined).map(String).join(', ') || t.roleHints[roleOf(schema, field)];
  const facts = [], list = categoriesOf(field);
  if (list.length) {
    const some = list.slice(0, 8).join(', ') + (list.length > 8 ? ', …' : '');
    facts.push(say(list.length === 1 ? c.category : c.categories, {count: list.length, list: some}));
  } else if (limits.minimum !== undefined) facts.push(say(c.from, {low: limits.minimum, high: limits.maximum}));
  else if (field.type !== 'boolean') facts.push(c.unknown);
  if (mine.decimals !== undefined) facts.push(say(c.decimals, {count: mine.decimals}));
  if (mine.transform === 'log') facts.push(c.log);
  if (mine.step !== undefined) facts.push(say(c.step, mine));
  if (mine.by) facts.push(say(c.boundsBy, mine));
  if (mine.hierarchy) facts.push(c.hierarchy);
  if (mine.spikes) facts.push(say(c.spikes, {list: mine.spikes.join(', ')}));
  if (mine.per === 'unit') facts.push(c.perUnit);
  if (schema.semblance?.order === field.name) facts.push(c.orders);
  facts.push(limits.required ? c.required : c.missing);
  return facts.join('; ');
}

// ---- the form ----

// Which control of a form a message of the schema reader is about; '': the first.
export function memberOf(message) {
  if (/semblance\.hierarchy/.test(message)) return 'hierarchy';
  if (/has bounds by '|semblance\.by[ ,:]/.test(message)) return 'by';
  return /bounds|' by /.test(message) ? 'bounds' : '';
}

const numeric = (field) => field.type === 'integer' || field.type === 'number';
const bounded = (field) => numeric(field) || ['date', 'datetime', 'time'].includes(field.type);

// A text as the JSON that the field's type wants.
const typedValue = (field, text) => (numeric(field) && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text.trim());

function put(object, name, key, value) {
  if (value === undefined || value === '' || value === false || (Array.isArray(value) && value.length === 0)) {
    if (object[name]) delete object[name][key];
    if (object[name] && Object.keys(object[name]).length === 0) delete object[name];
  } else own(object, name)[key] = value;
}

const listOf = (text, cut) => text.split(cut).map((one) => one.trim()).filter((one) => one !== '');

// "K: 2 to 8, decimals 1, log": a line for each category. What is not understood stays, for the schema reader to refuse by name.
const boundsText = (bounds) => Object.entries(bounds || {}).map(([category, {minimum, maximum, transform, ...more}]) =>
  `${category}: ${[`${minimum ?? ''} to ${maximum ?? ''}`, ...Object.entries(more).map(([key, value]) => `${key} ${value}`), ...(transform === undefined ? [] : [transform])].join(', ')}`).join('\n');

function boundsOf(field, text) {
  const lines = listOf(text, '\n').map((line) => {
    const cut = line.lastIndexOf(':'), entry = {};
    const [range = '', ...more] = line.slice(cut + 1).split(',').map((one) => one.trim());
    const [low = '', high = ''] = range.split(/\s+to\s+/);
    if (low !== '') entry.minimum = typedValue(field, low);
    if (high !== '') entry.maximum = typedValue(field, high);
    for (const one of more) {
      const [key, value] = one.split(/\s+/);
      if (value === undefined) entry.transform = key; else entry[key] = Number.isFinite(Number(value)) ? Number(value) : value;
    }
    return [line.slice(0, Math.max(cut, 0)).trim(), entry];
  });
  return Object.fromEntries(lines);
}

const parentsText = (parents) => Object.entries(parents || {}).map(([code, parent]) => `${code}: ${parent}`).join('\n');

const parentsOf = (text) => Object.fromEntries(listOf(text, '\n').map((line) => {
  const cut = line.lastIndexOf(':');
  return [line.slice(0, Math.max(cut, 0)).trim(), line.slice(cut + 1).trim()];
}));


const area = (value, member, onchange) => el('textarea', {rows: 4, spellcheck: 'false', value, 'data-member': member, onchange: (event) => onchange(event.target.value)});

// The bounds of a number by the categories of another column.
function boundsForm(schema, field, change, choice) {
  const mine = field.semblance || {}, others = schema.fields.filter((one) => one.name !== field.name && (categoriesOf(one).length || one.name === mine.by)).map((one) => one.name);
  const by = choice(Object.fromEntries([['', t.noBy], ...others.map((one) => [one, one])]), mine.by ?? '', (value) => change((f) => {
    put(f, 'semblance', 'by', value);
    if (!value) put(f, 'semblance', 'bounds', undefined);
  }));
  by.dataset.member = 'by';
  return [labelled(t.by, by, t.byHint),
    mine.by ? labelled(say(t.bounds, mine), area(boundsText(mine.bounds), 'bounds', (value) => change((f) => (own(f, 'semblance').bounds = boundsOf(f, value)))), t.boundsHint) : null];
}

// A public hierarchy over categories. A file of parents is beside a package.
function hierarchyForm(schema, field, change, choice, text) {
  const made = field.semblance?.hierarchy, {prefix, parents} = made || {}, inPackage = Boolean(schema.primaryKey || schema.foreignKeys);
  const kind = !made ? '' : prefix !== undefined ? 'prefix' : typeof parents === 'string' ? 'file' : 'parents';
  const set = (value) => change((f) => put(f, 'semblance', 'hierarchy', value));
  const starts = {'': undefined, prefix: {prefix: [1]}, parents: {parents: {}}, file: {parents: 'parents.csv'}};
  const kinds = choice(Object.fromEntries(Object.entries(t.hierarchies).filter(([key]) => key !== 'file' || inPackage || kind === 'file')), kind, (value) => set(starts[value]));
  const member = {'data-member': 'hierarchy'};
  const control = {
    prefix: () => labelled(t.prefix, text([prefix].flat().join(', '), (value) => set({prefix: listOf(value, ',').map((one) => (Number.isFinite(Number(one)) ? Number(one) : one))}), member), t.prefixHint),
    parents: () => labelled(t.parents, area(parentsText(parents), 'hierarchy', (value) => set({parents: parentsOf(value)})), t.parentsHint),
    file: () => labelled(t.parentsFile, text(parents, (value) => set({parents: value}), member), t.parentsFileHint),
  }[kind];
  if (!kind) kinds.dataset.member = 'hierarchy';
  return [labelled(t.hierarchy, kinds, t.hierarchyHint), control ? control() : null];
}

// change(f): f alters the field (and the schema) that it is given; the caller keeps the one before.
export function fieldForm(schema, field, change) {
  const mine = field.semblance || {}, limits = field.constraints || {}, role = roleOf(schema, field);
  const text = (value, onchange, more = {}) => el('input', {type: 'text', value: value ?? '', onchange: (event) => onchange(event.target.value), ...more});
  const choice = (values, value, onchange) => el('select', {onchange: (event) => onchange(event.target.value)},
    Object.entries(values).map(([key, words]) => el('option', {value: key, selected: key === value}, words)));
  const parts = [labelled(t.role, choice(t.roles, role, (value) => change((f, s) => setRole(s, f, value))), t.roleHints[role])];
  if (role === 'id') parts.push(labelled(t.idPattern, text(mine.id, (value) => change((f) => put(f, 'semblance', 'id', value)))));
  if (role === 'fake') {
    const kinds = Object.fromEntries(['name', 'first_name', 'last_name', 'email', 'phone', 'street', 'city', 'text'].map((one) => [one, one]));
    parts.push(labelled(t.fakeKind, choice(kinds, mine.fake, (value) => change((f) => put(f, 'semblance', 'fake', value)))));
  }
  if (role === 'constant') parts.push(labelled(t.constantValue, text(mine.constant, (value) => change((f) => (own(f, 'semblance').constant = value)))));
  if (role === 'unit')
    parts.push(labelled(t.rowsPerUnit, text(schema.semblance.max_rows_per_unit, (value) => change((f, s) => (s.semblance.max_rows_per_unit = Number(value))), {inputmode: 'numeric'})));
  if (role !== 'column' && role !== 'label') return el('div', {class: 'grid'}, parts);
  parts.push(labelled(t.type, choice(t.types, field.type || 'any', (value) => change((f) => (value === 'any' ? delete f.type : (f.type = value))))));
  if (bounded(field)) {
    parts.push(labelled(t.minimum, text(limits.minimum, (value) => change((f) => put(f, 'constraints', 'minimum', typedValue(f, value))))));
    parts.push(labelled(t.maximum, text(limits.maximum, (value) => change((f) => put(f, 'constraints', 'maximum', typedValue(f, value))))));
  }
  if (numeric(field)) {
    parts.push(labelled(t.decimals, text(mine.decimals, (value) => change((f) => put(f, 'semblance', 'decimals', value === '' ? undefined : Number(value))), {inputmode: 'numeric'})));
    parts.push(labelled(t.step, text(mine.step, (value) => change((f) => put(f, 'semblance', 'step', value === '' ? undefined : Number(value))), {inputmode: 'decimal'})));
    parts.push(labelled(t.spikes, text((mine.spikes || []).join(', '), (value) => change((f) => put(f, 'semblance', 'spikes', listOf(value, ',').map(Number)))), t.list));
  }
  const categories = el('textarea', {rows: 4, value: categoriesOf(field).join('\n'),
    onchange: (event) => change((f) => {
      delete f.categories;
      put(f, 'constraints', 'enum', listOf(event.target.value, '\n').map((one) => typedValue(f, one)));
    })});
  if (field.type !== 'boolean') parts.push(labelled(t.categories, categories, t.categoriesHint));
  if (categoriesOf(field).length) parts.push(labelled(t.other, text(mine.other, (value) => change((f) => put(f, 'semblance', 'other', value)))));
  parts.push(labelled(t.missing, text((field.missingValues || []).join(', '), (value) => change((f) => {
    const marks = listOf(value, ',');
    if (marks.length) f.missingValues = marks; else delete f.missingValues;
  })), t.list));
  const ticks = [ticked(t.required, limits.required === true, (value) => change((f) => put(f, 'constraints', 'required', value)))];
  if (bounded(field)) ticks.push(ticked(t.log, mine.transform === 'log', (value) => change((f) => put(f, 'semblance', 'transform', value ? 'log' : undefined))));
  if (categoriesOf(field).length) ticks.push(ticked(t.ordered, field.categoriesOrdered === true, (value) => change((f) => { if (value) f.categoriesOrdered = true; else delete f.categoriesOrdered; })));
  if (schema.semblance?.unit) {
    ticks.push(ticked(t.perUnit, mine.per === 'unit', (value) => change((f) => put(f, 'semblance', 'per', value ? 'unit' : undefined))));
    ticks.push(ticked(t.order, schema.semblance.order === field.name, (value) => change((f, s) => { if (value) s.semblance.order = f.name; else delete s.semblance.order; })));
  }
  const advanced = [...(numeric(field) || mine.by ? boundsForm(schema, field, change, choice) : []), ...(categoriesOf(field).length || mine.hierarchy ? hierarchyForm(schema, field, change, choice, text) : [])];
  return el('div', {}, el('div', {class: 'grid'}, parts), el('div', {class: 'row'}, ticks),
    advanced.length ? el('details', {open: Boolean(mine.by || mine.bounds || mine.hierarchy)}, el('summary', {}, t.advanced), el('div', {class: 'grid'}, advanced)) : null);
}
