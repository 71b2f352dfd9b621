// Sends cases to the gateway through its three inputs, and detects when the gateway has handled them.
import { type BinaryNode, writeRandomPadMax16 } from '@whiskeysockets/baileys';
import { Pool } from 'undici';
import { element } from '../../packages/sandbox/src/lib/binary-node.ts';
import { type Attributes, createEncNode, deliverMessage } from '../../packages/sandbox/src/world/delivery.ts';
import type { Companion } from '../../packages/sandbox/src/world/model.ts';
import { lidJid, pnJid, queueKey } from '../../packages/sandbox/src/world/world.ts';
import type { Random } from '../support/random.ts';
import { createContent } from './content.ts';
import { fromJson, type NodeJson } from './corpus.ts';
import { createHttpCase, type HttpCase } from './requests.ts';
import type { Stage, Target } from './stage.ts';
import { createInjection, createRandomNode, isReadableNode, readableAttrs } from './stanzas.ts';
import { jid, type Names, text } from './values.ts';

export interface MessageCase {
  input: 'message';
  id: string;
  /** Name of the instance. */
  to: string;
  from: string;
  /** The way of the message: in a chat, from the account's own phone, in a group, … */
  way: 'pn' | 'lid' | 'own' | 'group' | 'status' | 'channel' | 'envelope';
  /** Protobuf, base64. */
  raw: string;
  /** False when `raw` is not valid protobuf. */
  isReadable: boolean;
  /** Additional attributes and children of the stanza (`envelope`). */
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

/** Creates the case with the number `step` of an input. The same random choices and names make the same case. */
export function createCase(input: Input, random: Random, step: number, { names, access, targetsOf }: Stage): Case {
  if (input === 'request') return { input, ...createHttpCase(random, names, access) };
  const to = random.pick(targetsOf(input)).name;
  if (input === 'stanza') {
    const { as, bytes } = createInjection(random, names);
    return { input, to, as, bytes: bytes.toString('base64') };
  }
  const way = random.pick(WAYS);
  const { bytes, isReadable } = createContent(random, names);
  const messageCase = {
    input,
    id: `F${step}`,
    to,
    from: random.pick(names.phones),
    way,
    raw: bytes.toString('base64'),
    isReadable,
  } as const;
  return way === 'envelope' ? { ...messageCase, ...createEnvelope(random, names) } : messageCase;
}

function createEnvelope(random: Random, names: Names): Pick<MessageCase, 'attrs' | 'children'> {
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
    // A lone surrogate would change in UTF-8.
    attrs[name] = (random.chance(0.5) ? jid(random, names) : text(random, names).slice(0, 2_000)).toWellFormed();
  }
  const children = Array.from({ length: random.few(2) }, () => createRandomNode(random, names, 2)).filter(
    isReadableNode,
  );
  // A stanza that cannot be decoded would stay in the queue of the platform and end every connection. A real platform
  // does not accept such a stanza.
  return { attrs: readableAttrs(attrs), children };
}

/** Maximum number of message stanzas in the queue of a client. */
const MAX_WAITING = 16;

/** Sends a message after the queue of the instance has become short. Resolves with false when it does not in time. */
export async function sendMessage(stage: Stage, messageCase: MessageCase, timeout: number): Promise<boolean> {
  const { sandbox, names } = stage;
  const target = targetOf(stage, messageCase.to);
  const companion = stage.companion(target);
  if (!(await waitUntil(() => companion.queue.length < MAX_WAITING, timeout, stage))) return false;
  const phone = sandbox.phones.phone(messageCase.from);
  const raw = Buffer.from(messageCase.raw, 'base64');
  const { id, way } = messageCase;
  if (way === 'pn' || way === 'lid') await phone.send(target.number, { raw }, { id, addressing: way });
  else if (way === 'own') await sandbox.phones.phone(target.number).send(messageCase.from, { raw }, { id });
  else if (way === 'group')
    await phone.send(names.groups[Number(messageCase.from) % names.groups.length] ?? '', { raw }, { id });
  else if (way === 'channel')
    deliver(stage, companion, { id, from: stage.channel.id, type: 'text', server_id: '1' }, [
      element('plaintext', {}, raw),
    ]);
  else await deliverEncrypted(stage, messageCase, companion, raw);
  return true;
}

