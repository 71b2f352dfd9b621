// Linking an instance to a phone: the QR code, the pairing code, and the progress.
import { useEffect, useState } from 'preact/hooks';
import { call, pathOf } from './api.js';
import { t } from './current-language.js';
import { Passkey } from './passkey.js';
import { Field, html, Problem, textsOf, useWork } from './view.js';

/** @typedef {import('./types.d.ts').InstanceRecord} InstanceRecord */
/** @typedef {import('./types.d.ts').QrCode} QrCode */

/**
 * `feed`: the state from the event stream of the instance. `refresh`: loads `record` again.
 * @param {{ record: InstanceRecord, feed: import('./types.d.ts').Feed, refresh: () => Promise<void> }} props
 */
export function Link({ record, feed, refresh }) {
  const [response, setResponse] = useState(/** @type {QrCode | undefined} */ (undefined));
  const [problem, isBusy, run] = useWork();
  const { name, connectionStatus: state } = record;
  const connect = (number = '') =>
    run(async () => {
      const path = number
        ? `${pathOf`instance/connect/${name}`}?number=${encodeURIComponent(number)}`
        : pathOf`instance/connect/${name}`;
      const result = await call('GET', path);
      setResponse(result.code ? result : undefined);
    });
  // The first request waits for the stream, because the stream delivers all later codes. If the stream cannot start,
  // the page shows the first code only. When the stream starts again, the page requests the current code, because it
  // can have missed that code.
  const isReady = feed.isLive || feed.problem !== '';
  useEffect(() => {
    if (isReady && state !== 'open') void connect();
  }, [isReady, feed.isLive]);
  // When linking with a passkey starts, the code of the response is no longer valid.
  useEffect(() => setResponse(undefined), [record.passkey]);
  const update = feed.qrcode;
  const code = update?.qrcode ?? response;
  // The gateway reports an update without a code when it creates no more codes.
  const isExpired = update !== undefined && update.qrcode === undefined;

  // When the connection is open, the component Instance opens the tab Messages.
  if (state === 'open') return null;
  if (record.passkey) return html`<${Passkey} record=${record} refresh=${refresh} />`;
  const { cause, message, userAction } = feed.connection ?? {};
  return html`<section class="card" aria-labelledby="link-title">
    <h2 id="link-title">${t('instance.linkPhone')}</h2>
    <${Problem} text=${problem || (isExpired ? update.message : '')} />
    <${Problem} text=${cause === 'passkey_disabled' ? `${message} ${userAction}` : ''} />
    <p>${t('link.steps')}</p>
    <p role="status" class="quiet">${progressOf(record, code, isBusy, isExpired)}</p>
    ${
      code &&
      !isExpired &&
      html`<div class="qr"><img src=${code.base64} alt=${t('link.qrCode')} width="280" height="280" /></div>`
    }
    ${code?.pairingCode && !isExpired && html`<p>${t('link.pairingCode')} <output class="code">${code.pairingCode}</output></p>`}
    ${
      isExpired &&
      html`<button type="button" class="primary" disabled=${isBusy} onClick=${() => connect()}>${t('link.newCodes')}</button>`
    }
    <${PairingCodeForm} isBusy=${isBusy} onSubmit=${connect} />
  </section>`;
}

/**
 * The step of linking, for the status line.
 * @param {InstanceRecord} record
 * @param {QrCode | undefined} code
 * @param {boolean} isBusy
 * @param {boolean} isExpired
 */
function progressOf({ phase }, code, isBusy, isExpired) {
  if (isExpired) return t('link.expired');
  if (code) return t('link.code', { number: code.count });
  if (phase === 'connecting' || isBusy) return t('link.connecting');
  return t('link.waiting');
}

/** @param {{ isBusy: boolean, onSubmit: (number: string) => Promise<unknown> }} props */
function PairingCodeForm({ isBusy, onSubmit }) {
  const submit = (/** @type {import('./types.d.ts').FormEvent} */ event) => {
    event.preventDefault();
    const { number = '' } = textsOf(event.currentTarget);
    void onSubmit(number.replaceAll(/\D/g, ''));
  };
  return html`<details>
    <summary>${t('link.noCamera')}</summary>
    <form class="row" onSubmit=${submit}>
      <${Field} label=${t('link.number')} name="number" type="tel" required pattern="[+\\d \\(\\)\\-]{6,24}" hint=${t('link.numberHint')} />
      <button type="submit" disabled=${isBusy}>${t('link.getCode')}</button>
    </form>
  </details>`;
}
