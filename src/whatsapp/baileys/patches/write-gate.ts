// Holds outgoing frames until the keys that encrypted them are stored, and joins the frames of one event-loop turn into
// one write.
// Why: Baileys writes a message first and stores its ratchet step afterwards. After a crash in between, the next
//   message would be encrypted with the same key.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14, ws 8.
// Remove when: `sendNode` waits for the key transaction of the message.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WASocket } from '@whiskeysockets/baileys';
import { atTurnEnd } from '../../../lib/event-loop-turn.ts';

/**
 * Number of frames per turn whose write callback is called at once. More would let a single turn carry the sends of all
 * chats.
 */
const MAX_EARLY_CALLBACKS = 32;

export class WriteGate {
  readonly #keysStored: () => Promise<boolean>;
  #frames: Uint8Array[] = [];
  #lateCallbacks: (() => void)[] = [];
  #end: (() => void) | undefined;
  #isBusy = false;

  /** `keysStored` resolves when all key writes so far are finished: with false when one of them failed. */
  constructor(keysStored: () => Promise<boolean>) {
    this.#keysStored = keysStored;
  }

  /** Replaces `write` and `end` of the stream. */
  attach(stream: Duplex): void {
    const write = stream.write.bind(stream);
    const end = stream.end.bind(stream);
    const release = () => atTurnEnd('collect', () => void this.#release(stream, write).then(releaseNext));
    const releaseNext = () => {
      if (this.#frames.length > 0) return void release();
      this.#isBusy = false;
      this.#end?.();
    };
    const start = () => {
      if (this.#isBusy) return;
      this.#isBusy = true;
      release();
    };
    // ws writes whole frames as bytes with a callback, and calls end() without arguments.
    Object.assign(stream, {
      write: (frame: Uint8Array, callback: () => void = () => undefined) => {
        this.#frames.push(frame);
        // Called before the write, because Baileys stores the keys of a message only after this callback. A failed
        // write ends the session.
        if (this.#frames.length <= MAX_EARLY_CALLBACKS) queueMicrotask(callback);
        else this.#lateCallbacks.push(callback);
        start();
        return true;
      },
      end: () => {
        this.#end = end;
        start();
        return stream;
      },
    });
  }

  /**
   * Runs at the start of a macrotask. Between the callback of a frame and the call that stores its keys, Baileys runs
   * only microtasks, so that by now all key writes of the held frames have started.
   */
  async #release(stream: Duplex, write: (bytes: Uint8Array) => boolean): Promise<void> {
    const frames = this.#frames;
    const callbacks = this.#lateCallbacks;
    this.#frames = [];
    this.#lateCallbacks = [];
    if (!(await this.#keysStored())) stream.destroy();
    else if (frames.length > 0 && !stream.destroyed)
      write(frames.length === 1 && frames[0] ? frames[0] : Buffer.concat(frames));
    for (const callback of callbacks) callback();
  }
}

/** Attaches a gate to the connection of a socket. `keysStored` as in the constructor of WriteGate. */
export function patchWriteGate({ ws }: Pick<WASocket, 'ws'>, keysStored: () => Promise<boolean>): void {
  const gate = new WriteGate(keysStored);
  ws.on('upgrade', ({ socket }: IncomingMessage) => gate.attach(socket));
}
