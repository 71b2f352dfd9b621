import { proto } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { installNctSalt, patchNctSalt } from '../../../../src/whatsapp/baileys/patches/nct-salt.ts';

installNctSalt();

const INDEX = Buffer.from('["nct_salt_sync"]');
const SALT = Buffer.alloc(32, 7);

/** Encodes a length-delimited field. */
const field = (tag: number[], content: Uint8Array) => Buffer.concat([Buffer.from([...tag, content.length]), content]);

/** Returns a change of the app state. `action` is the encoded action that contains the salt. */
function toChange(action: Uint8Array): Uint8Array {
  const value = field([0x82, 0x05], action);
  return Buffer.concat([field([0x0a], INDEX), field([0x12], value)]);
}

/** Returns the salts that a socket reports when it decodes `change`. Null is the removal of the salt. */
async function saltsIn(change: Uint8Array): Promise<(Uint8Array | null)[]> {
  const salts: (Uint8Array | null)[] = [];
  const resyncAppState = async () => void proto.SyncActionData.decode(change);
  const socket = { ws: { emit: () => true }, resyncAppState } as unknown as Parameters<typeof patchNctSalt>[0];
  patchNctSalt(socket, (salt) => void salts.push(salt));
  await socket.resyncAppState(['regular'], false);
  return salts;
}

it('patchNctSalt() reports the salt in an app-state change, and null for a change without a salt', async () => {
  expect(await saltsIn(toChange(field([0x0a], SALT)))).toEqual([SALT]);
  expect(await saltsIn(toChange(Buffer.alloc(0)))).toEqual([null]);
  expect(await saltsIn(proto.SyncActionData.encode({ index: INDEX }).finish())).toEqual([null]);
});

it('patchNctSalt() ignores a malformed app-state change', async () => {
  const action = field([0x0a], SALT);
  expect(await saltsIn(toChange(action.subarray(0, 20)))).toEqual([]);
});
