// SPDX-License-Identifier: Apache-2.0
// Advanced settings of a run: the method, its options, and the output format.
import {texts, say} from './texts.js';
import {el, get, labelled, ticked} from './tools.js';

const t = texts.methods;

const choice = (values, names, onchange) => el('select', {onchange}, values.map((value) => el('option', {value}, names[value] || value)));

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// A row of the library's table of options; values holds them by name. names: what people call them
export function optionField(option, values, onchange, names = t.names) {
  const hint = [sentence(option.help) + '.', option.standard ? say(t.standard, option) : ''].filter(Boolean).join(' ');
  const name = names[option.name] || sentence(option.name.replaceAll('-', ' '));
  const set = (value) => { if (value === '' || value === false) delete values[option.name]; else values[option.name] = value; onchange(); };
  const value = values[option.name] ?? '';
  if (option.type === 'flag') return ticked(`${name}. ${hint}`, Boolean(value), set);
  const control = option.type === 'choice'
    ? el('select', {onchange: (event) => set(event.target.value)}, ['', ...option.choices].map((one) => el('option', {value: one}, one || t.usual)))
    : el('input', {type: ['number', 'whole'].includes(option.type) && option.choices.length === 0 ? 'number' : 'text', step: option.type === 'number' ? 'any' : 1, spellcheck: 'false', onchange: (event) => set(event.target.value.trim())});
  control.value = value;
  return labelled(name, control, hint);
}

// about: fields above the method. node: to be shown; said: members of a request to run; planned: of one to plan.
export async function methodForm(kind, about, onchange) {
  const {methods} = kind === 'package' ? {methods: []} : await get('methods', {kind});
  const fields = el('div', {class: 'grid'});
  let values = {};
  const method = choice(methods.map((one) => one.name), Object.fromEntries(methods.map((one) => [one.name, `${one.name}: ${one.summary}`])), () => {
    draw();
    onchange();
  });
  const outputs = {table: ['csv', 'parquet'], images: ['idx', 'png'], package: []}[kind];
  const output = choice(outputs, t.outputs, null);
  function draw() {
    values = {};
    const options = methods.find((one) => one.name === method.value)?.options || [];
    fields.replaceChildren(...options.map((option) => optionField(option, values, onchange)));
  }
  draw();
  const choices = methods.length === 0 ? [] : [el('div', {class: 'grid'}, labelled(t.method, method, t.methodHint), labelled(t.output, output, t.outputHints[kind])),
    el('h3', {}, t.options), el('p', {class: 'quiet'}, t.optionsHint), fields];
  const node = el('details', {}, el('summary', {}, t.title), el('div', {class: 'grid'}, about), choices);
  return {node, planned: () => ({method: method.value || undefined, options: values}), said: () => ({method: method.value || undefined, options: values, output: output.value || undefined})};
}
