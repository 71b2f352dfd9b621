// A phone of the sandbox: it scans, shows what it got, reads and answers. Not there on the real platform.
import { useState } from 'preact/hooks';
import { at, call } from './api.js';
import { Field, html, Notice, Problem, timeOf, useEnd, usePolling, useWork, valuesOf } from './view.js';

const LOOK_AGAIN = 1500;
/** Numbers that belong to nobody: one to link, one to write to. */
const FIRST = '15550001001';
const OTHER = '15550001002';

export function Phone({ record }) {
  const isOpen = record.connectionStatus === 'open';
  const own = record.ownerJid?.split(/[:@]/, 1)[0] ?? '';
  const [chosen, setNumber] = useState('');
  const number = chosen || (isOpen ? (own === OTHER ? FIRST : OTHER) : own || FIRST);
  const [letters, setLetters] = useState([]);
  const [problem, busy, run] = useWork();
  const [done, setDone] = useState('');
  const log = useEnd(letters.length);
  const isNumber = /^\d{5,20}$/.test(number);
  const load = async (signal) =>
    setLetters(isNumber ? await call('GET', at`manager/phones/${number}/messages`, undefined, signal) : []);
  usePolling(load, LOOK_AGAIN, [number]);
  const act = (what, body, words = '') =>
    run(async () => {
      setDone('');
      await call('POST', at`manager/phones/${number}/${what}`, body);
      setDone(words);
      await load();
    });
  const answer = (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const { to, words } = valuesOf(form);
    void act('messages', { to, text: words }).then((isWell) => isWell && form.reset());
  };
  return html`<aside class="card phone" aria-labelledby="phone-title">
    <h2 id="phone-title">Phone of the sandbox</h2>
    <${Field} label="This phone's number" inputmode="numeric" pattern="\\d{5,20}" value=${number} onChange=${({ target }) => setNumber(target.value.trim())} />
    <${Problem} text=${problem} /><${Notice} text=${done} />
    ${!isOpen && html`<button type="button" class="primary" disabled=${busy} onClick=${() => act('scan', { instance: record.name }, 'Scanned.')}>Scan the QR code</button>`}
    <div class="log" role="log" aria-label="On this phone" tabindex="0" ref=${log}><ul role="list">
      ${letters.length === 0 && html`<li class="empty">Nothing on this phone yet.</li>`}
      ${letters.slice(-50).map((letter) => html`<${Letter} key=${letter.id} letter=${letter} />`)}
    </ul></div>
    ${own && own !== number && html`<button type="button" disabled=${busy} onClick=${() => act('read', { chat: own }, 'Read.')}>Read everything</button>`}
    <form onSubmit=${answer} aria-label="Write from this phone">
      <${Field} label="Write to" name="to" required key=${own} defaultValue=${own === number ? OTHER : own} />
      <${Field} label="Words" name="words" required maxlength="4096" />
      <button type="submit" disabled=${busy}>Write</button>
    </form>
  </aside>`;
}

function Letter({ letter: { from, chat, fromMe, kind, text, edited, deleted, timestamp } }) {
  return html`<li class=${fromMe ? 'mine' : 'theirs'}>
    <p class="who">${fromMe ? `to ${chat}` : `from ${from}`}</p>
    <p>${deleted ? 'Deleted' : (edited ?? text ?? kind)}</p>
    <p class="when"><time>${timeOf(timestamp * 1000)}</time></p>
  </li>`;
}
