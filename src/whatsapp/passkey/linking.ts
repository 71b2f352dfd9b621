// Links an account whose owner has a passkey. After the phone has scanned the QR code, WhatsApp asks for an assertion
// (a signature with the passkey). The phone and this client then agree on keys, the owner compares a code, and this
// client sends its keys to the phone. The usual `pair-success`, which completes a link, follows. Decision D-168.
import type { Logger } from 'pino';
import { GatewayError, hasCode, invalidRequestError } from '../../errors.ts';
import type { Clock, Timer } from '../../lib/clock.ts';
import type { AuthState } from '../baileys/auth/auth-state.ts';
import { CONNECTION_CLOSED } from '../baileys/errors.ts';
import {
  ackOf,
  confirmationCodeOf,
  createAdvSecret,
  createPrologue,
  deriveHandoffKey,
  isFromServer,
  nonceQuery,
  PASSKEY_CONTINUED,
  PASSKEY_REQUESTED,
  type PasskeyAssertion,
  type PrimaryIdentity,
  type Prologue,
  pairingRequestQuery,
  platformTypeOf,
  primaryIdentityOf,
  prologueQuery,
  refOf,
  refQuery,
  requestQuery,
  requestTextOf,
} from '../baileys/passkey-stanzas.ts';
import type { Stanza } from '../baileys/stanza.ts';
import type { Socket } from '../baileys/types.ts';
import { QueryRefusal, queryWhatsApp } from '../query.ts';
import type { PasskeyStage, PasskeyStatus, Session, SessionPasskey, SessionSignal } from '../session.ts';
import { readRequest } from './request.ts';
import { readAssertion } from './webauthn-assertion.ts';

export interface PasskeyLinkingDeps {
  socket: Pick<Socket, 'ws' | 'sendNode'>;
  auth: Pick<AuthState, 'creds' | 'saveCreds' | 'waitForCreds'>;
  /** Browser name in the list of linked devices. The prologue contains the platform type of this name. */
  browser: string;
  /** False when PASSKEY_LINKING is off. A request of WhatsApp is then reported with status null, and not answered. */
  isEnabled: boolean;
  clock: Clock;
  log: Logger;
  emit: (signal: SessionSignal) => void;
}

/** The session on whose connection the account is linked. */
interface LinkingSession extends Pick<Session, 'ended' | 'socket'> {
  /** Ends the session. The signal `closed` follows with this code and reason. */
  fail(code: number, reason: string): void;
}

/** Time after WhatsApp's request during which the phone accepts the link. */
const LIFETIME_MS = 5 * 60_000;
/** Close code of a link that expired. */
const TIMED_OUT = 408;

export class PasskeyLinking implements SessionPasskey {
  readonly #deps: PasskeyLinkingDeps;
  readonly #session: LinkingSession;
  #status: PasskeyStatus | undefined;
  #failure: SessionPasskey['failure'];
  #expiry: Timer | undefined;
  /**
   * Key of the HMAC that proves that this client knows the secret in the scanned QR code. Set when WhatsApp has asked
   * for an assertion.
   */
  #handoffKey: Uint8Array | undefined;
  /** This client's first message of the key agreement. Set when the assertion is sent. */
  #prologue: Prologue | undefined;
  /** The phone's part of the key agreement. Set when the phone has answered the prologue. */
  #primary: PrimaryIdentity | undefined;

