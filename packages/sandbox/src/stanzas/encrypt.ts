// Stores the Signal keys that companions (linked devices) upload, and serves a companion the keys of other devices
// (xmlns `encrypt`). Verifies uploaded keys as other clients would, and serves each one-time pre-key (a key for one new
// Signal session) only once.
import { createHash } from 'node:crypto';
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, jidDecode } from '@whiskeysockets/baileys';
import { isValidSignature, KEY_TYPE_BYTE, withWrongBit } from '../crypto/signing.ts';
import { bigEndian, bytesOfSize, childBytes, element } from '../lib/binary-node.ts';
import type { Companion, KeyBundle, Phones, PreKey, World } from '../world/model.ts';
import { takePreKey } from '../world/pre-keys.ts';
import type { ProtocolViolations } from '../world/violations.ts';
import { type Answer, type IqHandler, requestOf, StanzaError } from './router.ts';

/** Sizes in bytes. */
const KEY_ID_SIZE = 3;
const PUBLIC_KEY_SIZE = 32;
const SIGNATURE_SIZE = 64;

export interface EncryptOptions {
  world: World;
  phones: Phones;
  violations: ProtocolViolations;
}

export function createEncrypt({ world, phones, violations }: EncryptOptions): IqHandler {
  /** `<user>` with the key bundle of a device, or with an error when there is no such device. */
  function serveBundle(jid: string): BinaryNode {
    const account = world.byJid(jid);
    // A JID without a device number is the address of the phone.
    if (account && !jidDecode(jid)?.device) return element('user', { jid }, bundleNodes(phones.keyBundle(account)));
    const companion = world.companion(jid);
    if (!companion) return element('user', { jid }, [new StanzaError(404).node]);
    const keys = bundleNodes({ ...companion, preKey: takePreKey(world, companion) });
    // `device-identity` proves that the companion belongs to the account. A phone needs no proof.
    return element('user', { jid }, [...keys, element('device-identity', {}, companion.signedIdentity)]);
  }

  /** The elements of a key bundle. The violation `preKeySignature` gives the bundle a wrong signature on purpose. */
  function bundleNodes({ registrationId, identity, signedPreKey, preKey }: KeyBundle): BinaryNode[] {
    const signature = violations.preKeySignature ? withWrongBit(signedPreKey.signature) : signedPreKey.signature;
    const nodes = reusableKeyNodes({ registrationId, identity, signedPreKey: { ...signedPreKey, signature } });
    return preKey ? [...nodes, element('key', {}, keyNodes(preKey.id, preKey.public))] : nodes;
  }

  return (companion, iq) => {
    const request = requestOf(iq);
    if (iq.attrs.type === 'set') return storeKeys(companion, iq, request);
    switch (request?.tag) {
      case 'count': {
        // The server reports more keys than it has, so that the client uploads fewer.
        const value = String(companion.preKeys.length + companion.extraReportedPreKeys);
        return { content: [element('count', { value })] };
      }
      case 'digest':
        return { content: [digestNode(companion)] };
      case 'key': {
        const jids = getBinaryNodeChildren(request, 'user').map((user) => user.attrs.jid ?? '');
        return { content: [element('list', {}, jids.map(serveBundle))] };
      }
      default:
        return undefined;
    }
  };
}

/** The content of an element that contains a pre-key. */
const keyNodes = (id: number, value: Uint8Array) => [keyIdNode(id), element('value', {}, value)];

const keyIdNode = (id: number) => element('id', {}, bigEndian(id, KEY_ID_SIZE));

/** Stores uploaded keys: one-time and signed pre-keys, or with `rotate` only a new signed pre-key. */
function storeKeys(companion: Companion, iq: BinaryNode, request: BinaryNode | undefined): Answer | undefined {
  if (request?.tag === 'rotate') {
    companion.signedPreKey = readSignedPreKey(companion, request);
    return {};
  }
  const identity = childBytes(iq, 'identity');
  if (!identity) return undefined;
  if (!identity.equals(companion.identity)) throw new StanzaError(406);
  const uploaded = getBinaryNodeChildren(getBinaryNodeChild(iq, 'list'), 'key').map(readPreKey);
  companion.signedPreKey = readSignedPreKey(companion, iq);
  const uploadedIds = new Set(uploaded.map(({ id }) => id));
  companion.preKeys = [...companion.preKeys.filter(({ id }) => !uploadedIds.has(id)), ...uploaded];
  return {};
}

function readPreKey(node: BinaryNode): PreKey {
  const id = bytesOfSize(childBytes(node, 'id'), KEY_ID_SIZE);
  const value = bytesOfSize(childBytes(node, 'value'), PUBLIC_KEY_SIZE);
  if (!id || !value) throw new StanzaError(400);
  return { id: id.readUIntBE(0, KEY_ID_SIZE), public: value };
}

function readSignedPreKey(companion: Companion, parent: BinaryNode): Companion['signedPreKey'] {
  const node = getBinaryNodeChild(parent, 'skey');
  const signature = bytesOfSize(childBytes(node, 'signature'), SIGNATURE_SIZE);
  if (!node || !signature) throw new StanzaError(400);
  const { id, public: value } = readPreKey(node);
  const existing = companion.signedPreKey;
  // Every upload contains the signed pre-key again. A verification takes 9 ms, so an unchanged key is not verified
  // again.
  if (existing.id === id && signature.equals(existing.signature) && Buffer.from(value).equals(existing.public))
    return existing;
  if (!isValidSignature(companion.identity, Buffer.concat([KEY_TYPE_BYTE, value]), signature))
    throw new StanzaError(406);
  return { id, public: value, signature };
}

/** The elements of a key bundle that are the same for every session, that is, all except the one-time pre-key. */
function reusableKeyNodes({ registrationId, identity, signedPreKey }: Omit<KeyBundle, 'preKey'>): BinaryNode[] {
  const { id, public: value, signature } = signedPreKey;
  return [
    element('registration', {}, bigEndian(registrationId, 4)),
    element('type', {}, KEY_TYPE_BYTE),
    element('identity', {}, identity),
    element('skey', {}, [...keyNodes(id, value), element('signature', {}, signature)]),
  ];
}

/**
 * `<digest>`, with which a client checks the keys that the server has stored. Contains the reusable keys, the ids of
 * the one-time pre-keys, and a SHA-1 over identity key, signed pre-key, its signature and the one-time pre-keys.
 */
function digestNode(companion: Companion): BinaryNode {
  const { identity, signedPreKey, preKeys } = companion;
  const hash = createHash('sha1').update(identity).update(signedPreKey.public).update(signedPreKey.signature);
  for (const preKey of preKeys) hash.update(preKey.public);
  const ids = preKeys.map(({ id }) => keyIdNode(id));
  const content = [...reusableKeyNodes(companion), element('list', {}, ids), element('hash', {}, hash.digest())];
  return element('digest', {}, content);
}
