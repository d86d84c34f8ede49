// SPDX-License-Identifier: Apache-2.0
// Ledgers and certificates of all data sets in the folder: what was released and what it cost; verify, print.
import {texts, say} from './texts.js';
import {el, get, post, button, attempt, announce, short, stepHead, headRow, tableBox, actions, runParts} from './tools.js';

const t = texts.ledgers;

const epsilonText = (value) => (value === null ? t.infinite : short(value, 6));

function lines(ledger) {
  const rows = ledger.lines.filter((line) => line.op === 'RESERVE' || line.op === 'LIMIT' || line.op === 'REPAIR' || line.op === 'SUCCEED');
  return el('details', {}, el('summary', {}, say(t.lines, {count: rows.length})),
    tableBox(el('table', {}, headRow([t.time, t.who, t.dataTitle, t.release, t.state, {text: t.cost, class: 'number'}, {text: t.total, class: 'number'}]),
      el('tbody', {}, rows.slice(-200).map((line) => el('tr', {}, el('td', {}, line.time), el('td', {}, line.who), el('td', {}, line.title), el('td', {}, line.name || line.op), el('td', {}, line.state),
        el('td', {class: 'number'}, short(line.mu, 4)), el('td', {class: 'number'}, epsilonText(line.epsilon_total))))))));
}

function ledgerCard(path, ledger) {
  const fact = (name, value) => [el('dt', {}, name), el('dd', {}, value)];
  return el('section', {class: 'card'}, el('h2', {}, path),
    ledger.torn ? el('p', {class: 'bad'}, t.torn) : null, ledger.test_key ? el('p', {class: 'bad'}, t.testKey) : null,
    el('dl', {}, fact(t.spent, `epsilon ${epsilonText(ledger.spent)}, delta ${ledger.delta}`), fact(t.limit, ledger.limit === 'none' ? t.noLimit : ledger.limit),
      fact(t.left, ledger.epsilon_left === null ? t.noLimit : `epsilon ${short(ledger.epsilon_left, 6)}`),
      fact(t.releases, String(ledger.releases)), fact(t.made, ledger.created), fact(t.neighbours, ledger.neighbours), fact(t.head, ledger.head)),
    ledger.successor ? el('p', {}, say(t.closed, {ledger: ledger.successor})) : null,
    ledger.periods > 1 ? el('p', {}, say(t.allPeriods, {count: ledger.periods, epsilon: epsilonText(ledger.spent_all_periods)})) : null,
    lines(ledger));
}

// The ledger of the table that a certificate of a run is about.
function ledgerOf(certificate, ledgers) {
  const name = certificate.includes('.runs/') ? runParts(certificate).input.split('::')[0] + '.ledger' : null;
  return ledgers.some((one) => one.path === name) ? name : undefined;
}

// first: the one that the step is about
function certificateCard(path, ledgers, first) {
  const result = el('div');
  const check = button(t.verify, () => attempt(result, async () => {
    const ledger = ledgerOf(path, ledgers);
    const found = await post('verify', {certificate: path, ledger});
    announce(t.verified);
    result.replaceChildren(el('p', {class: found.holds ? 'good' : 'bad'}, found.holds ? t.verified : t.noGuarantee),
      ledger ? el('p', {}, say(t.withLedger, {ledger})) : '', el('pre', {tabindex: 0}, found.statement));
  }, check), {main: first, label: say(t.verifyLabel, {path})});
  return el('section', {class: 'card', 'data-certificate': path}, el('h3', {}, path), el('div', {class: 'row'}, check), result);
}

export async function ledgersStep({content}, {subject}) {
  content.append(...stepHead('', t.title, t.intro));
  const found = await get('files');
  if (found.ledgers.length === 0) content.append(el('p', {}, t.none));
  for (const {path} of found.ledgers.slice(0, 100)) {
    const place = el('div');
    content.append(place);
    await attempt(place, async () => place.replaceChildren(ledgerCard(path, (await get('ledger', {path})).ledger)));
  }
  // Those of the run that was asked for come first.
  const certificates = found.certificates.map((one) => one.path).sort((a, b) => (subject !== '' && b.startsWith(subject + '/')) - (subject !== '' && a.startsWith(subject + '/')));
  content.append(el('h2', {}, t.certificates), ...certificates.slice(0, 100).map((path, i) => certificateCard(path, found.ledgers, i === 0)),
    actions(button(t.print, () => print())));
}
