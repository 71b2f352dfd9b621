// The import program with a real gateway: a Baileys folder moves to the gateway and back.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Curve, useMultiFileAuthState } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { runProgram } from '../../packages/import/test/program.ts';
import { textAt } from '../support/api.ts';
import { emptyFolder } from '../support/folder.ts';
import { KEY, startWorld, type World } from '../support/gateway.ts';

const env = { GATEWAY_KEY: KEY, BUNDLE_PASSPHRASE: 'correct horse battery staple' };
const NUMBER = '15550006001';

/** Creates a folder `shop` with a device of the account that is linked on the platform. */
async function createLinkedFolder({ sandbox }: World): Promise<string> {
  const folder = join(emptyFolder(), 'shop');
  mkdirSync(folder, { mode: 0o700 });
  const { state, saveCreds } = await useMultiFileAuthState(folder);
  Object.assign(state.creds, sandbox.provision(NUMBER));
  const id = String(state.creds.nextPreKeyId++);
  state.creds.firstUnuploadedPreKeyId = state.creds.nextPreKeyId;
  await state.keys.set({ 'pre-key': { [id]: Curve.generateKeyPair() } });
  await saveCreds();
  return folder;
}

it('an imported session connects without a QR code, and moves back to a Baileys folder', async () => {
  const world = await startWorld();
  const path = await createLinkedFolder(world);
  const move = ['--from', 'baileys', '--path', path, '--to', world.url];
  const firstRun = await runProgram(move, { env });
  const next = 'Written instances stay closed until GET /instance/connect/{instance}.';
  expect(firstRun.stdout).toContain(`1 session: 1 written.\n${next}`);
  expect(firstRun.code).toBe(0);
  expect(await world.api('GET', '/instance/connectionState/shop')).toMatchObject({
    status: 200,
    body: { instance: { state: 'close' } },
  });
  const secondRun = await runProgram(move, { env });
  expect(secondRun.stdout).toContain('1 session: 1 already there.');
  expect(secondRun.stdout).not.toContain(next);
  expect(secondRun.code).toBe(0);

  await world.api('GET', '/instance/connect/shop');
  await world.logged(({ msg, to }) => msg === 'instance.state.changed' && to === 'open');

  const exported = await world.api('POST', '/instance/export/shop?stop=true', { passphrase: env.BUNDLE_PASSPHRASE });
  const file = join(emptyFolder(), 'shop.session.json');
  writeFileSync(file, JSON.stringify(exported.body), { mode: 0o600 });
  const exportFolder = join(emptyFolder(), 'back');
  const exportRun = await runProgram(['--from', 'bundle', '--path', file, '--to-baileys', exportFolder], { env });
  expect(exportRun.stdout).toContain('1 session: 1 written.');
  expect(exportRun.code).toBe(0);
  expect(readdirSync(exportFolder)).toContain('creds.json');
  const { state } = await useMultiFileAuthState(exportFolder);
  expect(state.creds.me?.id).toMatch(new RegExp(`^${NUMBER}:\\d+@s\\.whatsapp\\.net$`));
});

it('the import of a session is refused while another instance has its key, and succeeds with another key', async () => {
  const world = await startWorld();
  const path = await createLinkedFolder(world);
  await runProgram(['--from', 'baileys', '--path', path, '--to', world.url], { env });
  const { body } = await world.api('GET', '/instance/fetchInstances?instanceName=shop');
  const exported = await world.api('POST', '/instance/export/shop?stop=true', { passphrase: env.BUNDLE_PASSPHRASE });
  await world.api('DELETE', '/instance/delete/shop');
  const other = { instanceName: 'other', token: textAt(body, '0.token') };
  expect((await world.api('POST', '/instance/create', other)).status).toBe(201);

  const file = join(emptyFolder(), 'shop.session.json');
  writeFileSync(file, JSON.stringify(exported.body), { mode: 0o600 });
  const refused = await runProgram(['--from', 'bundle', '--path', file, '--to', world.url], { env });
  expect(refused.stdout).toContain('shop: The gateway refuses the session: Token already exists. Another instance');
  expect(refused.code).toBe(1);
  const renewed = { bundle: exported.body, passphrase: env.BUNDLE_PASSPHRASE, token: 'another-key-of-shop' };
  expect((await world.api('POST', '/instance/import', renewed)).status).toBe(201);
});
