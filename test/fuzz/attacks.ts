// Hands cases to the gateway through its three inputs, and knows when it is done with them.
import { type BinaryNode, writeRandomPadMax16 } from '@whiskeysockets/baileys';
import { Pool } from 'undici';
import { element } from '../../packages/sandbox/src/lib/binary-node.ts';
import { type Attributes, createEncNode, deliverMessage } from '../../packages/sandbox/src/world/delivery.ts';
import type { Companion } from '../../packages/sandbox/src/world/model.ts';
import { lidJid, pnJid, queueKey } from '../../packages/sandbox/src/world/world.ts';
import { content } from './content.ts';
import { fromJson, type NodeJson } from './corpus.ts';
import type { Random } from './random.ts';
import { type HttpCase, httpCase } from './requests.ts';
import type { Stage, Target } from './stage.ts';
import { injected, invented, isReadableNode, readableAttrs } from './stanzas.ts';
import { jid, type Names, text } from './values.ts';

export interface MessageCase {
  input: 'message';
  id: string;
  /** Name of the instance. */
  to: string;
  from: string;
  /** How it travels: in a chat, from the own phone, in a group, … */
  way: 'pn' | 'lid' | 'own' | 'group' | 'status' | 'channel' | 'envelope';
  /** Protobuf, base64. */
  raw: string;
  /** False: it is no protobuf. */
  isReadable: boolean;
  /** Attributes and children that the stanza has besides (`envelope`). */
  attrs?: Record<string, string>;
  children?: NodeJson[];
}

export interface StanzaCase {
  input: 'stanza';
  to: string;
  as: 'stanza' | 'frame';
  /** Base64. */
  bytes: string;
}

export type RequestCase = HttpCase & { input: 'request' };

export type Case = MessageCase | StanzaCase | RequestCase;
export type Input = Case['input'];

const WAYS = [
  'pn',
  'pn',
  'pn',
  'lid',
  'lid',
  'own',
  'group',
  'group',
  'status',
  'channel',
  'envelope',
  'envelope',
] as const;

/** Case number `step` of an input: the same for the same random choices and names. */
export function caseOf(input: Input, random: Random, step: number, { names, access, of }: Stage): Case {
  if (input === 'request') return { input, ...httpCase(random, names, access) };
  const to = random.pick(of(input)).name;
  if (input === 'stanza') {
    const { as, bytes } = injected(random, names);
    return { input, to, as, bytes: bytes.toString('base64') };
  }
  const way = random.pick(WAYS);
  const { bytes, isReadable } = content(random, names);
  const message = {
    input,
    id: `F${step}`,
    to,
    from: random.pick(names.phones),
    way,
    raw: bytes.toString('base64'),
    isReadable,
  } as const;
  return way === 'envelope' ? { ...message, ...envelope(random, names) } : message;
}

function envelope(random: Random, names: Names): Pick<MessageCase, 'attrs' | 'children'> {
  const attrs: Record<string, string> = {};
  for (let count = 1 + random.few(3); count > 0; count--) {
    const name = random.pick([
      'type',
      'edit',
      'participant',
      'recipient',
      'category',
      'notify',
      'offline',
      'sender_pn',
      'sender_lid',
      'participant_pn',
      'participant_lid',
      'addressing_mode',
      't',
      'verified_level',
      'verified_name',
      'count',
      'server_id',
      'peer_recipient_pn',
      'peer_recipient_lid',
    ]);
    // What UTF-8 does not have would come back as something else.
    attrs[name] = (random.chance(0.5) ? jid(random, names) : text(random, names).slice(0, 2_000)).toWellFormed();
  }
  const children = Array.from({ length: random.few(2) }, () => invented(random, names, 2)).filter(isReadableNode);
  // What cannot be decoded would wait at the platform and end every connection: no platform takes it.
  return { attrs: readableAttrs(attrs), children };
}

/** Stanzas of messages that a client may have waiting. */
const MOST_WAITING = 16;

/** Sends it once the instance has taken most of what was sent before. Resolves with false when it does not do that in time. */
export async function sendMessage(stage: Stage, given: MessageCase, patience: number): Promise<boolean> {
  const { sandbox, names } = stage;
  const target = targetOf(stage, given.to);
  const companion = stage.companion(target);
  if (!(await until(() => companion.queue.length < MOST_WAITING, patience, stage))) return false;
  const phone = sandbox.phones.phone(given.from);
  const raw = Buffer.from(given.raw, 'base64');
  const { id, way } = given;
  if (way === 'pn' || way === 'lid') await phone.send(target.number, { raw }, { id, addressing: way });
  else if (way === 'own') await sandbox.phones.phone(target.number).send(given.from, { raw }, { id });
  else if (way === 'group')
    await phone.send(names.groups[Number(given.from) % names.groups.length] ?? '', { raw }, { id });
  else if (way === 'channel')
    deliver(stage, companion, { id, from: stage.channel.id, type: 'text', server_id: '1' }, [
      element('plaintext', {}, raw),
    ]);
  else await deliverEncrypted(stage, given, companion, raw);
  return true;
}

