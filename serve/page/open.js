// SPDX-License-Identifier: Apache-2.0
// Data: the demo, a data set of the folder, files that are dropped here.
import {texts, say} from './texts.js';
import {el, get, post, upload, button, labelled, attempt, announce, sizeText, stepHead, headRow, tableBox, go, Refused} from './tools.js';
import {whileWaiting} from './waiting.js';

const t = texts.open;
const AT_ONCE = 100; // data sets that are drawn
const MOST_BYTES = 16 * 2 ** 30; // of a file that is dropped, as the server has it
const TABLE = /\.((csv|tsv|parquet|pq|parq|json|ndjson|jsonl)(\.gz)?|z?sav|dta|sas7bdat|xpt)$/i;
const SPREADSHEET = /\.(xlsx?|xlsm|xlsb|ods|numbers)$/i;

// All data sets of the folder in one list.
function setsOf(found) {
  const kinds = [['tables', 'table'], ['packages', 'package'], ['images', 'images'], ['databases', 'database']];
  return kinds.flatMap(([list, kind]) => found[list].map((one) => ({...one, kind}))).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function setList(sets) {
  if (sets.length === 0) return el('p', {}, t.none);
  const body = el('tbody'), some = new Set(), several = sets.filter((one) => one.kind === 'table').length > 1; // some: tables that are ticked
  const together = button('', () => go('columns', [...some].join('\n')));
  const tick = (path, value) => {
    if (value) some.add(path); else some.delete(path);
    together.hidden = some.size < 2;
    together.textContent = say(t.linked, {count: some.size});
  };
  tick('', false);
  const more = button(t.more, () => draw(body.rows.length + AT_ONCE));
  const filter = el('input', {type: 'search', oninput: () => draw(AT_ONCE)});
  function draw(count) {
    const fitting = sets.filter((one) => one.path.toLowerCase().includes(filter.value.toLowerCase()));
    body.replaceChildren(...fitting.slice(0, count).map((one) => el('tr', {},
      el('th', {scope: 'row'}, one.path), el('td', {}, t.kinds[one.kind]),
      several ? el('td', {}, one.kind === 'table' ? el('input', {type: 'checkbox', checked: some.has(one.path), 'aria-label': say(t.link, {name: one.path}), onchange: (event) => tick(one.path, event.target.checked)}) : null) : null,
      el('td', {}, button(t.openOne, () => go('columns', one.path), {label: say(t.openLabel, one)})))));
    more.hidden = fitting.length <= count;
  }
  draw(AT_ONCE);
  return el('div', {}, sets.length > 10 ? labelled(t.filter, filter) : null,
    tableBox(el('table', {}, headRow([t.table, t.kind, ...(several ? [t.linking] : []), t.action]), body), t.tables), more, several ? el('div', {class: 'row'}, together, el('span', {class: 'quiet'}, t.linkHint)) : null);
}

// A data set whose name does not show what it is: a folder, or a file of another ending.
function byPath(trouble) {
  const path = el('input', {type: 'text', spellcheck: 'false'});
  const kind = el('select', {}, ['', 'table', 'images', 'package'].map((value) => el('option', {value}, value ? t.kinds[value] : t.byName)));
  const open = button(t.openOne, () => attempt(trouble, async () => {
    if (kind.value) await post('data', {path: path.value.trim(), kind: kind.value});
    go('columns', path.value.trim());
  }, open), {label: t.byPath});
  return el('details', {}, el('summary', {}, t.byPath), el('div', {class: 'grid'}, labelled(t.path, path, t.pathHint), labelled(t.kind, kind)), el('div', {class: 'row'}, open));
}

// What is dropped alone is opened; several files are linked tables.
function dropping(trouble, hasDemo) {
  const note = el('div');
  async function send(file) {
    const words = say(t.receiving, {name: file.name});
    announce(words);
    return whileWaiting(note, words, (signal) => upload(file.name, file, signal));
  }
  function check(file, several) {
    if (SPREADSHEET.test(file.name)) throw new Refused(say(t.spreadsheet, {name: file.name}));
    if (file.size > MOST_BYTES) throw new Refused(say(t.tooLarge, {most: sizeText(MOST_BYTES)}));
    if (several && !TABLE.test(file.name)) throw new Refused(say(t.oneTable, {name: file.name}));
  }
  async function take(files) {
    const kept = [];
    await attempt(trouble, async () => {
      for (const file of files) check(file, files.length > 1);
      for (const file of files) {
        const one = await send(file);
        if (!one) return kept.splice(0); // cancelled: what was copied stays in the folder
        kept.push(one.path);
      }
    });
    choose.value = '';
    if (kept.length > 0 && kept.length === files.length) go('columns', kept.join('\n'));
  }
  const choose = el('input', {type: 'file', multiple: true, accept: '.csv,.tsv,.gz,.parquet,.json,.ndjson,.jsonl,.sav,.dta,.sas7bdat,.xpt,.sqlite,.sqlite3,.db,.duckdb,.bin,.idx,.xlsx,.xls,.ods', onchange: (event) => take([...event.target.files])});
  const demo = button(t.demo, () => attempt(trouble, async () => go('columns', (await post('demo')).path), demo));
  const box = el('div', {class: 'drop',
    ondragover: (event) => { event.preventDefault(); box.classList.add('over'); },
    ondragleave: () => box.classList.remove('over'),
    ondrop: (event) => { event.preventDefault(); box.classList.remove('over'); take([...event.dataTransfer.files]); }},
  labelled(t.choose, choose, t.dropHint), note, hasDemo ? el('div', {class: 'row'}, demo, el('span', {class: 'quiet'}, t.demoHint)) : null);
  return el('section', {}, el('h2', {}, t.drop), trouble, box);
}

export async function openStep({content, about}) {
  const trouble = el('div');
  content.append(...stepHead('', t.title, say(t.intro, about)));
  const found = await get('files');
  content.append(el('h2', {}, t.tables), setList(setsOf(found)), byPath(trouble), dropping(trouble, found.demo));
}
