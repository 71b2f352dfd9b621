// Calls between accounts: ringing, accepting, rejecting, ending. There is no audio.
import { randomBytes } from 'node:crypto';
import { type BinaryNode, jidNormalizedUser } from '@whiskeysockets/baileys';
import { element, toAttributeText } from '../lib/binary-node.ts';
import { Condition } from '../lib/condition.ts';
import { shownPnJid } from '../world/delivery.ts';
import type { Account, StanzaHandler, World } from '../world/model.ts';
import { lidJid, queueKey } from '../world/world.ts';

/** `missed`: the caller hung up, or the call rang too long. */
export type CallState = 'ringing' | 'rejected' | 'accepted' | 'missed';

export interface Call {
  readonly id: string;
  /** Number of the caller. */
  readonly from: string;
  /** Number of the called account. */
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

  /** All calls, oldest first. */
  get all(): Call[] {
    return [...this.#calls.values()];
  }

  /**
   * Resolves with the first result of `check` that is neither undefined nor false. Calls `check` now and after every
   * change of a call.
   */
  waitFor<T>(check: () => T | undefined | false): Promise<T> {
    return this.#condition.waitFor(check);
  }

  /**
   * Starts a call from the phone of `from`. The companions (linked devices) of `to` ring. Throws RangeError when a
   * number is not on WhatsApp.
   */
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

  /**
   * Ends a ringing call as its caller. The reason `timeout` says that the call rang too long. Throws RangeError when
   * the call is not ringing.
   */
  end(id: string, reason?: 'timeout'): Call {
    const call = this.#calls.get(id);
    if (call?.state !== 'ringing') throw new RangeError(`no call ${id} is ringing`);
    this.#notify(call, element('terminate', { reason }));
    return this.#setState(call, 'missed');
  }

  /** Handles `<call>` of a client, which accepts or rejects a ringing call. */
  readonly handleStanza: StanzaHandler = async (connection, node) => {
    const child = Array.isArray(node.content) ? node.content[0] : undefined;
    const { id, to } = node.attrs;
    if (!connection.companion || !id || !child) return false;
    const call = this.#calls.get(child.attrs['call-id'] ?? '');
    const nextState = STATE_BY_TAG.get(child.tag);
    const error = call?.to === connection.companion.account.number && nextState ? undefined : '404';
    connection.send(element('ack', { class: 'call', id, from: to, type: child.tag, error }));
    if (call && nextState && !error && call.state === 'ringing') this.#setState(call, nextState);
    return true;
  };

  #setState(call: Call, state: CallState): Call {
    call.state = state;
    this.#condition.notify();
    return call;
  }

  #notify({ id, from, to }: Call, { tag, attrs, content }: BinaryNode): void {
    const caller = this.#world.account(from);
    const callAttrs = { 'call-id': id, 'call-creator': callerJid(caller), caller_pn: shownPnJid(caller) };
    const child = element(tag, { ...callAttrs, ...attrs }, content);
    for (const companion of this.#world.account(to).companions.values()) {
      const now = String(this.#world.now());
      const stanzaAttrs = {
        from: callerJid(caller),
        id: this.#world.id(),
        t: now,
        notify: toAttributeText(caller.name),
      };
      this.#world.deliver(companion, queueKey('call', stanzaAttrs), element('call', stanzaAttrs, [child]));
    }
  }
}

/** The state of a call after the client's answer, by the tag of that answer. */
const STATE_BY_TAG: ReadonlyMap<string, CallState> = new Map([
  ['reject', 'rejected'],
  ['accept', 'accepted'],
]);

/** The address of the caller in a call: the LID. WhatsApp sends the phone number in another attribute. */
const callerJid = (caller: Account) => jidNormalizedUser(lidJid(caller));
