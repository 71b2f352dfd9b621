// Reports messages that were decrypted but not stored: messages of earlier sessions, and messages that Baileys rc14
// failed to process. A message that fails again is reported as unprocessable, so that it does not fail in every
// session.

import type { Logger } from 'pino';
import { withDeadline } from '../../lib/deadline.ts';
import { toEpochSeconds } from '../../lib/whole-number.ts';
import { toBareJid } from '../address/jid.ts';
import type { AuthState } from '../baileys/auth/auth-state.ts';
import { unwrapDeviceSent } from '../baileys/patches/device-sent-context.ts';
import type { MessageTurn } from '../baileys/patches/message-turns.ts';
import { cleanMessage, decryptMessageNode } from '../baileys/proto.ts';
import type { Stanza } from '../baileys/stanza.ts';
import { isTransportError } from '../baileys/transport-error.ts';
import type { Socket, WireMessage } from '../baileys/types.ts';
import type { InboundBuffer, Part } from './inbound-buffer.ts';
import type { MessageEnvelope } from './unprocessable-event.ts';
import type { ReportUnprocessable } from './unprocessable-messages.ts';

export interface ResumeDeps {
  /** `creds.me` is the linked account, if there is one. */
  auth: Pick<AuthState, 'creds'>;
  log: Logger;
  ended: AbortSignal;
  reportUnprocessable: ReportUnprocessable;
}

/**
 * Maximum duration of the reconstruction of one message, ms. Less than the time that an instance has to connect, so
 * that the session opens even if a message cannot be reconstructed.
 */
const REBUILD_TIMEOUT = 10_000;

/** The reconstruction of a message has taken too long. */
class RebuildTimeoutError extends Error {
  override readonly name = 'RebuildTimeoutError';
}

type ResumeSocket = Pick<Socket, 'ev' | 'messageMutex' | 'signalRepository' | 'upsertMessage' | 'ws'>;

/**
 * Passes the unstored messages of earlier sessions to Baileys, before any new message, and handles the messages that
 * fail in this session. Skips a message of which only some parts (encrypted elements of its stanza) were decrypted:
 * WhatsApp has received no receipt for it and sends it again.
 */
export async function resumeMessages(buffer: InboundBuffer, socket: ResumeSocket, deps: ResumeDeps): Promise<void> {
  const { log, ended } = deps;
  const loggedIn = waitForLogin(socket, ended);
  const resumption = new Resumption(buffer, socket, deps);
  const messages = await resumption.rebuildAll(buffer.listUnstoredMessages());
  if (messages.length > 0) log.warn({ messages: messages.length }, 'message.resumed');
  const enqueue = (message: WireMessage) =>
    socket.messageMutex.mutex(async (): Promise<void> => {
      if (isOwnProtocolMessage(message) && !(await loggedIn)) return;
      await resumption.report(message);
    });
  // A task that waits for the login blocks the mutex, so the messages with such a task come last.
  const protocolMessages = messages.filter(isOwnProtocolMessage);
  const others = messages.filter((message) => !isOwnProtocolMessage(message));
  const reports = [...others, ...protocolMessages].map(enqueue);
  Promise.all(reports).catch((err: unknown) => log.error({ err }, 'message.resume.failed'));
}

/** Reports the unstored messages of one session's buffer. */
class Resumption {
  readonly #buffer: InboundBuffer;
  readonly #socket: ResumeSocket;
  readonly #deps: ResumeDeps;

  constructor(buffer: InboundBuffer, socket: ResumeSocket, deps: ResumeDeps) {
    this.#buffer = buffer;
    this.#socket = socket;
    this.#deps = deps;
    buffer.messageTurns.onFailure = (err, turn) => this.#recover(err, turn);
  }

  /**
   * Returns the messages as Baileys would have reported them, in the order of decryption. WhatsApp's times are whole
   * seconds and cannot order the messages of one second. `partsOfMessages` lists the parts of each message.
   */
  async rebuildAll(partsOfMessages: readonly (readonly Part[])[]): Promise<WireMessage[]> {
    const messages: { at: number; message: WireMessage }[] = [];
    for (const parts of partsOfMessages) {
      const [first] = parts;
      // `of` is the number of parts of the complete message.
      if (!first || parts.length < first.of) continue;
      try {
        const message = await this.#rebuild(first, parts);
        if (message) messages.push({ at: Math.max(...parts.map((part) => part.at ?? 0)), message });
      } catch (err) {
        // This message and the later ones stay in the buffer for the next session.
        if (err instanceof RebuildTimeoutError) {
          this.#deps.log.error({ err }, 'message.resume.failed');
          break;
        }
        await this.#dropMessage(err, this.#envelopeOf(first));
      }
    }
    const sentAtOf = ({ message }: (typeof messages)[number]) => Number(message.messageTimestamp);
    messages.sort((one, other) => one.at - other.at || sentAtOf(one) - sentAtOf(other));
    return messages.map(({ message }) => message);
  }

