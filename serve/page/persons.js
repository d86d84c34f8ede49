// SPDX-License-Identifier: Apache-2.0
// Can one person have several rows? The answer decides what is protected. When it changes, the records are read again for the
// person's order and constants.
import {texts, say} from './texts.js';
import {el, post, labelled, attempt, announce, newId} from './tools.js';
import {setRole} from './field.js';
import {whileWaiting} from './waiting.js';

const t = texts.person;
const KINDS = ['unit', 'per', 'order']; // proposals that depend on the person

const table = (schema) => (schema.semblance ??= {});
const proposalsOf = (schema) => schema.semblance?.proposals || [];

// Does what a proposal says, as `semblance schema accept` does.
export function takeProposal(schema, {fields = [], semblance = {}}) {
  for (const piece of fields) {
    const field = schema.fields.find((one) => one.name === piece.name);
    if (!field) continue;
    if (piece.semblance?.role) for (const key of Object.keys(field)) if (key !== 'name') delete field[key];
    if (piece.constraints) field.constraints = {...field.constraints, ...piece.constraints};
    if (piece.semblance) field.semblance = {...field.semblance, ...piece.semblance};
  }
  for (const [key, value] of Object.entries(semblance))
    table(schema)[key] = key === 'constraints' ? [...(schema.semblance.constraints || []), ...value] : value;
}

// No column is a person's any more. One that named it is an id still.
function forget(schema) {
  const old = schema.fields.find((field) => field.name === schema.semblance?.unit);
  if (old) setRole(schema, old, 'id');
  for (const field of schema.fields) {
    if (field.semblance?.per) delete field.semblance.per;
    if (field.semblance && Object.keys(field.semblance).length === 0) delete field.semblance;
  }
  if (schema.semblance?.proposals) schema.semblance.proposals = proposalsOf(schema).filter((one) => !KINDS.includes(one.kind));
}

// What an inspection proposes for this person; the column that named the former person is read from the records again.
function follow(schema, found, name) {
  const former = schema.semblance?.unit, again = found.schema.fields.find((field) => field.name === former);
  forget(schema);
  const mine = proposalsOf(found.schema).filter((one) => KINDS.includes(one.kind));
  takeProposal(schema, mine.find((one) => one.kind === 'unit'));
  if (former && former !== name && again) {
    schema.fields = schema.fields.map((field) => (field.name === former ? again : field));
    table(schema).origin = found.schema.semblance.origin;
  }
  const others = [...mine.filter((one) => one.kind !== 'unit'), ...proposalsOf(schema)];
  if (others.length) table(schema).proposals = others;
}

export function personQuestion(draft, path) {
  const trouble = el('div'), group = newId();
  const unit = () => draft.schema.semblance?.unit ?? '';
  const proposed = () => proposalsOf(draft.schema).find((one) => one.kind === 'unit')?.semblance.unit;
  const choose = (name) => attempt(trouble, async () => {
    const found = await whileWaiting(trouble, t.reading, (signal) => post('inspect', {path, person: name}, signal), {counted: true});
    if (!found) return draw();
    draft.change((schema) => follow(schema, found, name));
    announce(say(t.isSet, {name}));
  });
  const radio = (value, words, onchange) => {
    const input = el('input', {type: 'radio', name: group, value, onchange});
    return {input, node: el('label', {class: 'inline'}, input, words)};
  };
  const select = el('select', {onchange: () => select.value && choose(select.value)});
  const which = el('div', {hidden: true}, labelled(t.column, select));
  const no = radio('no', t.no, () => {
    draft.change(forget);
    announce(t.isNotSet);
  });
  const yes = radio('yes', t.yes, () => {
    const name = proposed();
    if (name) return choose(name);
    ask();
    return select.focus();
  });
  const seen = el('p', {class: 'note'});
  const ask = () => {
    which.hidden = false;
    select.replaceChildren(el('option', {value: ''}, t.choose), ...draft.schema.fields.map((field) => el('option', {value: field.name, selected: field.name === unit()}, field.name)));
  };
  function draw() {
    const asked = proposed();
    if (unit()) ask();
    else which.hidden = true;
    yes.input.checked = Boolean(unit());
    no.input.checked = !unit() && !asked;
    seen.hidden = !asked;
    seen.textContent = asked ? say(t.seen, {name: asked}) : '';
  }
  draw();
  return {node: el('fieldset', {class: 'card'}, el('legend', {}, t.question), el('p', {class: 'hint'}, t.hint), seen, el('div', {class: 'row'}, no.node, yes.node), which, trouble), draw};
}
