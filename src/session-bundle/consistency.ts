// Checks that the keys of a session bundle belong to its credentials. Keys of another account would break the
// encryption of messages to and from the contacts. Signatures are not checked here, because node:crypto lacks their
// algorithm, XEdDSA.
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { withKeyType } from './baileys-values.ts';
import type { Base64, BundleKeyPair, SessionBundle } from './bundle.ts';
import { BundleError } from './bundle-error.ts';
import { Field } from './schema.ts';

type BundleParts = Pick<SessionBundle, 'credentials' | 'keys'>;

/** Throws BundleError for the first part of the bundle that does not match the credentials. */
export function assertConsistent(bundle: BundleParts): void {
  const { credentials, keys } = bundle;
  if (Object.keys(keys.preKeys).length === 0 && Object.keys(keys.sessions).length === 0)
    throw new BundleError('keys', 'The bundle has credentials without keys.');
  assertPairs(bundle);
  assertPreKeyIds(bundle);
  assertOwnSessions(bundle);
  assertOwnSenderKeys(bundle);
  const { appStateKeyId } = credentials;
  const syncKeyIds = Object.keys(keys.appStateSyncKeys);
  if (appStateKeyId !== undefined && syncKeyIds.length > 0 && !syncKeyIds.includes(appStateKeyId))
    throwForeignKeyError('credentials', 'appStateKeyId');
  assertOwnMapping(bundle);
}

function throwForeignKeyError(...names: string[]): never {
  const { path } = names.reduce((field, name) => field.child(name), Field.ROOT);
  throw new BundleError(path, `The bundle has keys of another account: ${path} does not match the credentials.`);
}

const userOf = (jid: string): string => jid.split(/[:@]/, 1)[0] ?? '';

/** The algorithm and the length before the 32 bytes of an X25519 private key in PKCS #8. */
const PRIVATE_KEY_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');

function publicKeyOf(privateKey: Base64): Base64 {
  const key = Buffer.concat([PRIVATE_KEY_PREFIX, Buffer.from(privateKey, 'base64')]);
  const publicKey = createPublicKey(createPrivateKey({ key, format: 'der', type: 'pkcs8' }));
  const encoded = publicKey.export({ format: 'der', type: 'spki' });
  return encoded.subarray(-32).toString('base64');
}

/**
 * Checks the key pairs of the credentials. The pairs of pre-keys (one-time keys for new encrypted sessions) are not
 * checked, because a check takes 0.1 to 0.5 ms and a bundle has hundreds of pre-keys. A wrong pre-key only makes one
 * contact repeat one message, and does not prove that the keys are of another account.
 */
function assertPairs({ credentials }: BundleParts): void {
  const field = Field.ROOT.child('credentials');
  const pairs: Record<string, BundleKeyPair> = {
    noiseKey: credentials.noiseKey,
    identityKey: credentials.identityKey,
    signedPreKey: credentials.signedPreKey,
  };
  for (const [name, pair] of Object.entries(pairs)) {
    if (publicKeyOf(pair.private) !== pair.public)
      field.child(name).child('public').fail('is not the public key of its private key');
  }
}

function assertPreKeyIds({ credentials, keys }: BundleParts): void {
  const field = Field.ROOT.child('credentials');
  const { nextPreKeyId, firstUnuploadedPreKeyId } = credentials;
  if (Object.keys(keys.preKeys).some((id) => Number(id) >= nextPreKeyId))
    field.child('nextPreKeyId').fail('must be greater than the ids of all pre-keys');
  if (firstUnuploadedPreKeyId > nextPreKeyId)
    field.child('firstUnuploadedPreKeyId').fail('must not be greater than nextPreKeyId');
}

/**
 * In open sessions with the phone of the account, the identity key must be the key that signed this device. Closed
 * sessions are not checked: a source may keep the sessions of an earlier link.
 */
function assertOwnSessions({ credentials, keys }: BundleParts): void {
  const { me, account } = credentials;
  const phoneKey = withKeyType(Buffer.from(account.accountSignatureKey, 'base64')).toString('base64');
  // The phone has the device number 0. Addresses of LIDs (ids that hide the phone number) end with the domain `_1` and
  // the device number. Baileys 6 leaves out the domain.
  const lidAddresses = me.lid === undefined ? [] : [`${userOf(me.lid)}_1.0`, `${userOf(me.lid)}.0`];
  for (const address of [`${userOf(me.id)}.0`, ...lidAddresses]) {
    const sessions = Object.values(keys.sessions[address]?._sessions ?? {});
    if (sessions.some(({ indexInfo }) => indexInfo.closed === -1 && indexInfo.remoteIdentityKey !== phoneKey))
      throwForeignKeyError('keys', 'sessions', address);
  }
}

/**
 * A sender key encrypts the messages of one member of a group. Its private signing key is a secret of the sending
 * device, so only sender keys of the account itself may have one.
 */
function assertOwnSenderKeys({ credentials: { me }, keys }: BundleParts): void {
  const ownUsers = [me.id, me.lid].map((jid) => jid && userOf(jid));
  for (const [name, states] of Object.entries(keys.senderKeys)) {
    // `name` is "<group JID>::<user>[_<domain>]::<device>".
    const sender = name.split('::')[1]?.split('_')[0];
    if (!ownUsers.includes(sender) && states.some(({ senderSigningKey }) => senderSigningKey.private !== undefined))
      throwForeignKeyError('keys', 'senderKeys', name);
  }
}

/**
 * If `lidMap` has the account's LID, it must map this LID to the account's number. No other LID may map to that number.
 */
function assertOwnMapping({ credentials: { me }, keys: { lidMap } }: BundleParts): void {
  if (me.lid === undefined) return;
  const [number, lid] = [userOf(me.id), userOf(me.lid)];
  const foreign = Object.keys(lidMap).find((id) => {
    const isOwnLid = id === lid;
    const isOwnNumber = lidMap[id] === number;
    return isOwnLid !== isOwnNumber;
  });
  if (foreign !== undefined) throwForeignKeyError('keys', 'lidMap', foreign);
}
