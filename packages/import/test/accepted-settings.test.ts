// Settings that the gateway refuses. The import drops and lists them, and moves the session without them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decryptBundle } from '../../../src/session-bundle/envelope.ts';
import { parseBundle } from '../../../src/session-bundle/parse.ts';
import { toCheckedConfig } from '../../../src/webhooks/webhook-settings.ts';
import { emptyFolder } from '../../../test/support/folder.ts';
import { fullBundle } from '../../../test/support/sample-bundle.ts';
import { rememberDerivedKeys } from '../../../test/support/scrypt.ts';
import { toAcceptedSettings } from '../src/session/accepted-settings.ts';
import type { SessionSettings } from '../src/session/session-settings.ts';
import { runProgram } from './program.ts';
import { writeSession } from './stored-session.ts';

rememberDerivedKeys({ hasLowCost: true });

const url = 'https://hooks.example/shop';
const createHeaders = (count: number, value = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-Header-${n}`, value]));

const accept = (instance: SessionSettings['instance']) => toAcceptedSettings({ instance, dropped: [], warnings: [] });

describe('webhooks in accepted settings', () => {
  it.each<[string, Record<string, string>, number, number]>([
    ['51 headers', createHeaders(51), 1, 50],
    ['headers of more than 8192 characters together', createHeaders(3, 'x'.repeat(4000)), 1, 2],
    ['a value outside of Latin 1', { 'X-Shop': 'Łódź', 'X-Key': 'key' }, 1, 1],
    ['a control character in a value', { 'X-Shop': 'a\u0007b', 'X-Key': 'key' }, 1, 1],
    ['UTF-8 in a value that was read as Latin-1', { 'X-Shop': 'a\u00e2\u0080\u0099b', 'X-Key': 'key' }, 1, 1],
    ['a line break in a value', { 'X-Shop': 'a\nb' }, 1, 0],
    ['a name with a space', { 'X Shop': 'a' }, 1, 0],
    ['an empty name', { '': 'a' }, 1, 0],
    ['a header of signatures', { 'Webhook-Secret': 'a' }, 1, 0],
    ['a header for a proxy', { 'Proxy-Authorization': 'Basic a' }, 1, 0],
    ['a form as its content type', { 'Content-Type': 'application/x-www-form-urlencoded' }, 1, 0],
    ['another host', { Host: 'other.example' }, 1, 0],
    ['JSON and its own host', { 'Content-Type': 'application/json', Host: 'hooks.example' }, 0, 2],
  ])('toAcceptedSettings() keeps the headers that the gateway accepts of a webhook with %s', async (_, headers, droppedCount, keptCount) => {
    const { instance, dropped } = accept({ webhook: { enabled: true, url, headers } });
    expect(dropped.map(({ type, count }) => [type, count])).toEqual(
      droppedCount > 0 ? [['header of the webhook', droppedCount]] : [],
    );
    expect(Object.keys(instance.webhook?.headers ?? {})).toHaveLength(keptCount);
    const bundle = await fullBundle();
    const { webhook } = parseBundle({ ...bundle, instance: { name: 'shop', ...instance } }).instance;
    expect(toCheckedConfig(webhook ?? { enabled: false, url: '' })).toMatchObject({ enabled: true, url });
  });

  it('toAcceptedSettings() disables a webhook without a valid event, so that it does not get all events', () => {
    const { instance, dropped } = accept({ webhook: { enabled: true, url, events: ['CALL\u0000'] } });
    expect(instance.webhook).toEqual({ enabled: false, url });
    expect(dropped).toMatchObject([{ type: 'event of the webhook', count: 1 }]);
  });

  it('toAcceptedSettings() drops a webhook with a control character in its URL', () => {
    const { instance, dropped } = accept({ webhook: { enabled: true, url: `${url}\u0001` } });
    expect(instance).toEqual({});
    expect(dropped).toMatchObject([{ type: 'webhook', count: 1 }]);
  });
});

describe('other accepted settings', () => {
  it.each<[string, SessionSettings['instance']]>([
    ['number', { number: '4915' }],
    ['number', { number: '+49 151 12345' }],
    ['proxy', { proxy: { protocol: 'http', host: 'proxy.example', port: 80, password: 'a\u0007' } }],
    ['msgCall', { settings: { msgCall: 'x'.repeat(4097) } }],
    ['key of the session', { token: 'k'.repeat(256) }],
  ])('toAcceptedSettings() drops a %s that the gateway refuses', async (type, setting) => {
    const { instance, dropped } = accept(setting);
    expect(dropped).toMatchObject([{ type, count: 1 }]);
    const bundle = await fullBundle();
    expect(parseBundle({ ...bundle, instance: { name: 'shop', ...instance } }).instance.name).toBe('shop');
  });

  it('toAcceptedSettings() removes control characters from msgCall and keeps the other settings', () => {
    const { instance, dropped } = accept({ settings: { rejectCall: true, msgCall: 'Busy.\u0007\nPlease write.' } });
    expect(instance.settings).toEqual({ rejectCall: true, msgCall: 'Busy.\nPlease write.' });
    expect(dropped).toEqual([]);
  });
});

it('the import program writes a session without the settings that the gateway refuses, and lists them', async () => {
  const root = emptyFolder();
  for (const folder of ['instances/shop', 'store/webhook', 'store/settings', 'store/auth/apikey'])
    mkdirSync(join(root, folder), { recursive: true, mode: 0o700 });
  await writeSession(join(root, 'instances', 'shop'), 6);
  const writeSettings = (folder: string, value: object) =>
    writeFileSync(join(root, 'store', folder, 'shop.json'), JSON.stringify(value));
  writeSettings('webhook', { enabled: true, url, headers: { 'X-Shop': 'Łódź', 'X-Key': 'key', 'X-Empty': '' } });
  writeSettings('settings', { reject_call: true, msg_call: 'Busy\u0007' });
  const file = join(emptyFolder(), 'shop.json');
  const env = { BUNDLE_PASSPHRASE: 'correct horse battery staple' };
  const argv = ['--from', 'evolution-1', '--path', root, '--out', file];
  const { code, stdout } = await runProgram(argv, { env });
  expect(stdout).toContain('1 session: 1 written.');
  expect(stdout).toMatch(/Dropped \(shop\): header of the webhook 1: The gateway does not accept it/);
  expect(stdout).toContain('Dropped (shop): header of the webhook 1: Its value is empty, or no text.');
  expect(code).toBe(0);
  const written = await decryptBundle(JSON.parse(readFileSync(file, 'utf8')), env.BUNDLE_PASSPHRASE);
  expect(written).toMatchObject({
    instance: { webhook: { url, headers: { 'X-Key': 'key' } }, settings: { rejectCall: true, msgCall: 'Busy' } },
  });
});
