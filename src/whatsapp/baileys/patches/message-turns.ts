// Records which parts (encrypted elements) of a message Baileys decrypts while it processes the message, and which
// messages it emits. With this information, the gateway recovers a message whose processing failed, and removes the
// stored copy of a message that Baileys dropped.
// Why: Baileys drops a message whose processing throws. By then it has decrypted the message, and a message can be
//   decrypted only once. Baileys also acknowledges some messages without emitting them, when it could decrypt only a
//   part of them.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: Baileys emits a message before it processes the content, and acknowledges the message afterwards.
import type { WASocket } from '../library.ts';
import type { SocketEvents } from '../types.ts';

/** The processing of one message in Baileys' message mutex. */
export interface MessageTurn {
  /** Attributes of the stanza; undefined until the decryption of its first part begins. */
  stanza: Readonly<Record<string, string>> | undefined;
  /** Ids of the parts whose decryption has started. inbound/inbound-buffer.ts stores decrypted parts by these ids. */
  readonly partIds: Set<string>;
  /** Ids of the messages that Baileys emitted during the turn. */
  readonly emittedMessageIds: Set<string>;
}

type OnFailure = (err: unknown, turn: MessageTurn) => Promise<void>;

export class MessageTurns {
  /** The current turn; undefined between turns. */
  current: MessageTurn | undefined;
  /** Called when a turn fails with `err`. The turn ends after the returned promise has resolved. Must not reject. */
  onFailure: OnFailure = () => Promise.resolve();
  /**
   * Called after a turn that ended without an error and without an emitted message. If Baileys decrypted a message in
   * this turn, it has acknowledged and dropped the message.
   */
  onDrop: (turn: MessageTurn) => void = () => undefined;

  /**
   * Records in the current turn that the decryption of a part begins. `stanza` contains the attributes of its stanza.
   */
  recordPart(partId: string, stanza: Readonly<Record<string, string>>): void {
    if (!this.current) return;
    this.current.stanza = stanza;
    this.current.partIds.add(partId);
  }
}

/** Wraps the mutex in which a socket processes messages, so that `turns.current` describes the message in progress. */
export function patchMessageTurns(
  { ev, messageMutex }: Pick<WASocket, 'ev' | 'messageMutex'>,
  turns: MessageTurns,
): void {
  const { mutex } = messageMutex;
  messageMutex.mutex = <T>(handle: () => Promise<T> | T): Promise<T> =>
    mutex(async () => {
      const turn: MessageTurn = { stanza: undefined, partIds: new Set(), emittedMessageIds: new Set() };
      turns.current = turn;
      try {
        const result = await handle();
        if (turn.emittedMessageIds.size === 0) turns.onDrop(turn);
        return result;
      } catch (err) {
        await turns.onFailure(err, turn);
        throw err;
      } finally {
        turns.current = undefined;
      }
    });
  const { emit } = ev;
  // Records the ids of the messages that Baileys emits during a turn.
  ev.emit = <T extends keyof SocketEvents>(event: T, argument: SocketEvents[T]): boolean => {
    const result = emit(event, argument);
    const { current } = turns;
    if (current && event === 'messages.upsert') {
      for (const id of idsIn(argument)) current.emittedMessageIds.add(id);
    }
    return result;
  };
}

/** Returns the ids of the messages in an event. */
function idsIn(argument: unknown): string[] {
  if (typeof argument !== 'object' || argument === null || !('messages' in argument)) return [];
  const messages: readonly unknown[] = Array.isArray(argument.messages) ? argument.messages : [];
  return messages.flatMap((message) => {
    const key: unknown = typeof message === 'object' && message !== null && 'key' in message ? message.key : undefined;
    return typeof key === 'object' && key !== null && 'id' in key && typeof key.id === 'string' ? [key.id] : [];
  });
}
