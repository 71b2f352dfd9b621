import { beforeAll, expect, it } from 'vitest';
import { installLibsignalConsole } from '../../../../src/whatsapp/baileys/patches/libsignal-console.ts';
import { installSessionRollback } from '../../../../src/whatsapp/baileys/patches/session-rollback.ts';
import { createSignalPeer, type SignalMessage } from '../signal-peer.ts';

beforeAll(() => {
  installLibsignalConsole();
  installSessionRollback();
});

it('a new session survives messages of the previous one that arrive late', async () => {
  const [we, they] = [createSignalPeer(), createSignalPeer()];
  const read = async (peer: typeof we, message: SignalMessage) => (await peer.decrypt(message)).toString();
  await we.open(they.bundle);
  expect(await read(they, await we.encrypt('hello'))).toBe('hello');
  expect(await read(we, await they.encrypt('hi'))).toBe('hi');
  expect(await read(they, await we.encrypt('there'))).toBe('there');
  const underWay = await they.encrypt('of the old session');
  await we.open(they.bundle);
  const anew = await we.encrypt('of the new one');
  expect(await read(we, underWay)).toBe('of the old session');
  expect(await read(they, anew)).toBe('of the new one');
  expect(await read(we, await they.encrypt('answer'))).toBe('answer');
  expect(await read(they, await we.encrypt('goes on'))).toBe('goes on');
});
