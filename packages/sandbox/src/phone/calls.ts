// Calls between accounts: ringing, accepting, rejecting, ending. There is no audio.
import { randomBytes } from 'node:crypto';
import { type BinaryNode, jidNormalizedUser } from '@whiskeysockets/baileys';
import { element } from '../lib/binary-node.ts';
import { Condition } from '../lib/condition.ts';
import { shownPnJid } from '../world/delivery.ts';
import type { Account, Companion, StanzaHandler, World } from '../world/model.ts';
import { lidJid, queueKey } from '../world/world.ts';

/**
 * `missed`: the caller hung up before an answer, or the call rang too long. `ended`: the caller hung up after the call
 * was accepted.
 */
export type CallState = 'ringing' | 'rejected' | 'accepted' | 'missed' | 'ended';

export interface Call {
  readonly id: string;
  /** Number of the caller. */
  readonly from: string;
  /** Number of the called account. */
  readonly to: string;
  readonly video: boolean;
  state: CallState;
}

/** A call and the clients that take part in it: those that ring or, after an accept, the one that accepted. */
interface CallRecord {
  readonly call: Call;
  clients: Companion[];
}

export class Calls {
  readonly #world: World;
  readonly #calls = new Map<string, CallRecord>();
  readonly #condition = new Condition();

  constructor(world: World) {
    this.#world = world;
  }

  /** All calls, oldest first. */
  get all(): Call[] {
    return Array.from(this.#calls.values(), ({ call }) => call);
  }

  /**
   * Resolves with the first result of `check` that is neither undefined nor false. Calls `check` now and after every
   * change of a call.
   */
  waitFor<T>(check: () => T | undefined | false): Promise<T> {
    return this.#condition.waitFor(check);
  }

  /**
   * Starts a call from the phone of `from`. The companions (linked devices) of `to` ring, unless `to` has blocked the
   * caller. Throws RangeError when a number is not on WhatsApp.
   */
  ring(from: string, to: string, options: { video?: boolean } = {}): Call {
    const { video = false } = options;
    const id = randomBytes(16).toString('hex').toUpperCase();
    const call: Call = { id, from: this.#world.account(from).number, to, video, state: 'ringing' };
    const callee = this.#world.account(to);
    const clients = callee.blocked.has(call.from) ? [] : [...callee.companions.values()];
    const media = [element('audio', { enc: 'opus', rate: '16000' })];
    if (video) media.push(element('video', { enc: 'vp8', dec: 'vp8' }));
    this.#deliver(call, clients, element('offer', {}, media));
    this.#calls.set(id, { call, clients });
    this.#condition.notify();
    return call;
  }

  /**
   * Ends a ringing or accepted call as its caller. The reason `timeout` says that the call rang too long. Throws
   * RangeError when no ringing or accepted call has this id.
   */
  end(id: string, reason?: 'timeout'): Call {
    const record = this.#calls.get(id);
    const state = record && STATE_AFTER_END.get(record.call.state);
    if (!record || !state) throw new RangeError(`no call ${id} is ringing or accepted`);
    this.#deliver(record.call, record.clients, element('terminate', { reason }));
    record.clients = [];
    return this.#setState(record.call, state);
  }

  /** Handles `<call>` of a client, which accepts or rejects a ringing call. The other clients then stop ringing. */
  readonly handleStanza: StanzaHandler = async (connection, node) => {
    const { companion } = connection;
    const child = Array.isArray(node.content) ? node.content[0] : undefined;
    const { id, to } = node.attrs;
    if (!companion || !id || !child) return false;
    const record = this.#calls.get(child.attrs['call-id'] ?? '');
    const answer = ANSWERS.get(child.tag);
    const isForThisAccount = record?.call.to === companion.account.number;
    const error = isForThisAccount && answer ? undefined : '404';
    connection.send(element('ack', { class: 'call', id, from: to, type: child.tag, error }));
    if (!record || !answer || error || record.call.state !== 'ringing') return true;
    const others = record.clients.filter((client) => client !== companion);
    this.#deliver(record.call, others, element('terminate', { reason: answer.reasonForOthers }));
    record.clients = answer.state === 'accepted' ? [companion] : [];
    this.#setState(record.call, answer.state);
    return true;
  };

  #setState(call: Call, state: CallState): Call {
    call.state = state;
    this.#condition.notify();
    return call;
  }

  /** Queues one `<call>` per client. Its child is the given element with the attributes of the call. */
  #deliver({ id, from }: Call, clients: readonly Companion[], { tag, attrs, content }: BinaryNode): void {
    const caller = this.#world.account(from);
    const callAttrs = { 'call-id': id, 'call-creator': callerJid(caller), caller_pn: shownPnJid(caller) };
    const child = element(tag, { ...callAttrs, ...attrs }, content);
    for (const companion of clients) {
      const now = String(this.#world.now());
      const stanzaAttrs = {
        from: callerJid(caller),
        id: this.#world.nextId(),
        t: now,
        notify: caller.name,
      };
      this.#world.deliver(companion, queueKey('call', stanzaAttrs), element('call', stanzaAttrs, [child]));
    }
  }
}

/** The state of a call after its caller ended it, by the state before. */
const STATE_AFTER_END: ReadonlyMap<CallState, CallState> = new Map([
  ['ringing', 'missed'],
  ['accepted', 'ended'],
]);

/** The answers of a client by their tag: the new state of the call, and why the other clients stop ringing. */
const ANSWERS: ReadonlyMap<string, { state: CallState; reasonForOthers: string }> = new Map([
  ['reject', { state: 'rejected', reasonForOthers: 'rejected_elsewhere' }],
  ['accept', { state: 'accepted', reasonForOthers: 'accepted_elsewhere' }],
]);

/**
 * The address of the caller in a call: the LID, which does not contain the phone number. WhatsApp sends the phone
 * number in the attribute `caller_pn`.
 */
const callerJid = (caller: Account) => jidNormalizedUser(lidJid(caller));
