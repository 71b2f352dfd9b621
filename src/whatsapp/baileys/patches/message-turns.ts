// One message at a time: what rc14 decrypted and reported while it worked on one, so that a failure can be put right in its turn.
import type { Socket, SocketEvents } from '../types.ts';

/** What happened in one turn of rc14's mutex for messages. */
export interface Turn {
  /** Rows of the parts that were decrypted (inbound.ts). */
  readonly decrypted: Set<string>;
  /** Ids of the messages that were reported. */
  readonly reported: Set<string>;
}

export class MessageTurns {
  /** The turn under way, if any. */
  running: Turn | undefined;

  /** Takes note of a part that was decrypted in the running turn. */
  decrypted(row: string): void {
    this.running?.decrypted.add(row);
  }

  /** Watches the turns of `socket` from now on. `onFailure` is awaited in the turn that failed with `err`, and must not reject. */
  follow({ ev, messageMutex }: Pick<Socket, 'ev' | 'messageMutex'>, onFailure: OnFailure): void {
    const { mutex } = messageMutex;
    messageMutex.mutex = <T>(handle: () => Promise<T> | T): Promise<T> =>
      mutex(async () => {
        const turn: Turn = { decrypted: new Set(), reported: new Set() };
        this.running = turn;
        try {
          return await handle();
        } catch (err) {
          await onFailure(err, turn);
          throw err;
        } finally {
          this.running = undefined;
        }
      });
    const { emit } = ev;
    ev.emit = <T extends keyof SocketEvents>(event: T, argument: SocketEvents[T]): boolean => {
      const result = emit(event, argument);
      if (this.running && event === 'messages.upsert') for (const id of idsIn(argument)) this.running.reported.add(id);
      return result;
    };
  }
}

type OnFailure = (err: unknown, turn: Turn) => Promise<void>;

/** Ids of the messages of an event. */
function idsIn(argument: unknown): string[] {
  if (typeof argument !== 'object' || argument === null || !('messages' in argument)) return [];
  const messages: readonly unknown[] = Array.isArray(argument.messages) ? argument.messages : [];
  return messages.flatMap((message) => {
    const key: unknown = typeof message === 'object' && message !== null && 'key' in message ? message.key : undefined;
    return typeof key === 'object' && key !== null && 'id' in key && typeof key.id === 'string' ? [key.id] : [];
  });
}