  constructor(session: LinkingSession, deps: PasskeyLinkingDeps) {
    this.#session = session;
    this.#deps = deps;
    const { ws } = deps.socket;
    ws.on(PASSKEY_REQUESTED, (stanza: Stanza) => this.#handle(stanza, () => this.#onRequest(stanza)));
    ws.on(PASSKEY_CONTINUED, (stanza: Stanza) => this.#handle(stanza, () => this.#onContinuation(stanza)));
    session.ended.addEventListener('abort', () => this.#expiry?.cancel());
  }

  get failure(): SessionPasskey['failure'] {
    return this.#failure;
  }

  status(): PasskeyStatus | undefined {
    return this.#status;
  }

  async answer(assertion: unknown): Promise<void> {
    const { request } = this.#assertStage('required');
    const checked = readAssertion(assertion, request);
    // This stage is not emitted as a signal: the owner must act in the stages `required` and `confirm` only.
    this.#setStage('verifying');
    await this.#sendOrFail(() => this.#sendAssertion(checked));
  }

  async confirm(code: string): Promise<void> {
    const { code: shownCode } = this.#assertStage('confirm');
    if (withoutDash(code) !== withoutDash(shownCode ?? '')) {
      const sentence = 'code is not the code of this link. Do not confirm a link whose codes differ.';
      throw invalidRequestError(sentence);
    }
    const { auth } = this.#deps;
    const prologue = this.#prologue;
    const primary = this.#primary;
    if (!prologue || !primary) throw wrongStageError();
    // From here on, WhatsApp may close the connection for the first login at any time.
    this.#setStage('confirmed');
    await this.#sendOrFail(async () => {
      // The pairing request contains the new secret (advSecretKey) from #onRequest(). The phone signs the account with
      // this secret. It must be stored before it is sent, because this process can end before the first login.
      await auth.waitForCreds();
      await queryWhatsApp(this.#session, pairingRequestQuery(auth.creds, prologue, primary));
    });
  }

  /** Handles a notification. A failure ends the link and with it the session. */
  async #handle(stanza: Stanza, step: () => Promise<void>): Promise<void> {
    const { auth, socket, log } = this.#deps;
    if (!isFromServer(stanza) || auth.creds.account) return;
    // After a request for a pairing code, Baileys knows the account and sends the ack itself.
    if (!auth.creds.me) await socket.sendNode(ackOf(stanza));
    try {
      await step();
    } catch (err) {
      log.warn({ err }, 'session.passkey.failed');
      this.#end('failed', CONNECTION_CLOSED);
    }
  }

  async #onRequest(stanza: Stanza): Promise<void> {
    const { auth, isEnabled, emit, clock, log } = this.#deps;
    if (!isEnabled) {
      emit({ type: 'passkey', status: null });
      return;
    }
    if (this.#handoffKey) {
      log.warn('session.passkey.repeated');
      return;
    }
    // The handoff key is derived from the secret in the QR code, which the phone knows. The pairing request needs a new
    // secret.
    this.#handoffKey = deriveHandoffKey(auth.creds.advSecretKey);
    auth.creds.advSecretKey = createAdvSecret();
    auth.saveCreds();
    const request = readRequestIn(stanza) ?? readRequestIn(await queryWhatsApp(this.#session, requestQuery()));
    if (!request) throw new Error('the passkey request is malformed');
    this.#status = { stage: 'required', request, code: null, expiresAt: clock.now() + LIFETIME_MS };
    this.#expiry = clock.after(LIFETIME_MS, () => this.#end('expired', TIMED_OUT));
    emit({ type: 'passkey', status: this.#status });
  }

  async #sendAssertion(assertion: PasskeyAssertion): Promise<void> {
    const ref = refOf(await queryWhatsApp(this.#session, refQuery()));
    if (ref === undefined || !this.#handoffKey) throw new Error('the platform sent no reference');
    this.#prologue = createPrologue(ref, platformTypeOf(this.#deps.browser));
    await queryWhatsApp(this.#session, prologueQuery(this.#prologue, assertion, this.#handoffKey));
  }

  async #onContinuation(stanza: Stanza): Promise<void> {
    const prologue = this.#prologue;
    if (!prologue || this.#primary || !this.#status) {
      this.#deps.log.warn('session.passkey.ignored');
      return;
    }
    const primary = primaryIdentityOf(stanza);
    if (!primary) throw new Error("the phone's answer is malformed");
    this.#primary = primary;
    await queryWhatsApp(this.#session, nonceQuery(prologue));
    this.#status = { ...this.#status, stage: 'confirm', code: confirmationCodeOf(prologue, primary) };
    this.#deps.emit({ type: 'passkey', status: this.#status });
  }

  /** Returns the status. Throws PASSKEY_EXPIRED or PASSKEY_WRONG_STAGE unless the link is in this stage. */
  #assertStage(stage: PasskeyStage): PasskeyStatus {
    if (this.#failure === 'expired') throw expiredError();
    if (this.#status?.stage !== stage || this.#session.ended.aborted) throw wrongStageError();
    return this.#status;
  }

  #setStage(stage: PasskeyStage): void {
    if (this.#status) this.#status = { ...this.#status, stage };
  }

  /** Sends a step of the owner. Every failure ends the link, because no step is sent twice. */
  async #sendOrFail(send: () => Promise<void>): Promise<void> {
    try {
      await send();
    } catch (cause) {
      if (this.#failure === 'expired') throw expiredError();
      this.#deps.log.warn({ err: cause }, 'session.passkey.refused');
      this.#end('failed', CONNECTION_CLOSED);
      if (cause instanceof QueryRefusal) throw refusedError(cause);
      if (hasCode(cause, 'PLATFORM_TIMEOUT')) throw cause;
      throw new GatewayError('PLATFORM_TIMEOUT', 'The connection was lost while linking. Linking starts again.', {
        // Until the prologue is created, WhatsApp has received nothing of the link.
        certain: !this.#prologue,
        cause,
      });
    }
  }

  /** Ends the link and the session. Does nothing when the session has ended. */
  #end(failure: NonNullable<SessionPasskey['failure']>, code: number): void {
    if (this.#session.ended.aborted) return;
    this.#failure = failure;
    this.#session.fail(code, `linking with a passkey ${failure === 'expired' ? 'took too long' : 'failed'}`);
  }
}

const withoutDash = (code: string): string => code.replaceAll('-', '').toUpperCase();

/** Reads the passkey request in a stanza. Undefined when there is none. */
function readRequestIn(stanza: Stanza): PasskeyStatus['request'] | undefined {
  const text = requestTextOf(stanza);
  return text && readRequest(text);
}

const wrongStageError = () =>
  new GatewayError('PASSKEY_WRONG_STAGE', ['Linking with a passkey is not at this step. See its stage.'], {
    certain: true,
  });

const expiredError = () =>
  new GatewayError('PASSKEY_EXPIRED', ['The time for linking with this passkey request is over. Scan a new QR code.'], {
    certain: true,
  });

const refusedError = (cause: QueryRefusal) =>
  new GatewayError(
    'PASSKEY_REFUSED',
    [`The platform refused the passkey (${cause.code} ${cause.message}). Scan a new QR code to try again.`],
    { cause },
  );
