// What is on display while an instance pairs: the current QR code, rendered once, and the pairing code when a number is wanted.
import QRCode from 'qrcode';
import type { Session } from '../whatsapp/session.ts';
import type { Log } from './connection-notifier.ts';

export interface QrDisplay {
  code: string;
  /** PNG as a data URL. */
  base64: string;
  /** How many QR codes this pairing has displayed, this one included. */
  count: number;
  pairingCode: string | null;
}

/** Renders the QR text as the peers do: margin 3, scale 4, error correction H. */
export function renderQr(code: string, dark: string): Promise<string> {
  return QRCode.toDataURL(code, {
    type: 'image/png',
    margin: 3,
    scale: 4,
    errorCorrectionLevel: 'H',
    color: { dark, light: '#ffffff' },
  });
}

interface AskedCode {
  number: string | null;
  code: string | null;
}

interface CodeRequest {
  session: Session;
  number: string;
  result: Promise<AskedCode>;
}

export class Pairing {
  readonly #options: { qrLimit: number; qrColor: string; log: Log };
  /** QR codes displayed since somebody asked to pair, across reconnects. */
  count = 0;
  display: QrDisplay | null = null;
  /** Number (digits) that wants a pairing code, or null. */
  number: string | null = null;
  /** Why the platform gave no pairing code for `number`. */
  failure: unknown;
  #turn = 0;
  #request: CodeRequest | undefined;
  #showing: Promise<unknown> = Promise.resolve();
  #shownFor: string | null = null;

  constructor(options: { qrLimit: number; qrColor: string; log: Log }) {
    this.#options = options;
  }

  get qrLeft(): boolean {
    return this.count < this.#options.qrLimit;
  }

  /** Whether a pairing code for `number` is on display. */
  showsCodeFor(number: string): boolean {
    return this.display?.pairingCode != null && this.#shownFor === number;
  }

  /** A new pairing begins: the count starts again. */
  reset(): void {
    this.hide();
    this.count = 0;
    this.failure = undefined;
  }

  /** Nothing is on display any more; the count goes on. */
  hide(): void {
    this.#turn += 1;
    this.#request = undefined;
    this.display = null;
  }

  /**
   * Displays the next QR code of a session, with a pairing code when a number is wanted (asked once per session: each request notifies
   * the phone). Resolves with the display, or null when it was overtaken by a newer one or hidden meanwhile.
   */
  async show(session: Session, code: string): Promise<QrDisplay | null> {
    this.#turn += 1;
    this.count += 1;
    const { count } = this;
    const turn = this.#turn;
    const work = Promise.all([renderQr(code, this.#options.qrColor), this.#code(session)]);
    this.#showing = work;
    const [base64, asked] = await work;
    if (turn !== this.#turn) return null;
    this.#shownFor = asked.number;
    this.display = { code, base64, count, pairingCode: asked.code };
    return this.display;
  }

  /** Adds a pairing code for `number` to what is on display. Resolves with the display if that changed it, else null. */
  async ask(session: Session, number: string): Promise<QrDisplay | null> {
    this.number = number;
    const [asked] = await Promise.all([this.#code(session), this.#showing]);
    if (!this.display || asked.code === null || asked.number !== this.number) return null;
    if (this.#request?.session !== session || this.display.pairingCode === asked.code) return null;
    this.#shownFor = asked.number;
    this.display = { ...this.display, pairingCode: asked.code };
    return this.display;
  }

  #code(session: Session): Promise<AskedCode> {
    const number = this.number;
    if (number === null) return Promise.resolve({ number, code: null });
    if (this.#request?.session === session && this.#request.number === number) return this.#request.result;
    this.failure = undefined;
    const result = session.requestPairingCode(number).then(
      (code) => ({ number, code }),
      (err: unknown) => {
        this.failure = err;
        this.#request = undefined;
        this.#options.log.warn({ err }, 'instance.pairing_code.refused');
        return { number, code: null };
      },
    );
    this.#request = { session, number, result };
    return result;
  }
}
