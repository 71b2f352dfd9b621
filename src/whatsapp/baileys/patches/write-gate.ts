// What one socket writes: the frames of a turn of the event loop leave in one write, and none before the keys behind it are stored.
// rc14 writes a message first and stores its ratchet step afterwards; a crash in between would encrypt two messages with one key.
import type { Duplex } from 'node:stream';
import { atTurnEnd } from '../../../lib/turn-end.ts';

/** Frames of a turn that are reported as written at once, so that one turn does not carry the sends of everybody. */
const earlyMax = 32;

export class WriteGate {
  readonly #stored: () => Promise<boolean>;
  #held: Uint8Array[] = [];
  #late: (() => void)[] = [];
  #ending: (() => void) | undefined;
  #isBusy = false;

  /** `stored` settles when the key writes of the session so far have; false when one of them failed. */
  constructor(stored: () => Promise<boolean>) {
    this.#stored = stored;
  }

  /** Takes over what is written to `stream` from now on. */
  attach(stream: Duplex): void {
    const write = stream.write.bind(stream);
    const end = stream.end.bind(stream);
    const release = () => atTurnEnd('collect', () => void this.#release(stream, write).then(next));
    const next = () => {
      if (this.#held.length > 0) return void release();
      this.#isBusy = false;
      this.#ending?.();
    };
    const start = () => {
      if (this.#isBusy) return;
      this.#isBusy = true;
      release();
    };
    // ws writes whole frames as bytes with a callback, and ends without arguments.
    Object.assign(stream, {
      write: (frame: Uint8Array, written: () => void = () => undefined) => {
        this.#held.push(frame);
        // Early, because Baileys stores the keys of a message only after this; a failure ends the session in any case.
        if (this.#held.length <= earlyMax) queueMicrotask(written);
        else this.#late.push(written);
        start();
        return true;
      },
      end: () => {
        this.#ending = end;
        start();
        return stream;
      },
    });
  }

  /**
   * Always begins a macrotask: between the report of a frame and the call that stores its keys Baileys does nothing but
   * microtasks, so all calls that belong to the frames held now have been made.
   */
  async #release(stream: Duplex, write: (bytes: Uint8Array) => boolean): Promise<void> {
    const frames = this.#held;
    const late = this.#late;
    this.#held = [];
    this.#late = [];
    if (!(await this.#stored())) stream.destroy();
    else if (frames.length > 0 && !stream.destroyed)
      write(frames.length === 1 && frames[0] ? frames[0] : Buffer.concat(frames));
    for (const written of late) written();
  }
}
