// What an instance displays while a user links it: the current QR code as an image, and a pairing code when a phone
// number is set. Decision D-025.
import { settleWithin } from '../lib/deadline.ts';
import type { Log } from '../lib/log.ts';
import type { Session } from '../whatsapp/session.ts';

/** A QR code, and the pairing code for the phone number if one is set. */
export interface PairingDisplay {
  /** Text of the QR code. */
  code: string;
  /** PNG as a data URL. */
  base64: string;
  /** How many QR codes this pairing has displayed, this one included. */
  count: number;
  pairingCode: string | null;
}

/**
 * Options of pngjs, which compresses the image. Filter 2 compares each row with the row above: this takes 9 ms and
 * gives a data URL of 6 kB. The defaults of pngjs try all filters for each row: this takes 13 ms and gives 12 kB.
 */
const COMPRESSION = { rendererOpts: { filterType: 2, deflateLevel: 6, deflateStrategy: 0 } };

/** Renders a QR code as other WhatsApp gateways do, as a PNG data URL. `darkColor` is `#rrggbb`. */
export async function renderQr(code: string, darkColor: string): Promise<string> {
  // Loaded at the first QR code, because most processes never link an instance.
  const { default: QRCode } = await import('qrcode');
  return QRCode.toDataURL(code, {
    ...COMPRESSION,
    type: 'image/png',
    margin: 3,
    scale: 4,
    errorCorrectionLevel: 'H',
    color: { dark: darkColor, light: '#ffffff' },
  });
}

interface CodeResult {
  /** The phone number for which the code was requested; null when no number was set. */
  number: string | null;
  /** The pairing code. Null without a number, for a session that is already linked, and after a failed request. */
  code: string | null;
}

interface CodeRequest {
  session: Session;
  number: string;
  hasFailed: boolean;
  result: Promise<CodeResult>;
}

/** Maximum time for which showQr() delays a QR code until the pairing code is known, ms. */
const CODE_WAIT_MS = 2_000;

export interface PairingOptions {
  /** Maximum number of QR codes that one pairing displays. */
  qrLimit: number;
  /** Dark color of the QR image, `#rrggbb`. */
  qrColor: string;
  log: Log;
}

export class Pairing {
  readonly #options: PairingOptions;
  /** QR codes displayed since the pairing began, across reconnects. */
  count = 0;
  /** Phone number (digits) to pair by code; null for QR codes only. */
  number: string | null = null;
  /** The error with which the last request for a pairing code failed; undefined when no request has failed since. */
  failure: unknown;
  /** Grows with each new QR code and each hide(). A QR code that was rendered for a lower version is not displayed. */
  #version = 0;
  #display: PairingDisplay | null = null;
  /** The session of the displayed QR code; undefined after hide(). */
  #session: Session | undefined;
  /** The last request for a pairing code; undefined after hide(). */
  #request: CodeRequest | undefined;
  /** Settles when the last showQr() has its image, and its pairing code unless CODE_WAIT_MS has passed. */
  #rendering: Promise<unknown> = Promise.resolve();
  /** The phone number for which the displayed pairing code is valid. */
  #displayedNumber: string | null = null;

  constructor(options: PairingOptions) {
    this.#options = options;
  }

  /**
   * The current QR code; null when there is none, and as soon as the phone has accepted. The connection ends only
   * later, and until then a client would get a code that is used up.
   */
  get display(): PairingDisplay | null {
    return this.#session?.isPaired() ? null : this.#display;
  }

  /** Whether the pairing has displayed fewer QR codes than `qrLimit`. */
  get hasQrLeft(): boolean {
    return this.count < this.#options.qrLimit;
  }

  /** Whether a pairing code for `number` is on display. */
  hasCodeFor(number: string): boolean {
    return this.display?.pairingCode != null && this.#displayedNumber === number;
  }

  /** Begins a new pairing: removes the display and restarts the count. */
  reset(): void {
    this.hide();
    this.count = 0;
    this.failure = undefined;
  }

  /** Removes the display. The count continues. */
  hide(): void {
    this.#version += 1;
    this.#request = undefined;
    // The promise of the last rendering would keep its image in memory as long as the instance exists.
    this.#rendering = Promise.resolve();
    this.#session = undefined;
    this.#display = null;
  }

  /**
   * Displays the next QR code of a session, with a pairing code when a number is set. The pairing code is requested
   * once per session, because each request notifies the phone. When WhatsApp has not answered after CODE_WAIT_MS, the
   * display has no pairing code yet: call addPendingCode() then. Resolves with the display, or with null when, in the
   * meantime, the phone accepts or the next showQr() or hide() is called.
   */
  async showQr(session: Session, code: string): Promise<PairingDisplay | null> {
    this.#version += 1;
    this.count += 1;
    const { count } = this;
    const version = this.#version;
    const request = settleWithin(this.#requestCode(session), CODE_WAIT_MS);
    const rendering = Promise.all([renderQr(code, this.#options.qrColor), request]);
    this.#rendering = rendering;
    const [base64, result] = await rendering;
    if (version !== this.#version) return null;
    this.#displayedNumber = result?.number ?? null;
    this.#session = session;
    this.#display = { code, base64, count, pairingCode: result?.code ?? null };
    return this.display;
  }

  /**
   * Adds a pairing code for `number` to the display. Resolves with the changed display, or with null when the display
   * did not change.
   */
  addPairingCode(session: Session, number: string): Promise<PairingDisplay | null> {
    this.number = number;
    return this.#addCode(session, this.#requestCode(session, { repeatsFailed: true }));
  }

  /**
   * Adds the pairing code to the display when WhatsApp answers the request of showQr(). Resolves with the changed
   * display, or with null when the display did not change.
   */
  addPendingCode(session: Session): Promise<PairingDisplay | null> {
    return this.#addCode(session, this.#requestCode(session));
  }

  async #addCode(session: Session, request: Promise<CodeResult>): Promise<PairingDisplay | null> {
    const [result] = await Promise.all([request, this.#rendering]);
    // During the wait, the pairing can have ended, or the session, the number or the displayed code can have changed.
    const { display } = this;
    if (!display || result.code === null || result.number !== this.number) return null;
    if (this.#request?.session !== session || display.pairingCode === result.code) return null;
    this.#displayedNumber = result.number;
    this.#display = { ...display, pairingCode: result.code };
    return this.#display;
  }

  /**
   * Requests a pairing code for the set number, or returns the result of an earlier request of this session for that
   * number. With `repeatsFailed`, an earlier request that failed is repeated: for a code that a client requests.
   */
  #requestCode(session: Session, { repeatsFailed = false } = {}): Promise<CodeResult> {
    const number = this.number;
    // After linking, requestPairingCode() of Baileys would replace the JID of the account by this number.
    if (number === null || session.isPaired()) return Promise.resolve({ number, code: null });
    const last = this.#request;
    if (last?.session === session && last.number === number && !(last.hasFailed && repeatsFailed)) return last.result;
    this.failure = undefined;
    const answer = session.requestPairingCode(number);
    const { promise: result, resolve } = Promise.withResolvers<CodeResult>();
    const request = { session, number, hasFailed: false, result };
    this.#request = request;
    answer.then(
      (code) => resolve({ number, code }),
      (err: unknown) => {
        this.#options.log.warn({ err }, 'instance.pairing_code.refused');
        // A later request, for another number or in another pairing, may have replaced this request.
        if (this.#request === request) {
          this.failure = err;
          request.hasFailed = true;
        }
        resolve({ number, code: null });
      },
    );
    return result;
  }
}
