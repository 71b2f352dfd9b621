// Stanzas and frames of a platform that has lost its mind: recorded ones with parts gone, changed, repeated or exchanged.
import { deflateSync } from 'node:zlib';
import { decodeDecompressedBinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys';
import * as dictionary from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import { spoil } from './bytes.ts';
import { fromJson, type NodeJson, recordedStanzas } from './corpus.ts';
import type { Random } from './random.ts';
import { blob, jid, messageId, type Names, text, whole } from './values.ts';

/** `plain`: plaintext of a frame, flag byte included. `frame`: content of a frame, not encrypted. */
export interface Injected {
  as: 'stanza' | 'frame';
  bytes: Buffer;
  /** Whether the client may end its session over it without being at fault: it cannot be read. */
  unreadable: boolean;
}

/** Share of frames and stanzas that cannot be decoded: each costs the client its connection. */
const UNREADABLE = 0.006;

export function injected(random: Random, names: Names): Injected {
  if (random.chance(UNREADABLE)) return unreadable(random, names);
  const plain = readable(() => encoded(stanza(random, names)));
  const compressed = random.chance(0.1) ? Buffer.concat([Buffer.from([2]), deflateSync(plain.subarray(1))]) : plain;
  return { as: 'stanza', bytes: compressed, unreadable: false };
}

/** The forms that ended the process once are among them. */
function unreadable(random: Random, names: Names): Injected {
  if (random.chance(0.25)) return { as: 'frame', bytes: random.bytes(random.int(80)), unreadable: true };
  const known = ['', '00f800', '02ffff', '00f9ffff03', '00f801fa0000', '00', 'f8', '00ff', '00f802fd7fffffff'];
  const bytes = random.chance(0.5)
    ? Buffer.from(random.pick(known), 'hex')
    : spoil(
        random,
        readable(() => encoded(stanza(random, names))),
      );
  return { as: 'stanza', bytes, unreadable: true };
}

/** The first of some tries that can be decoded: an address with an empty half cannot. */
function readable(make: () => Buffer): Buffer {
  for (let tries = 0; tries < 20; tries++) {
    const plain = attempt(make);
    if (plain && isReadable(plain)) return plain;
  }
  return encoded({ tag: 'ib', attrs: {} });
}

/** The library's encoder calls itself once for each at sign of an address, until the stack is full. */
function attempt(make: () => Buffer): Buffer | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

function isReadable(plain: Buffer): boolean {
  try {
    decodeDecompressedBinaryNode(plain.subarray(1), dictionary);
    return true;
  } catch {
    return false;
  }
}

/**
 * Attributes as a client reads them, without those that it cannot decode. The encoding of addresses has no place for some agents and servers:
 * an answer names the address that was read, and the platform would not find what it waits for.
 */
export const readableAttrs = (attrs: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attrs).flatMap(([name, value]) => {
      const read = asRead(name, value);
      return read !== undefined && asRead(name, read) === read ? [[name, read]] : [];
    }),
  );

/** The value of an attribute after it was encoded and decoded; undefined when it cannot be decoded. */
function asRead(name: string, value: string): string | undefined {
  try {
    const plain = encoded({ tag: 'x', attrs: { [name]: value } });
    return decodeDecompressedBinaryNode(plain.subarray(1), dictionary).attrs[name];
  } catch {
    return undefined;
  }
}

export function isReadableNode(node: NodeJson): boolean {
  const plain = attempt(() => encoded(node));
  return plain !== undefined && isReadable(plain);
}

function encoded(node: NodeJson): Buffer {
  return Buffer.from(encodeBinaryNode(fromJson(node)));
}

