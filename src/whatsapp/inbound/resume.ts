// Hands over messages that were decrypted and not stored: those that earlier sessions left, and those that rc14 gave up in this one. What
// cannot be handled at all is set aside, so that no message is met again at every connection.

import type { Logger } from 'pino';
import { toEpochSeconds } from '../../lib/whole-number.ts';
import type { AuthState } from '../baileys/auth/auth-state.ts';
import type { MessageTurn } from '../baileys/patches/message-turns.ts';
import { cleanMessage, decryptMessageNode } from '../baileys/proto.ts';
import type { Stanza } from '../baileys/stanza.ts';
import { isTransport } from '../baileys/transport-error.ts';
import type { Socket, WireMessage } from '../baileys/types.ts';
import type { InboundBuffer, Part } from './inbound-buffer.ts';
import type { Envelope } from './unprocessable-event.ts';
import type { ReportUnprocessable } from './unprocessable-messages.ts';

export interface ResumeDeps {
  /** Knows the linked account, if there is one. */
  auth: Pick<AuthState, 'creds'>;
  log: Logger;
  ended: AbortSignal;
  reportUnprocessable: ReportUnprocessable;
}

type ResumeSocket = Pick<Socket, 'ev' | 'messageMutex' | 'signalRepository' | 'upsertMessage' | 'ws'>;

/**
 * Lets Baileys report what earlier sessions decrypted and did not store, before any new message can come, and watches over the messages of
 * this session. A message of which only a part was decrypted is left out: it was not acknowledged and comes again.
 */
export async function resumeMessages(buffer: InboundBuffer, socket: ResumeSocket, parts: ResumeDeps): Promise<void> {
  const { log, ended } = parts;
  const isLoggedIn = waitForLogin(socket, ended);
  const resumption = new Resumption(buffer, socket, parts);
  const left = await resumption.decode(buffer.left());
  if (left.length > 0) log.warn({ messages: left.length }, 'message.resumed');
  const report = (message: WireMessage) =>
    socket.messageMutex.mutex(async (): Promise<void> => {
      if (isOwnProtocolMessage(message) && !(await isLoggedIn)) return;
      await resumption.report(message);
    });
  const [orders = [], others = []] = [true, false].map((isOrder) =>
    left.filter((message) => isOwnProtocolMessage(message) === isOrder),
  );
  const taken = [...others, ...orders].map(report);
  Promise.all(taken).catch((err: unknown) => log.error({ err }, 'message.resume.failed'));
}

class Resumption {
  readonly #buffer: InboundBuffer;
  readonly #socket: ResumeSocket;
  readonly #deps: ResumeDeps;

  constructor(buffer: InboundBuffer, socket: ResumeSocket, parts: ResumeDeps) {
    this.#buffer = buffer;
    this.#socket = socket;
    this.#parts = parts;
    buffer.turns.onFailure = (err, turn) => this.#recover(err, turn);
  }

  /** The messages as Baileys would have reported them, in the order in which they came: the platform's times are seconds. */
  async decode(groups: readonly (readonly Part[])[]): Promise<WireMessage[]> {
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

  /** Has Baileys report and process a message in the running turn. Never rejects. */
  async report(message: WireMessage): Promise<void> {
    try {
      await this.#socket.upsertMessage(message, 'append');
    } catch (err) {
      if (this.#buffer.turns.current?.reported.has(message.key.id ?? '')) this.#leaveUnfinished(err, message);
      else await this.#giveUp(err, message);
    }
  }

  /** Baileys gave up a message after it decrypted it, perhaps after its receipt: nobody sends it again. Never rejects. */
  async #recover(err: unknown, turn: MessageTurn): Promise<void> {
    for (const parts of this.#buffer.of(turn.decrypted)) {
      const [first] = parts;
      if (!first) continue;
      const envelope = envelopeOf(first);
      if (turn.reported.has(envelope.key.id ?? '')) this.#logUnfinished(err, envelope);
      else for (const message of await this.decode([parts])) await this.report(message);
    }
  }

  /** A message was reported, and what follows from it failed. History that could not be fetched is fetched again by the next session. */
  #logUnfinished(err: unknown, message: Envelope): void {
    const { ended, log } = this.#deps;
    if (ended.aborted || isTransport(err)) return;
    log.warn({ err }, 'message.processing.failed');
    if (this.#buffer.historyNotices.fail(message.key.id ?? '')) this.#buffer.markStored([message]);
  }

  async #dropMessage(err: unknown, message: Envelope): Promise<void> {
    const { ended, log, reportUnprocessable: setAside } = this.#deps;
    // A session that ends takes its keys along: the next one can handle the message.
    if (ended.aborted || isTransport(err)) return;
    try {
      if (await setAside(err, message)) this.#buffer.markStored([message]);
    } catch (failure) {
      log.error({ err: failure }, 'message.set_aside.failed');
    }
  }
}

/** What the stanza says of a message. */
function envelopeOf({ stanza }: Part): Envelope {
  const { id, from, participant, recipient, t, notify } = stanza;
  return {
    key: { id, remoteJid: recipient ?? from, fromMe: recipient !== undefined, participant },
    messageTimestamp: toEpochSeconds(t) ?? 0,
    pushName: notify,
  };
}

/** Stands in for a decryption whose result is in the place of the ciphertext already. */
const passThrough =
  <Name extends string>(name: Name) =>
  async (options: Record<Name, Uint8Array>): Promise<Uint8Array> =>
    options[name];

/** What the phone tells its devices (keys, history): Baileys answers with queries, and a frame before the login breaks the handshake. */
const isOwnProtocolMessage = ({ key, message }: WireMessage): boolean =>
  Boolean(key.fromMe && message?.protocolMessage);

/** Resolves with whether the login succeeded, in the moment in which it did. */
const waitForLogin = ({ ws }: Pick<Socket, 'ws'>, ended: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    ws.once('CB:success', () => resolve(true));
    ended.addEventListener('abort', () => resolve(false), { once: true });
  });
