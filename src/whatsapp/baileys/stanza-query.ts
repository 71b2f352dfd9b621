// Sends queries (`iq` stanzas) and returns their answers. query() of Baileys captures two stack traces per query for
// timeouts that rarely occur (6.5 % of the CPU time of a first message), and resolves an unanswered query with
// undefined.

import { CONNECTION_CLOSED } from './connection-update.ts';
import { assertNodeErrorFree } from './library.ts';
import type { Stanza } from './stanza.ts';
import { encodeStanza } from './stanza-encoder.ts';
import type { Socket } from './types.ts';

/** Error code of the answer that stands for a missing one: HTTP's 408 Request Timeout, as WhatsApp uses HTTP codes. */
export const TIMED_OUT = 408;

/** The answer that a query gets when WhatsApp does not answer. */
export const TIMEOUT_ANSWER: Stanza = {
  tag: 'iq',
  attrs: { type: 'error' },
  content: [{ tag: 'error', attrs: { code: String(TIMED_OUT), text: 'the platform did not answer' } }],
};

type QuerySocket = Pick<Socket, 'ws' | 'generateMessageTag' | 'sendRawMessage' | 'sendNode' | 'logger'>;

/** Writes a stanza. Resolves when it is passed to the connection. */
export function writeStanza(
  socket: Pick<Socket, 'sendRawMessage' | 'sendNode' | 'logger'>,
  stanza: Stanza,
): Promise<void> {
  // Baileys' own function logs each stanza.
  if (socket.logger.level === 'trace') return socket.sendNode(stanza);
  return socket.sendRawMessage(encodeStanza(stanza));
}

export class StanzaQueries {
  readonly #socket: QuerySocket;
  readonly #timeoutMs: number;
  /** Ends the queries that wait for an answer with an error. */
  readonly #waiting = new Set<(error: unknown) => void>();

  /** `timeoutMs` is the maximum time that WhatsApp has to answer a query. */
  constructor(socket: QuerySocket, timeoutMs: number) {
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
    const endAll = () => {
      const error = Object.assign(new Error('Connection Closed'), { output: { statusCode: CONNECTION_CLOSED } });
      for (const end of [...this.#waiting]) end(error);
    };
    socket.ws.on('close', endAll);
    socket.ws.on('error', endAll);
  }

  /**
   * Sends `stanza`, an `iq` without id, and returns the answer. Rejects as query() of Baileys does when WhatsApp refuses
   * it: `data` is the code. Rejects with the code 408 when WhatsApp does not answer, and with the status code 428 when
   * the connection is lost.
   */
  async send(stanza: Stanza): Promise<Stanza> {
    const id = this.#socket.generateMessageTag();
    const answer = await this.#exchange(id, { ...stanza, attrs: { ...stanza.attrs, id } });
    assertNodeErrorFree(answer);
    return answer;
  }

  #exchange(id: string, stanza: Stanza): Promise<Stanza> {
    const { ws } = this.#socket;
    const event = `TAG:${id}`;
    return new Promise((resolve, reject) => {
      const onAnswer = (answer: Stanza) => {
        stop();
        resolve(answer);
      };
      const end = (error: unknown) => {
        stop();
        reject(error);
      };
      const timer = setTimeout(() => onAnswer(TIMEOUT_ANSWER), this.#timeoutMs);
      const stop = () => {
        clearTimeout(timer);
        ws.off(event, onAnswer);
        this.#waiting.delete(end);
      };
      this.#waiting.add(end);
      ws.on(event, onAnswer);
      writeStanza(this.#socket, stanza).catch(end);
    });
  }
}