async function deliverEncrypted(stage: Stage, given: MessageCase, companion: Companion, raw: Buffer): Promise<void> {
  const phone = stage.sandbox.phones.phone(given.from);
  const { account } = phone;
  const enc = createEncNode(await phone.signal.encrypt(companion, writeRandomPadMax16(raw)));
  const status = { from: 'status@broadcast', participant: pnJid(account), participant_lid: lidJid(account) };
  const address = given.way === 'status' ? status : { from: pnJid(account), sender_lid: lidJid(account) };
  deliver(stage, companion, { id: given.id, ...address, type: 'text', ...given.attrs }, [
    enc,
    ...(given.children ?? []).map(fromJson),
  ]);
}

function deliver(stage: Stage, companion: Companion, attrs: Attributes, nodes: BinaryNode[]): void {
  deliverMessage(stage.sandbox.world, companion, attrs, nodes);
}

/** Writes the stanzas to one instance, and a notification after them. Resolves with whether the same connection acknowledged that. */
export async function sendStanzas(
  stage: Stage,
  cases: readonly StanzaCase[],
  patience: number,
): Promise<'kept' | 'lost' | 'silent'> {
  const [first] = cases;
  if (!first) return 'kept';
  const target = targetOf(stage, first.to);
  const companion = stage.companion(target);
  if (!(await until(() => companion.connection?.live === true, patience, stage))) return 'silent';
  const { connection } = companion;
  for (const { as, bytes } of cases) stage.sandbox.inject(target.number, as, Buffer.from(bytes, 'base64'));
  if (!(await isAnswering(stage, companion, patience))) return 'silent';
  return companion.connection === connection ? 'kept' : 'lost';
}

let lastMark = 0;

/** Whether the instance acknowledges a notification in time, on whichever connection. */
async function isAnswering(stage: Stage, companion: Companion, patience: number): Promise<boolean> {
  const attrs = {
    id: `MARK${++lastMark}`,
    from: pnJid(companion.account),
    type: 'fuzz',
    t: String(stage.sandbox.world.now()),
  };
  const key = queueKey('notification', attrs);
  stage.sandbox.world.deliver(companion, key, { tag: 'notification', attrs });
  return until(() => !companion.queue.some((each) => each.key === key), patience, stage);
}

export interface Answered {
  status: number;
  text: string;
}

const ANSWER_TIMEOUT = 40_000;
/** An answer that does not end, such as a stream of events, is left after this. */
const STREAM_TIMEOUT = 300;

export class Caller {
  readonly #pool: Pool;

  constructor(url: string) {
    this.#pool = new Pool(url, { connections: 24, headersTimeout: ANSWER_TIMEOUT, bodyTimeout: ANSWER_TIMEOUT });
  }

  /** Rejects when there is no answer. */
  async call({ method, path, headers, body }: HttpCase): Promise<Answered> {
    const signal = path.startsWith('/events/') ? AbortSignal.timeout(STREAM_TIMEOUT) : undefined;
    const bytes = body === undefined ? undefined : Buffer.from(body, 'base64');
    try {
      const answer = await this.#pool.request({ method: method as 'GET', path, headers, body: bytes ?? null, signal });
      return { status: answer.statusCode, text: await answer.body.text() };
    } catch (error) {
      if (signal?.aborted) return { status: 0, text: '' };
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

export function targetOf({ targets }: Stage, name: string): Target {
  const target = targets.find((each) => each.name === name);
  if (!target) throw new Error(`no instance ${name}`);
  return target;
}

/**
 * Resolves with true when `check` does, with false after `patience` ms or when the gateway is gone. Time in which others had the
 * processor does not count.
 */
export async function until(check: () => boolean, patience: number, { gateway }: Stage): Promise<boolean> {
  const started = performance.now();
  const { waited } = gateway.vitals;
  while (!check()) {
    const others = gateway.vitals.waited - waited;
    if (gateway.end !== undefined || performance.now() - started - others > patience) return false;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return true;
}
