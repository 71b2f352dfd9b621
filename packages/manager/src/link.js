// Linking: the QR code that turns by itself, the pairing code, and how far it is.
import { useEffect, useState } from 'preact/hooks';
import { at, call } from './api.js';
import { Field, html, Problem, useWork, valuesOf } from './view.js';

export function Link({ record, feed }) {
  const [shown, setShown] = useState(undefined);
  const [problem, busy, run] = useWork();
  const { name, connectionStatus: state } = record;
  const connect = (number = '') =>
    run(async () => {
      const path = number
        ? `${at`instance/connect/${name}`}?number=${encodeURIComponent(number)}`
        : at`instance/connect/${name}`;
      const answer = await call('GET', path);
      setShown(answer.code ? answer : undefined);
    });
  // Not before the stream is there: what turns the code comes through it.
  useEffect(() => {
    if (feed.isLive && state !== 'open') void connect();
  }, [feed.isLive]);
  const news = feed.qrcode;
  const code = news?.qrcode ?? shown;
  const isOver = news !== undefined && news.qrcode === undefined;

  if (state === 'open') return html`<p class="notice good" role="status">${name} is linked and open.</p>`;
  return html`<section class="card" aria-labelledby="link-title">
    <h2 id="link-title">Link with a phone</h2>
    <${Problem} text=${problem || (isOver ? news.message : '')} />
    <p>On the phone: Settings, Linked devices, Link a device. Then point it at this code.</p>
    <p role="status" class="quiet">${stepOf(record, code, busy, isOver)}</p>
    ${code && !isOver && html`<div class="qr"><img src=${code.base64} alt="QR code to scan with the phone" width="280" height="280" /></div>`}
    ${code?.pairingCode && !isOver && html`<p>Pairing code: <output class="code">${code.pairingCode}</output></p>`}
    ${isOver && html`<button type="button" class="primary" disabled=${busy} onClick=${() => connect()}>Show new codes</button>`}
    <${ByCode} busy=${busy} onAsk=${connect} />
  </section>`;
}

function stepOf({ phase }, code, busy, isOver) {
  if (isOver) return 'The codes have run out.';
  if (code) return `Code ${code.count}. It changes by itself; the newest one counts.`;
  if (phase === 'connecting' || busy) return 'Connecting to the platform…';
  return 'Waiting for a code…';
}

function ByCode({ busy, onAsk }) {
  const submit = (event) => {
    event.preventDefault();
    void onAsk(valuesOf(event.currentTarget).number.replaceAll(/\D/g, ''));
  };
  return html`<details>
    <summary>No camera? Link with a code</summary>
    <form class="row" onSubmit=${submit}>
      <${Field} label="Phone number" name="number" type="tel" required pattern="[+\\d \\(\\)\\-]{6,24}" hint="With the country code" />
      <button type="submit" disabled=${busy}>Get a code</button>
    </form>
  </details>`;
}
