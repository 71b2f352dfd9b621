// Stanzas and frames of a faulty platform: random ones, and recorded ones whose parts are changed or missing.
import { deflateSync } from 'node:zlib';
import { decodeDecompressedBinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys';
import * as dictionary from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import type { Random } from '../support/random.ts';
import { corrupt } from './bytes.ts';
import { fromJson, type NodeJson, recordedStanzas } from './corpus.ts';
import { blob, jid, messageId, type Names, text, wholeNumber } from './values.ts';

/** Bytes to inject. `stanza`: plaintext of a frame with its flag byte. `frame`: content of a frame, not encrypted. */
export interface Injection {
  as: 'stanza' | 'frame';
  bytes: Buffer;
}

/** Share of frames and stanzas that cannot be decoded. Each of them ends the connection of the client. */
const UNREADABLE = 0.006;

export function createInjection(random: Random, names: Names): Injection {
  if (random.chance(UNREADABLE)) return createUnreadable(random, names);
  const plain = createReadable(() => encode(createStanza(random, names)));
  const compressed = random.chance(0.1) ? Buffer.concat([Buffer.from([2]), deflateSync(plain.subarray(1))]) : plain;
  return { as: 'stanza', bytes: compressed };
}

/** Creates bytes that can be impossible to decode. The known forms once ended the process. */
function createUnreadable(random: Random, names: Names): Injection {
  if (random.chance(0.25)) return { as: 'frame', bytes: random.bytes(random.int(80)) };
  const knownForms = ['', '00f800', '02ffff', '00f9ffff03', '00f801fa0000', '00', 'f8', '00ff', '00f802fd7fffffff'];
  const bytes = random.chance(0.5)
    ? Buffer.from(random.pick(knownForms), 'hex')
    : corrupt(
        random,
        createReadable(() => encode(createStanza(random, names))),
      );
  return { as: 'stanza', bytes };
}

/** Calls `make` until its result can be decoded. A JID with an empty part, for example, cannot. */
function createReadable(make: () => Buffer): Buffer {
  for (let tries = 0; tries < 20; tries++) {
    const plain = tryEncoding(make);
    if (plain && isReadable(plain)) return plain;
  }
  return encode({ tag: 'ib', attrs: {} });
}

/**
 * Returns undefined when encoding fails. The encoder of the library recurses once per at sign of a JID, which can
 * overflow the stack.
 */
function tryEncoding(make: () => Buffer): Buffer | undefined {
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
 * Returns the attributes as a client reads them, without those that it cannot decode. The encoding of JIDs cannot
 * represent some agents and servers. The response of a client contains the decoded JID, so the platform would not find
 * the stanza for it.
 */
export const readableAttrs = (attrs: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attrs).flatMap(([name, value]) => {
      const decoded = roundTrip(name, value);
      return decoded !== undefined && roundTrip(name, decoded) === decoded ? [[name, decoded]] : [];
    }),
  );

/** Returns the value of an attribute after encoding and decoding, or undefined when it cannot be decoded. */
function roundTrip(name: string, value: string): string | undefined {
  try {
    const plain = encode({ tag: 'x', attrs: { [name]: value } });
    return decodeDecompressedBinaryNode(plain.subarray(1), dictionary).attrs[name];
  } catch {
    return undefined;
  }
}

export function isReadableNode(node: NodeJson): boolean {
  const plain = tryEncoding(() => encode(node));
  return plain !== undefined && isReadable(plain);
}

function encode(node: NodeJson): Buffer {
  return Buffer.from(encodeBinaryNode(fromJson(node)));
}

/** Tags of the protocol. */
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

function createStanza(random: Random, names: Names): NodeJson {
  const node = random.chance(0.06)
    ? createRandomNode(random, names, 0)
    : structuredClone(random.pick(recordedStanzas()));
  renewId(random, node);
  for (let changes = 1 + random.few(4); changes > 0; changes--) changeNode(random, names, node);
  return endsLink(node) ? { tag: 'ib', attrs: {} } : node;
}

/** Gives most stanzas a new id, because the gateway ignores a stanza with a repeated id. */
function renewId(random: Random, node: NodeJson): void {
  if (node.attrs.id && random.chance(0.9)) node.attrs.id = `S${random.int(2 ** 31)}`;
}

/** Whether the stanza ends a link or refuses an account. The client correctly does not reconnect then. */
function endsLink({ tag, content }: NodeJson): boolean {
  if (tag === 'failure' || tag === 'stream:error' || tag === 'xmlstreamend') return true;
  return tag === 'ib' && Array.isArray(content) && content.some((child) => child.tag === 'downgrade_webclient');
}

export function createRandomNode(random: Random, names: Names, depth: number): NodeJson {
  const attrs = Object.fromEntries(
    Array.from({ length: random.int(5) }, () => [random.pick(ATTRS), createAttribute(random, names)]),
  );
  const tag = random.pick(TAGS);
  if (depth > 3 || random.chance(0.4))
    return random.chance(0.5) ? { tag, attrs } : { tag, attrs, content: { base64: blob(random).toString('base64') } };
  return {
    tag,
    attrs,
    content: Array.from({ length: random.int(4) }, () => createRandomNode(random, names, depth + 1)),
  };
}

function createAttribute(random: Random, names: Names): string {
  switch (random.int(6)) {
    case 0:
      return random.pick(TYPES);
    case 1:
    case 2:
      return jid(random, names);
    case 3:
      return String(wholeNumber(random));
    case 4:
      return messageId(random);
    default:
      return text(random, names);
  }
}

/** All nodes of a stanza, the outermost first. */
function nodesOf(node: NodeJson): NodeJson[] {
  return [node, ...(Array.isArray(node.content) ? node.content.flatMap(nodesOf) : [])];
}

function changeNode(random: Random, names: Names, root: NodeJson): void {
  const node = random.pick(nodesOf(root));
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
      if (present.length > 0) attrs[random.pick(present)] = createAttribute(random, names);
      return;
    case 4:
      attrs[random.pick(ATTRS)] = createAttribute(random, names);
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
          ? createRandomNode(random, names, 1)
          : structuredClone(random.pick(nodesOf(random.pick(recordedStanzas())))),
      ];
      return;
    default:
      node.tag = random.pick(TAGS);
  }
}
