// Shows the QR codes of a pairing. Stops when a phone has linked the device, and when WhatsApp asks for a passkey after
// a phone has scanned a code. Decision D-168.
// Why: Baileys closes the connection when its QR codes are used up, 160 s after the first one. In two cases this is
//   wrong: when the owner is still answering a passkey request after the scan, which may take five minutes; and when a
//   phone has linked the device, but WhatsApp has not yet closed the connection with 515 (reconnect). No option or
//   method of Baileys stops the timer of the QR codes.
// Upstream: not reported; WhiskeySockets/Baileys#2672 asks for passkeys.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: Baileys stops its QR codes after a passkey request and after a link, or lets its user stop them.
import { buildPairingQRData, type WABrowserDescription, type WASocket } from '../library.ts';
import { isFromServer, PASSKEY_REQUESTED } from '../passkey-stanzas.ts';
import { childOf, childrenOf, type Stanza } from '../stanza.ts';

const PAIR_DEVICE = 'CB:iq,type:set,pair-device';
/** ms for which the first QR code is shown. */
const FIRST_LIFETIME = 60_000;
/** ms for which each later QR code is shown. */
const LIFETIME = 20_000;
/** Close code of a pairing whose QR codes are used up. */
const TIMED_OUT = 408;

export interface QrCodeOptions {
  browser: WABrowserDescription;
  /** True when a passkey request ends the display. */
  stopsForPasskey: boolean;
  /** Aborts when the session ends. */
  ended: AbortSignal;
}

type PairingSocket = Pick<WASocket, 'ws' | 'ev' | 'authState' | 'sendNode' | 'end'>;

/**
 * Replaces Baileys' display of QR codes. patchPairingAfterLogin() removes the listener of `pair-device` after a login.
 */
export function patchQrCodes(socket: PairingSocket, options: QrCodeOptions): void {
  const { ws } = socket;
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearTimeout(timer);
  const show = (refs: readonly Stanza[], lifetime: number): void => {
    // After `pair-success`, the connection waits for the request to reconnect (515).
    if (options.ended.aborted || socket.authState.creds.account) return;
    const [ref, ...rest] = refs;
    if (!ref) {
      void socket.end(Object.assign(new Error('the QR codes are used up'), { output: { statusCode: TIMED_OUT } }));
      return;
    }
    socket.ev.emit('connection.update', { qr: toQrText(socket, textOf(ref), options.browser) });
    timer = setTimeout(() => show(rest, LIFETIME), lifetime);
  };
  options.ended.addEventListener('abort', stop);
  ws.removeAllListeners(PAIR_DEVICE);
  ws.on(PAIR_DEVICE, async (stanza: Stanza) => {
    await socket.sendNode({ tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'result', id: stanza.attrs.id ?? '' } });
    stop();
    show(childrenOf(childOf(stanza, 'pair-device'), 'ref'), FIRST_LIFETIME);
  });
  if (!options.stopsForPasskey) return;
  ws.on(PASSKEY_REQUESTED, (stanza: Stanza) => {
    if (isFromServer(stanza)) stop();
  });
}

/** Returns the text of a QR code. `ref` is one of the references that WhatsApp sent. */
function toQrText({ authState: { creds } }: PairingSocket, ref: string, browser: WABrowserDescription): string {
  const noiseKey = Buffer.from(creds.noiseKey.public).toString('base64');
  const identityKey = Buffer.from(creds.signedIdentityKey.public).toString('base64');
  return buildPairingQRData(ref, noiseKey, identityKey, creds.advSecretKey, browser);
}

const textOf = ({ content }: Stanza): string =>
  content instanceof Uint8Array ? Buffer.from(content).toString() : String(content ?? '');
