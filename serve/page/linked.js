// Linked tables, as the package describes them. The package is changed in its file.
import {texts, say} from './texts.js';
import {el, button, stepHead, headRow, tableBox, actions, go} from './tools.js';
import {factsOf, roleOf} from './field.js';
import {faultCounter} from './waiting.js';

const t = texts.linked;

const keysOf = (schema) => [schema.primaryKey].flat().filter(Boolean);
const refersTo = (schema) => (schema.foreignKeys || []).map((one) => say(t.key, {field: [one.fields].flat().join(', '), table: one.reference?.resource || ''}));

function fieldFacts(schema, field) {
  if (keysOf(schema).includes(field.name)) return t.isKey;
  const foreign = (schema.foreignKeys || []).find((one) => [one.fields].flat().includes(field.name));
  return foreign ? say(t.foreign, {table: foreign.reference?.resource || ''}) : factsOf(schema, field);
}

function tableCard(resource) {
  const schema = resource.schema || {}, fields = schema.fields || [];
  const isPublic = resource.semblance?.public === true;
  return el('section', {class: 'card', 'data-table': resource.name}, el('h2', {}, resource.name, ' ', el('span', {class: 'tag'}, isPublic ? t.isPublic : [resource.path].flat().join(', '))),
    el('p', {class: 'quiet'}, isPublic ? t.publicHint : [say(t.columns, {count: fields.length}), ...refersTo(schema)].join('. ') + '.'),
    el('details', {}, el('summary', {}, t.show), tableBox(el('table', {}, headRow([t.name, t.type, t.facts]),
      el('tbody', {}, fields.map((field) => el('tr', {}, el('th', {scope: 'row'}, field.name), el('td', {}, texts.field.types[field.type || 'any'] || field.type || ''),
        el('td', {}, roleOf(schema, field) === 'column' ? fieldFacts(schema, field) : texts.field.roles[roleOf(schema, field)]))))), resource.name)));
}

export function linkedStep(content, path, data) {
  content.append(...stepHead(path, t.title, t.intro), ...data.facts.resources.map(tableCard), faultCounter(() => ({path})),
    actions(button(t.go, () => go('budget', path), {main: true})));
}
