// Reports messages that were decrypted and not stored: those of earlier sessions, and those whose processing failed in
// Baileys rc14. A message that cannot be processed is reported as unprocessable, so that it does not fail again in
// every session.

import type { Logger } from 'pino';
import { toEpochSeconds } from '../../lib/whole-number.ts';
import type { AuthState } from '../baileys/auth/auth-state.ts';
import type { MessageTurn } from '../baileys/patches/message-turns.ts';
import { cleanMessage, decryptMessageNode } from '../baileys/proto.ts';
import type { Stanza } from '../baileys/stanza.ts';
import { isTransportError } from '../baileys/transport-error.ts';
import type { Socket, WireMessage } from '../baileys/types.ts';
import type { InboundBuffer, Part } from './inbound-buffer.ts';
import type { Envelope } from './unprocessable-event.ts';
import type { ReportUnprocessable } from './unprocessable-messages.ts';

export interface ResumeDeps {
  /** Has the linked account, if there is one. */
  auth: Pick<AuthState, 'creds'>;
  log: Logger;
  ended: AbortSignal;
  reportUnprocessable: ReportUnprocessable;
}

type ResumeSocket = Pick<Socket, 'ev' | 'messageMutex' | 'signalRepository' | 'upsertMessage' | 'ws'>;

/**
 * Reports the unstored messages of earlier sessions through Baileys, before any new message, and then handles failures
 * of this session. A message with missing parts is skipped: it has no receipt, so WhatsApp sends it again.
 */
export async function resumeMessages(buffer: InboundBuffer, socket: ResumeSocket, parts: ResumeDeps): Promise<void> {
  const { log, ended } = parts;
  const isLoggedIn = waitForLogin(socket, ended);
  const resumption = new Resumption(buffer, socket, parts);
  const messages = await resumption.rebuildAll(buffer.unstoredMessages());
  if (messages.length > 0) log.warn({ messages: messages.length }, 'message.resumed');
  const report = (message: WireMessage) =>
    socket.messageMutex.mutex(async (): Promise<void> => {
      if (isOwnProtocolMessage(message) && !(await isLoggedIn)) return;
      await resumption.report(message);
    });
  const [orders = [], others = []] = [true, false].map((isOrder) =>
    messages.filter((message) => isOwnProtocolMessage(message) === isOrder),
  );
  const taken = [...others, ...orders].map(report);
  Promise.all(taken).catch((err: unknown) => log.error({ err }, 'message.resume.failed'));
}

class Resumption {
  readonly #buffer: InboundBuffer;
  readonly #socket: ResumeSocket;
  readonly #deps: ResumeDeps;

  constructor(buffer: InboundBuffer, socket: ResumeSocket, deps: ResumeDeps) {
    this.#buffer = buffer;
    this.#socket = socket;
    this.#deps = deps;
    buffer.turns.onFailure = (err, turn) => this.#recover(err, turn);
  }

  /**
   * Decodes the messages as Baileys would have reported them, in order of arrival. WhatsApp's times are only seconds.
   */
  async rebuildAll(groups: readonly (readonly Part[])[]): Promise<WireMessage[]> {
    const messages: { at: number; message: WireMessage }[] = [];
    for (const parts of groups) {
      const [first] = parts;
      if (!first || parts.length < first.of) continue;
      try {
        const message = await this.#rebuild(first, parts);
        if (message) messages.push({ at: Math.max(...parts.map((part) => part.at ?? 0)), message });
      } catch (err) {
        await this.#dropMessage(err, envelopeOf(first));
      }
    }
    const time = ({ message }: (typeof messages)[number]) => Number(message.messageTimestamp);
    return messages.toSorted((a, b) => a.at - b.at || time(a) - time(b)).map(({ message }) => message);
  }

  async #rebuild(first: Part, parts: readonly Part[]): Promise<WireMessage | undefined> {
    const { me } = this.#deps.auth.creds;
    if (!me) return undefined;
    const content: Stanza[] = parts
      .toSorted((a, b) => a.index - b.index)
      .map(({ enc, plaintext }) => ({ tag: 'enc', attrs: enc, content: Buffer.from(plaintext, 'base64') }));
    const node = { tag: 'message', attrs: first.stanza, content };
    const lid = me.lid ?? '';
    const isRead = { decryptMessage: passThrough('ciphertext'), decryptGroupMessage: passThrough('msg') };
    const repository = { ...this.#socket.signalRepository, ...isRead };
    const { fullMessage, decrypt } = decryptMessageNode(node, me.id, lid, repository, this.#deps.log);
    await decrypt();
    cleanMessage(fullMessage, me.id, lid);
    return fullMessage;
  }

  /** Reports a message through Baileys in the current turn. Never rejects. */
  async report(message: WireMessage): Promise<void> {
    try {
      await this.#socket.upsertMessage(message, 'append');
    } catch (err) {
      if (this.#buffer.turns.current?.reported.has(message.key.id ?? '')) this.#logUnfinished(err, message);
      else await this.#dropMessage(err, message);
    }
  }

  /**
   * Baileys failed on a message after decryption, perhaps after its receipt, so WhatsApp does not send it again. Never
   * rejects.
   */
  async #recover(err: unknown, turn: MessageTurn): Promise<void> {
    for (const parts of this.#buffer.unstoredMessagesOf(turn.decrypted)) {
      const [first] = parts;
      if (!first) continue;
      const envelope = envelopeOf(first);
      if (turn.reported.has(envelope.key.id ?? '')) this.#logUnfinished(err, envelope);
      else for (const message of await this.rebuildAll([parts])) await this.report(message);
    }
  }

  /** The message was reported, but a following step failed. The next session downloads failed history again. */
  #logUnfinished(err: unknown, message: Envelope): void {
    const { ended, log } = this.#deps;
    if (ended.aborted || isTransportError(err)) return;
    log.warn({ err }, 'message.processing.failed');
    if (this.#buffer.historyNotices.markUnreadable(message.key.id ?? '')) this.#buffer.markStored([message]);
  }

  async #dropMessage(err: unknown, message: Envelope): Promise<void> {
    const { ended, log, reportUnprocessable } = this.#deps;
    // An ending session closes its keys. The next one can process the message.
    if (ended.aborted || isTransportError(err)) return;
    try {
      if (await reportUnprocessable(err, message)) this.#buffer.markStored([message]);
    } catch (failure) {
      log.error({ err: failure }, 'message.report.failed');
    }
  }
}

/** Builds the envelope from the stanza. */
function envelopeOf({ stanza }: Part): Envelope {
  const { id, from, participant, recipient, t, notify } = stanza;
  return {
    key: { id, remoteJid: recipient ?? from, fromMe: recipient !== undefined, participant },
    messageTimestamp: toEpochSeconds(t) ?? 0,
    pushName: notify,
  };
}

/** Replaces decryption, because the content is already decrypted. */
const passThrough =
  <Name extends string>(name: Name) =>
  async (options: Record<Name, Uint8Array>): Promise<Uint8Array> =>
    options[name];

/**
 * Messages of the phone to its devices (keys, history). Baileys answers them with queries, and a frame before the login
 * breaks the handshake.
 */
const isOwnProtocolMessage = ({ key, message }: WireMessage): boolean =>
  Boolean(key.fromMe && message?.protocolMessage);

/** Resolves with true at the login, with false when the session ends first. */
const waitForLogin = ({ ws }: Pick<Socket, 'ws'>, ended: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    ws.once('CB:success', () => resolve(true));
    ended.addEventListener('abort', () => resolve(false), { once: true });
  });
