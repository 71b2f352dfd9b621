// Holds outgoing frames until the keys that encrypted them are stored, and joins the frames of one event-loop turn into
// one write.
// Why: Baileys writes a message first and stores its ratchet step (the change of the encryption key) afterwards. After
//   a crash in between, the next message would be encrypted with the same key.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14, ws 8.
// Remove when: `sendNode` waits for the key transaction of the message.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { atTurnEnd, turnEnd } from '../../../lib/event-loop-turn.ts';
import type { WASocket } from '../library.ts';

/**
 * Number of frames of a turn whose callbacks are called in the same turn. The callbacks of further frames are called a
 * turn later. A callback can start the next send of a chat. Without a limit, a turn would grow until all chats had
 * sent.
 */
const MAX_EARLY_CALLBACKS = 32;

interface WaitingFrame {
  frame: Uint8Array;
  callback: () => void;
}

export class WriteGate {
  readonly #waitForKeys: () => Promise<boolean>;
  /** The frames of the next write. Their callbacks have been called, or are called in this turn. */
  #frames: Uint8Array[] = [];
  /** Frames that are not part of the next write yet. Their callbacks are called a turn later. */
  #waiting: WaitingFrame[] = [];
  /** The original end() of the stream, set when the stream is to end after the waiting frames. */
  #end: (() => void) | undefined;
  /** Whether a write is scheduled or in progress. */
  #isBusy = false;

  /**
   * `waitForKeys` resolves when all key writes so far are finished: with false when one of them failed. Never rejects.
   */
  constructor(waitForKeys: () => Promise<boolean>) {
    this.#waitForKeys = waitForKeys;
  }

  /** Replaces `write` and `end` of the stream, so that the gate collects the frames. */
  attach(stream: Duplex): void {
    const write = stream.write.bind(stream);
    const end = stream.end.bind(stream);
    const writeAll = () => this.#writeFrames(stream, write);
    const startUnlessBusy = () => {
      if (this.#isBusy) return;
      this.#isBusy = true;
      this.#scheduleWrite(writeAll);
    };
    // ws writes whole frames as bytes with a callback, and calls end() without arguments.
    Object.assign(stream, {
      write: (frame: Uint8Array, callback: () => void = () => undefined) => {
        const mustWait = this.#frames.length >= MAX_EARLY_CALLBACKS || this.#waiting.length > 0;
        if (mustWait) this.#waiting.push({ frame, callback });
        else this.#add({ frame, callback });
        startUnlessBusy();
        return true;
      },
      end: () => {
        this.#end = end;
        startUnlessBusy();
        return stream;
      },
    });
  }

  /** Calls `writeAll`, which writes the collected frames, at the end of this turn and while there are further frames. */
  #scheduleWrite(writeAll: () => Promise<void>): void {
    atTurnEnd(() => void writeAll().then(() => this.#continueOrEnd(writeAll)));
  }

  #continueOrEnd(writeAll: () => Promise<void>): void {
    this.#releaseWaiting();
    if (this.#frames.length > 0) {
      this.#scheduleWrite(writeAll);
      return;
    }
    this.#isBusy = false;
    this.#end?.();
  }

  /**
   * Adds a frame to the next write and calls its callback, which reports the frame as written. The callback cannot wait
   * for the write, because Baileys stores the keys of a message only after the callback. The early report is safe,
   * because a failed write ends the connection.
   */
  #add({ frame, callback }: WaitingFrame): void {
    this.#frames.push(frame);
    queueMicrotask(callback);
  }

  /** Adds the waiting frames to the next write. */
  #releaseWaiting(): void {
    for (const waiting of this.#waiting.splice(0)) this.#add(waiting);
  }

  /**
   * Writes the frames when their keys are stored. Runs at the end of a turn. Between the callback of a frame and the
   * call that stores its keys, Baileys runs only microtasks. Therefore all key writes of these frames have started.
   */
  async #writeFrames(stream: Duplex, write: (bytes: Uint8Array) => boolean): Promise<void> {
    if (this.#waiting.length > 0) {
      this.#releaseWaiting();
      // Lets the key writes of the released frames start, too.
      await turnEnd();
    }
    const frames = this.#frames;
    this.#frames = [];
    // A frame whose keys are not stored must not be sent.
    if (!(await this.#waitForKeys())) stream.destroy();
    else if (frames.length > 0 && !stream.destroyed)
      write(frames.length === 1 && frames[0] ? frames[0] : Buffer.concat(frames));
  }
}

/** Attaches a gate to the connection of a socket. `waitForKeys` as in the constructor of WriteGate. */
export function patchWriteGate({ ws }: Pick<WASocket, 'ws'>, waitForKeys: () => Promise<boolean>): void {
  const gate = new WriteGate(waitForKeys);
  ws.on('upgrade', ({ socket }: IncomingMessage) => gate.attach(socket));
}
