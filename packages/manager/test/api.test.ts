// The API key of the manager page, and responses to requests of an earlier key.
import { expect, it, vi } from 'vitest';
import { installPage, loadModule } from './page.ts';

interface Api {
  call(method: string, path: string): Promise<unknown>;
  setKey(key: string): void;
  isKey(text: string): boolean;
}

it('call() rejects with an AbortError when the key changes before the response arrives', async () => {
  installPage();
  const responses = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()];
  const pending = [...responses];
  vi.stubGlobal('fetch', () => pending.shift()?.promise);
  const { call, setKey } = await loadModule<Api>('api.js');
  setKey('one');
  const calls = [call('GET', 'a'), call('GET', 'b')];
  setKey('two');
  responses[0]?.resolve(Response.json({ status: 401 }, { status: 401 }));
  responses[1]?.resolve(Response.json({ name: 'of the earlier key' }));
  for (const pendingCall of calls) await expect(pendingCall).rejects.toMatchObject({ name: 'AbortError' });
});

it('call() returns the response to a request of the current key', async () => {
  installPage();
  vi.stubGlobal('fetch', async () => Response.json({ name: 'shop' }));
  const { call, setKey } = await loadModule<Api>('api.js');
  setKey('one');
  expect(await call('GET', 'a')).toEqual({ name: 'shop' });
});

it.each([
  ['service-key-0123456789', true],
  ['key with spaces', true],
  ['kéy-0123456789', false],
  ['key\u200b-0123456789', false],
  ['“service-key”', false],
  ['', false],
])('isKey(%j) returns %s', async (text, expected) => {
  installPage();
  const { isKey } = await loadModule<Api>('api.js');
  expect(isKey(text)).toBe(expected);
});