  /** Returns the message in the form in which Baileys reports it; undefined before the device is linked. */
  async #rebuild(first: Part, parts: readonly Part[]): Promise<WireMessage | undefined> {
    const { me } = this.#deps.auth.creds;
    if (!me) return undefined;
    const content: Stanza[] = parts
      .toSorted((one, other) => one.index - other.index)
      .map(({ enc, plaintext }) => ({ tag: 'enc', attrs: enc, content: Buffer.from(plaintext, 'base64') }));
    const node = { tag: 'message', attrs: first.stanza, content };
    const lid = me.lid ?? '';
    const repository: Socket['signalRepository'] = {
      ...this.#socket.signalRepository,
      // The content is already plaintext.
      decryptMessage: async ({ ciphertext }) => unwrapDeviceSent(ciphertext),
      decryptGroupMessage: async ({ msg }) => msg,
      processSenderKeyDistributionMessage: (options) => this.#buffer.senderKeys.store(options, first.stanza.from),
    };
    const { fullMessage, decrypt } = decryptMessageNode(node, me.id, lid, repository, this.#deps.log);
    await withDeadline(decrypt(), {
      timeoutMs: REBUILD_TIMEOUT,
      toTimeoutError: () => new RebuildTimeoutError('a stored message could not be reconstructed in time'),
      signal: this.#deps.ended,
      toAbortError: () => new Error('the session has ended'),
    });
    cleanMessage(fullMessage, me.id, lid);
    return fullMessage;
  }

  /**
   * Passes a message to Baileys as one that arrived while the device was offline (`append`). Must be called inside of
   * Baileys' message mutex. Never rejects.
   */
  async report(message: WireMessage): Promise<void> {
    try {
      await this.#socket.upsertMessage(message, 'append');
    } catch (err) {
      if (this.#buffer.messageTurns.current?.emittedMessageIds.has(message.key.id ?? ''))
        this.#logUnfinished(err, message);
      else await this.#dropMessage(err, message);
    }
  }

  /**
   * Called when Baileys fails with `err` in a message turn (its processing of one message). Reports the message.
   * Baileys has sent the receipt of the message, or refuses the message after this call. In both cases, WhatsApp does
   * not send the message again. Never rejects.
   */
  async #recover(err: unknown, turn: MessageTurn): Promise<void> {
    for (const parts of this.#buffer.listUnstoredMessagesOf(turn.partIds)) {
      const [first] = parts;
      if (!first) continue;
      const envelope = this.#envelopeOf(first);
      if (turn.emittedMessageIds.has(envelope.key.id ?? '')) this.#logUnfinished(err, envelope);
      else if (parts.length < first.of) await this.#dropMessage(err, envelope);
      else for (const message of await this.rebuildAll([parts])) await this.report(message);
    }
  }

  /** Handles the failure of a step after the report of a message, for example of the download of a history. */
  #logUnfinished(err: unknown, message: MessageEnvelope): void {
    const { ended, log } = this.#deps;
    const { historyNotices } = this.#buffer;
    const id = message.key.id ?? '';
    // A history notice (the announcement of a history) stays in the buffer. The next session downloads the history,
    // unless this session still receives it.
    if (ended.aborted || isTransportError(err)) {
      historyNotices.markNotDownloaded(id);
      return;
    }
    log.warn({ err }, 'message.processing.failed');
    // No session can read the history of this message, so the message leaves the buffer.
    if (historyNotices.markUnreadable(id)) this.#buffer.markStored([message]);
  }

  /** Reports a message as unprocessable and marks it as stored. */
  async #dropMessage(err: unknown, message: MessageEnvelope): Promise<void> {
    const { ended, log, reportUnprocessable } = this.#deps;
    // The message stays in the buffer, and the next session processes it.
    if (ended.aborted || isTransportError(err)) return;
    try {
      if (await reportUnprocessable(err, message)) this.#buffer.markStored([message]);
    } catch (failure) {
      log.error({ err: failure }, 'message.report.failed');
    }
  }

  #envelopeOf({ stanza }: Part): MessageEnvelope {
    const { id, from, participant, recipient, t, notify } = stanza;
    const { me } = this.#deps.auth.creds;
    const author = toBareJid(participant ?? from ?? '');
    const isMe = [me?.id, me?.lid].some((jid) => jid !== undefined && toBareJid(jid) === author);
    return {
      key: { id, remoteJid: recipient ?? from, fromMe: recipient !== undefined || isMe, participant },
      messageTimestamp: toEpochSeconds(t) ?? 0,
      pushName: notify,
    };
  }
}

/**
 * True for messages in which the account's phone sends keys or history to this device. Baileys sends queries when it
 * processes such a message. These queries must wait for the login, because a frame before the login breaks the
 * handshake.
 */
const isOwnProtocolMessage = ({ key, message }: WireMessage): boolean =>
  Boolean(key.fromMe && message?.protocolMessage);

/** Resolves with true at the login, or with false when the session ends before the login. */
const waitForLogin = ({ ws }: Pick<Socket, 'ws'>, ended: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    ws.once('CB:success', () => resolve(true));
    ended.addEventListener('abort', () => resolve(false), { once: true });
  });