async function deliverEncrypted(
  stage: Stage,
  messageCase: MessageCase,
  companion: Companion,
  raw: Buffer,
): Promise<void> {
  const phone = stage.sandbox.phones.phone(messageCase.from);
  const { account } = phone;
  const enc = createEncNode(await phone.signal.encrypt(companion, writeRandomPadMax16(raw)));
  const status = { from: 'status@broadcast', participant: pnJid(account), participant_lid: lidJid(account) };
  const address = messageCase.way === 'status' ? status : { from: pnJid(account), sender_lid: lidJid(account) };
  deliver(stage, companion, { id: messageCase.id, ...address, type: 'text', ...messageCase.attrs }, [
    enc,
    ...(messageCase.children ?? []).map(fromJson),
  ]);
}

function deliver(stage: Stage, companion: Companion, attrs: Attributes, nodes: BinaryNode[]): void {
  deliverMessage(stage.sandbox.world, companion, attrs, nodes);
}

/**
 * Sends the stanzas and then a notification to one instance. Resolves with `kept` when the same connection acknowledges
 * the notification, with `lost` when another connection does, and with `silent` when none does in time.
 */
export async function sendStanzas(
  stage: Stage,
  cases: readonly StanzaCase[],
  timeout: number,
): Promise<'kept' | 'lost' | 'silent'> {
  const [firstCase] = cases;
  if (!firstCase) return 'kept';
  const target = targetOf(stage, firstCase.to);
  const companion = stage.companion(target);
  if (!(await waitUntil(() => companion.connection?.live === true, timeout, stage))) return 'silent';
  const { connection } = companion;
  for (const { as, bytes } of cases) stage.sandbox.inject(target.number, as, Buffer.from(bytes, 'base64'));
  if (!(await isAnswering(stage, companion, timeout))) return 'silent';
  return companion.connection === connection ? 'kept' : 'lost';
}

let lastMark = 0;

/** Whether the instance acknowledges a notification in time, on any connection. */
async function isAnswering(stage: Stage, companion: Companion, timeout: number): Promise<boolean> {
  const attrs = {
    id: `MARK${++lastMark}`,
    from: pnJid(companion.account),
    type: 'fuzz',
    t: String(stage.sandbox.world.now()),
  };
  const key = queueKey('notification', attrs);
  stage.sandbox.world.deliver(companion, key, { tag: 'notification', attrs });
  return waitUntil(() => !companion.queue.some((item) => item.key === key), timeout, stage);
}

export interface Answer {
  status: number;
  text: string;
}

const ANSWER_TIMEOUT = 40_000;
/** ms after which the caller aborts an endless response, such as a stream of events. */
const STREAM_TIMEOUT = 300;

export class Caller {
  readonly #pool: Pool;

  constructor(url: string) {
    this.#pool = new Pool(url, { connections: 24, headersTimeout: ANSWER_TIMEOUT, bodyTimeout: ANSWER_TIMEOUT });
  }

  /** Rejects when the gateway does not respond. */
  async call({ method, path, headers, body }: HttpCase): Promise<Answer> {
    const signal = path.startsWith('/events/') ? AbortSignal.timeout(STREAM_TIMEOUT) : undefined;
    const bytes = body === undefined ? undefined : Buffer.from(body, 'base64');
    try {
      const response = await this.#pool.request({
        method: method as 'GET',
        path,
        headers,
        body: bytes ?? null,
        signal,
      });
      return { status: response.statusCode, text: await response.body.text() };
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
  const target = targets.find((candidate) => candidate.name === name);
  if (!target) throw new Error(`no instance ${name}`);
  return target;
}

/**
 * Resolves with true when `check` returns true, and with false after `timeout` ms or when the gateway has ended. The
 * time in which the thread of the gateway waits for the processor does not count.
 */
export async function waitUntil(check: () => boolean, timeout: number, { gateway }: Stage): Promise<boolean> {
  const startedAt = performance.now();
  const { waitTime: waitTimeBefore } = gateway.vitals;
  while (!check()) {
    const waitTime = gateway.vitals.waitTime - waitTimeBefore;
    if (gateway.end !== undefined || performance.now() - startedAt - waitTime > timeout) return false;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return true;
}