/** Words of the protocol, beside those in the recorded stanzas. */
const TAGS = [
  'message',
  'receipt',
  'notification',
  'call',
  'presence',
  'chatstate',
  'ib',
  'iq',
  'ack',
  'success',
  'enc',
  'participants',
  'to',
  'list',
  'item',
  'user',
  'device',
  'add',
  'remove',
  'update',
  'delete',
  'create',
  'subject',
  'group',
  'picture',
  'set',
  'status',
  'privacy',
  'token',
  'blocklist',
  'dirty',
  'offline',
  'edge_routing',
  'routing_info',
  'offer',
  'terminate',
  'accept',
  'retry',
  'registration',
  'keys',
  'identity',
  'count',
  'link',
  'unlink',
  'promote',
  'demote',
  'not_ephemeral',
  'ephemeral',
  'announcement',
  'locked',
  'membership_approval_mode',
  'created_membership_requests',
  'revoked_membership_requests',
  'member_add_mode',
  'reporting',
  'biz',
  'bot',
  'meta',
  'multicast',
  'unavailable',
  'plaintext',
  'reaction',
  'messages',
  'mex',
  'error',
  'verified_name',
  'rmr',
  'device-identity',
  'devices',
  'key-index-list',
  'collection',
  'sync',
  'patches',
  'snapshot',
  'composing',
  'paused',
  'media',
  'cag',
  'link_code_companion_reg',
  'primary_identity_pub',
  'encrypt_notification',
  'invite',
  'description',
  'body',
  'participant',
] as const;
const ATTRS = [
  'id',
  'from',
  'to',
  'type',
  't',
  'participant',
  'recipient',
  'class',
  'notify',
  'offline',
  'edit',
  'xmlns',
  'jid',
  'lid',
  'name',
  'sender_pn',
  'sender_lid',
  'participant_pn',
  'participant_lid',
  'peer_recipient_pn',
  'peer_recipient_lid',
  'addressing_mode',
  'category',
  'v',
  'count',
  'mediatype',
  'decrypt-fail',
  'hash',
  'phash',
  'value',
  'code',
  'text',
  'error',
  'last',
  'deny',
  'call-id',
  'call-creator',
  'expiration',
  'reason',
  'creation',
  'creator',
  's_t',
  's_o',
  'subject',
  'version',
  'timestamp',
  'action',
  'index',
  'dhash',
  'order',
  'stage',
  'server_id',
  'is_sender',
  'device_fanout',
  'unknown',
  'author',
  'op_name',
] as const;
const TYPES = [
  'text',
  'media',
  'reaction',
  'poll',
  'event',
  'result',
  'error',
  'set',
  'get',
  'available',
  'unavailable',
  'read',
  'read-self',
  'played',
  'retry',
  'sender',
  'inactive',
  'peer_msg',
  'hist_sync',
  'server-error',
  'w:gp2',
  'encrypt',
  'devices',
  'mediaretry',
  'picture',
  'account_sync',
  'server_sync',
  'link_code_companion_reg',
  'privacy_token',
  'newsletter',
  'mex',
  'business',
  'pkmsg',
  'msg',
  'skmsg',
  'msmsg',
  'psa',
  'contacts',
  'subscribe',
  'view_once',
  'groups',
  'offline',
  'status',
  'disappearing_mode',
  'call',
] as const;

function stanza(random: Random, names: Names): NodeJson {
  const node = random.chance(0.06) ? invented(random, names, 0) : structuredClone(random.pick(recordedStanzas()));
  freshId(random, node);
  for (let changes = 1 + random.few(4); changes > 0; changes--) changeOne(random, names, node);
  return endsLink(node) ? { tag: 'ib', attrs: {} } : node;
}

/** A repeated id is taken for a repetition. */
function freshId(random: Random, node: NodeJson): void {
  if (node.attrs.id && random.chance(0.9)) node.attrs.id = `S${random.int(2 ** 31)}`;
}

/** What the platform uses to end a link or to refuse an account: the client must not reconnect. */
function endsLink({ tag, content }: NodeJson): boolean {
  if (tag === 'failure' || tag === 'stream:error' || tag === 'xmlstreamend') return true;
  return tag === 'ib' && Array.isArray(content) && content.some((child) => child.tag === 'downgrade_webclient');
}

export function invented(random: Random, names: Names, depth: number): NodeJson {
  const attrs = Object.fromEntries(
    Array.from({ length: random.int(5) }, () => [random.pick(ATTRS), attribute(random, names)]),
  );
  const tag = random.pick(TAGS);
  if (depth > 3 || random.chance(0.4))
    return random.chance(0.5) ? { tag, attrs } : { tag, attrs, content: { base64: blob(random).toString('base64') } };
  return { tag, attrs, content: Array.from({ length: random.int(4) }, () => invented(random, names, depth + 1)) };
}

function attribute(random: Random, names: Names): string {
  switch (random.int(6)) {
    case 0:
      return random.pick(TYPES);
    case 1:
    case 2:
      return jid(random, names);
    case 3:
      return String(whole(random));
    case 4:
      return messageId(random);
    default:
      return text(random, names);
  }
}

/** Every node of a stanza, itself first. */
function nodes(node: NodeJson): NodeJson[] {
  return [node, ...(Array.isArray(node.content) ? node.content.flatMap(nodes) : [])];
}

function changeOne(random: Random, names: Names, root: NodeJson): void {
  const node = random.pick(nodes(root));
  const { attrs } = node;
  const present = Object.keys(attrs);
  const children = Array.isArray(node.content) ? node.content : undefined;
  switch (random.int(12)) {
    case 0:
    case 1:
      if (present.length > 0) delete attrs[random.pick(present)];
      return;
    case 2:
    case 3:
      if (present.length > 0) attrs[random.pick(present)] = attribute(random, names);
      return;
    case 4:
      attrs[random.pick(ATTRS)] = attribute(random, names);
      return;
    case 5:
      delete node.content;
      return;
    case 6:
      node.content = [];
      return;
    case 7:
      node.content = { base64: blob(random).toString('base64') };
      return;
    case 8:
      if (children?.length) children.splice(random.int(children.length), 1);
      return;
    case 9:
      if (children?.length)
        children.push(
          ...Array.from({ length: random.chance(0.02) ? 200 : 1 }, () => structuredClone(random.pick(children))),
        );
      return;
    case 10:
      node.content = [
        ...(children ?? []),
        random.chance(0.5)
          ? invented(random, names, 1)
          : structuredClone(random.pick(nodes(random.pick(recordedStanzas())))),
      ];
      return;
    default:
      node.tag = random.pick(TAGS);
  }
}
