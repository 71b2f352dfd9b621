// Bundles with real keys.
import { fromBaileys } from '../../src/session-bundle/baileys.ts';
import { BUNDLE_FORMAT, BUNDLE_VERSION, type SessionBundle } from '../../src/session-bundle/bundle.ts';
import { BundleError } from '../../src/session-bundle/bundle-error.ts';
import { parseBundle } from '../../src/session-bundle/parse.ts';
import { createConversations, otherKeys } from './signal-conversations.ts';

/** A valid bundle with every field. */
export async function fullBundle(): Promise<SessionBundle> {
  const { device } = await createConversations();
  const creds = {
    ...device.creds,
    myAppStateKeyId: 'AAAAAB/+',
    routingInfo: Buffer.from([8, 2]),
    lastPropHash: '2abc',
    lastAccountSyncTimestamp: 1_700_000_000,
  };
  const { credentials, keys } = fromBaileys({ creds, keys: [...device.keys(), ...otherKeys()] });
  return {
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    createdAt: '2026-11-23T01:02:03.456Z',
    source: 'evolution-api 2.3.7',
    instance: {
      name: 'shop',
      token: 'token-of-the-shop',
      number: '4915550001001',
      settings: {
        rejectCall: true,
        msgCall: 'Please write.\nThank you.',
        groupsIgnore: false,
        alwaysOnline: true,
        readMessages: true,
        readStatus: false,
        syncFullHistory: false,
        readChannels: true,
      },
      proxy: { protocol: 'socks5', host: 'proxy.example', port: 1080, username: 'shop', password: 'secret' },
      webhook: {
        enabled: true,
        url: 'https://receiver.example/hook',
        headers: { Authorization: 'Bearer secret' },
        events: ['messages.upsert'],
        byEvents: false,
        base64: true,
      },
    },
    credentials,
    keys: { ...keys, nctSalt: Buffer.alloc(16, 3).toString('base64') },
  };
}

/**
 * Returns a copy of `bundle` as parsed JSON, with changes. The keys of `changes` are paths of members, such as
 * "keys|lidMap". The value undefined removes a member.
 */
export function withChanges(bundle: SessionBundle, changes: Record<string, unknown>): unknown {
  const copy: unknown = JSON.parse(JSON.stringify(bundle));
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split('|');
    const last = names.pop() ?? '';
    const parent = Object(names.reduce<unknown>((object, name) => Reflect.get(Object(object), name), copy));
    if (value === undefined) Reflect.deleteProperty(parent, last);
    else Reflect.set(parent, last, value);
  }
  return copy;
}

/** Returns the BundleError of parseBundle(). Throws when the bundle is accepted, and rethrows other errors. */
export function errorOf(value: unknown): { field: string; message: string } {
  try {
    parseBundle(value);
  } catch (error) {
    if (error instanceof BundleError) return { field: error.field, message: error.message };
    throw error;
  }
  throw new Error('the bundle was accepted');
}
