// Calls between accounts: ringing, accepting, rejecting, ending. There is no audio.
import { randomBytes } from 'node:crypto';
import { type BinaryNode, jidNormalizedUser } from '@whiskeysockets/baileys';
import { Condition } from './condition.ts';
import type { Account, StanzaHandler, World } from './model.ts';
import { element } from './node.ts';
import { lidJid, pnJid, queueKey } from './world.ts';

/** `missed`: the caller hung up, or the call timed out. */
export type CallState = 'ringing' | 'rejected' | 'accepted' | 'missed';

export interface Call {
  readonly id: string;
  /** Numbers. */
  readonly from: string;
  readonly to: string;
  readonly video: boolean;
  state: CallState;
}

export class Calls {
  readonly #world: World;
  readonly #calls = new Map<string, Call>();
  readonly #condition = new Condition();

  constructor(world: World) {
    this.#world = world;
  }

  /** Oldest first. */
  get all(): Call[] {
    return [...this.#calls.values()];
  }

  /**
   * Resolves with the first answer of `check` that is neither undefined nor false, asked now and after every change.
   */
  waitFor<T>(check: () => T | undefined | false): Promise<T> {
    return this.#condition.waitFor(check);
  }

  /** The phone of `from` calls `to`: its companions ring. Throws RangeError when a number is not on the platform. */
  ring(from: string, to: string, options: { video?: boolean } = {}): Call {
    const { video = false } = options;
    const id = randomBytes(16).toString('hex').toUpperCase();
    const call: Call = { id, from: this.#world.account(from).number, to, video, state: 'ringing' };
    const media = [element('audio', { enc: 'opus', rate: '16000' })];
    if (video) media.push(element('video', { enc: 'vp8', dec: 'vp8' }));
    this.#notify(call, element('offer', {}, media));
    this.#calls.set(id, call);
    this.#condition.notify();
    return call;
  }

  /** The caller hangs up; `timeout`: it rang for too long. Throws RangeError when there is no such call ringing. */
  end(id: string, reason?: 'timeout'): Call {
    const call = this.#calls.get(id);
    if (call?.state !== 'ringing') throw new RangeError(`no call ${id} is ringing`);
    this.#notify(call, element('terminate', { reason }));
    return this.#settle(call, 'missed');
  }

  /** `<call>` from a client: what it does about a call that rings. */
  readonly stanza: StanzaHandler = async (connection, node) => {
    const child = Array.isArray(node.content) ? node.content[0] : undefined;
    const { id, to } = node.attrs;
    if (!connection.companion || !id || !child) return false;
    const call = this.#calls.get(child.attrs['call-id'] ?? '');
    const done = STATE_BY_TAG[child.tag];
    const error = call?.to === connection.companion.account.number && done ? undefined : '404';
    connection.send(element('ack', { class: 'call', id, from: to, type: child.tag, error }));
    if (call && done && !error && call.state === 'ringing') this.#settle(call, done);
    return true;
  };

  #settle(call: Call, state: CallState): Call {
    call.state = state;
    this.#condition.notify();
    return call;
  }

  #notify({ id, from, to }: Call, { tag, attrs, content }: BinaryNode): void {
    const caller = this.#world.account(from);
    const about = { 'call-id': id, 'call-creator': callerJid(caller), caller_pn: pnJid(caller) };
    const child = { tag, attrs: { ...about, ...attrs }, content };
    for (const companion of this.#world.account(to).companions.values()) {
      const now = String(this.#world.now());
      const stanza = { from: callerJid(caller), id: this.#world.id(), t: now, notify: caller.name };
      this.#world.deliver(companion, queueKey('call', stanza), element('call', stanza, [child]));
    }
  }
}

const STATE_BY_TAG: Readonly<Record<string, CallState | undefined>> = { reject: 'rejected', accept: 'accepted' };

/** Calls name their caller by LID, with the number beside it. */
const callerJid = (caller: Account) => jidNormalizedUser(lidJid(caller));
