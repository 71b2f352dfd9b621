// Sends queries (`iq` stanzas) and returns their answers. Replaces query() of Baileys, which captures two stack traces
// per query for timeouts that rarely occur (6.5 % of the CPU time of a first message), and resolves an unanswered query
// with undefined.

import { CONNECTION_CLOSED } from './errors.ts';
import { assertNodeErrorFree } from './library.ts';
import { requireAnswers } from './required-answers.ts';
import type { Stanza } from './stanza.ts';
import { encodeStanza } from './stanza-encoder.ts';
import type { Socket } from './types.ts';

/**
 * Maximum size of an encoded stanza. A frame states its length in 24 bits, and its encryption adds 16 bytes. Baileys
 * writes a larger frame with a wrong length, and the server then closes the connection.
 */
const MAX_STANZA_BYTES = 0xffffff - 16;

/** Nothing was sent, because the stanza is larger than MAX_STANZA_BYTES. */
class StanzaTooLargeError extends Error {
  override readonly name = 'StanzaTooLargeError';
  readonly output = { statusCode: 413 };

  constructor(size: number) {
    super(`the stanza has ${size} bytes: at most ${MAX_STANZA_BYTES} can be sent`);
  }
}

type QuerySocket = Pick<Socket, 'ws' | 'generateMessageTag' | 'sendRawMessage' | 'sendNode' | 'logger'>;

/**
 * Writes a stanza. Resolves when the stanza is passed to the connection. Rejects with StanzaTooLargeError when the
 * stanza is larger than MAX_STANZA_BYTES.
 */
export function writeStanza(
  socket: Pick<Socket, 'sendRawMessage' | 'sendNode' | 'logger'>,
  stanza: Stanza,
): Promise<void> {
  const bytes = encodeStanza(stanza);
  if (bytes.length > MAX_STANZA_BYTES) return Promise.reject(new StanzaTooLargeError(bytes.length));
  // At the level trace, Baileys' sendNode() logs each stanza.
  return socket.logger.level === 'trace' ? socket.sendNode(stanza) : socket.sendRawMessage(bytes);
}

/** The queries of a socket that patchQueryTimeout() patched. */
export class StanzaQueries {
  readonly #socket: QuerySocket;
  /** The functions that reject the queries in flight with an error, one per query. */
  readonly #rejectWaiting = new Set<(error: unknown) => void>();

  constructor(socket: QuerySocket) {
    this.#socket = socket;
    const rejectAll = () => {
      const error = Object.assign(new Error('Connection Closed'), { output: { statusCode: CONNECTION_CLOSED } });
      for (const rejectQuery of [...this.#rejectWaiting]) rejectQuery(error);
    };
    socket.ws.on('close', rejectAll);
    socket.ws.on('error', rejectAll);
  }

  /**
   * Sends `stanza`, an `iq` without id, and returns the answer. When WhatsApp refuses the query, rejects as query() of
   * Baileys does, with an error whose `data` is WhatsApp's error code. When WhatsApp does not answer, rejects with an
   * error whose `data` is 408. When the connection is lost, rejects with an error whose `output.statusCode` is 428.
   */
  async send(stanza: Stanza): Promise<Stanza> {
    const id = this.#socket.generateMessageTag();
    const answer = await this.#exchange(id, { ...stanza, attrs: { ...stanza.attrs, id } });
    assertNodeErrorFree(answer);
    return answer;
  }

  #exchange(id: string, stanza: Stanza): Promise<Stanza> {
    const { ws } = this.#socket;
    const rejectWaiting = this.#rejectWaiting;
    const event = `TAG:${id}`;
    return new Promise((resolve, reject) => {
      rejectWaiting.add(rejectQuery);
      // Because of requireAnswers(), a query that times out gets an error as its answer (patchQueryTimeout()).
      requireAnswers(() => ws.on(event, onAnswer));
      writeStanza(this.#socket, stanza).catch(rejectQuery);

      function onAnswer(answer: Stanza): void {
        stop();
        resolve(answer);
      }
      function rejectQuery(error: unknown): void {
        stop();
        reject(error);
      }
      function stop(): void {
        ws.off(event, onAnswer);
        rejectWaiting.delete(rejectQuery);
      }
    });
  }
}
