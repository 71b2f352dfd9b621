// The tasks of a session at its first connection after an import.
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { pnJid } from '../../packages/sandbox/src/world/world.ts';
import { decodeCreds, encodeCreds, encodeKey } from '../../src/whatsapp/baileys/auth/codec.ts';
import { sendText } from '../../src/whatsapp/message/text.ts';
import { IMPORT_TASK_TYPE, type ImportTask } from '../../src/whatsapp/session-transfer/import-tasks.ts';
import { contact, ownNumber, textBody, useStage } from './session-stage.ts';

const stage = useStage();

const taskKey = (task: ImportTask) => `${IMPORT_TASK_TYPE}|${task}`;

function storeTask(task: ImportTask): void {
  stage.keys.rows.set(taskKey(task), encodeKey(IMPORT_TASK_TYPE, true));
}

/** Provisions a companion of the account and returns its state on the server. */
function provision() {
  const creds = stage.sandbox.provision(ownNumber);
  stage.keys.credsRow = encodeCreds(creds);
  const [companion] = stage.sandbox.world.account(ownNumber).companions.values();
  if (!companion) throw new Error('no companion');
  return companion;
}

const waitForTask = (task: ImportTask) => expect.poll(() => stage.keys.rows.has(taskKey(task))).toBe(false);

it('a session replaces the prekeys on the server whose private keys are missing after an import', async () => {
  const companion = provision();
  companion.preKeys = Array.from({ length: 40 }, (_, n) => ({ id: 100 + n, public: randomBytes(32) }));
  storeTask('pre-keys');
  await stage.openLinked();
  await waitForTask('pre-keys');
  const usable = companion.preKeys.filter(({ id }) => stage.keys.rows.has(`pre-key|${id}`));
  expect(usable).toHaveLength(40);
  expect(Math.min(...usable.map(({ id }) => id))).toBe(140);
  await expect.poll(() => stage.keys.credsRow && decodeCreds(stage.keys.credsRow).nextPreKeyId).toBe(180);
});

it('a session uploads its signed prekey again after an import when the server has another one', async () => {
  const companion = provision();
  const { signedPreKey } = companion;
  companion.signedPreKey = { ...signedPreKey, id: 2, public: randomBytes(32) };
  storeTask('pre-keys');
  await stage.openLinked();
  await waitForTask('pre-keys');
  expect(Buffer.from(companion.signedPreKey.public)).toEqual(Buffer.from(signedPreKey.public));
});

it('a session uploads no prekeys after an import when the server has enough that are stored here', async () => {
  const companion = provision();
  storeTask('pre-keys');
  const first = await stage.openLinked();
  await waitForTask('pre-keys');
  const ids = companion.preKeys.map(({ id }) => id);
  expect(ids).toHaveLength(30);
  await first.session.close();
  storeTask('pre-keys');
  await stage.openLinked();
  await waitForTask('pre-keys');
  expect(companion.preKeys.map(({ id }) => id)).toEqual(ids);
});

it('a session fetches the app state after an import, with the salt of first-contact tokens', async () => {
  const { world, phones } = stage.sandbox;
  provision();
  const account = world.account(ownNumber);
  await phones.phoneAppState.setNctSalt(account, Buffer.alloc(32, 1));
  await phones.phoneAppState.change(account, { pushNameSetting: 'Shop of the phone' });
  const { keyId, keyData } = phones.phoneAppState.syncKey(account);
  const id = Buffer.from(keyId?.keyId ?? '').toString('base64');
  stage.keys.rows.set(`app-state-sync-key|${id}`, encodeKey('app-state-sync-key', keyData));
  storeTask('app-state');
  await stage.openLinked();
  await waitForTask('app-state');
  expect([...stage.keys.rows.keys()]).toContain('gateway-nct-salt|salt');
  await expect.poll(() => [...stage.keys.rows.keys()]).toContain('app-state-sync-version|regular_high');
});

it('a session fetches the app state again when its changes could not be stored', async () => {
  const { world, phones } = stage.sandbox;
  provision();
  const account = world.account(ownNumber);
  const chat = pnJid(world.account(contact));
  await phones.phoneAppState.change(account, { pin: true }, chat);
  const { keyId, keyData } = phones.phoneAppState.syncKey(account);
  const id = Buffer.from(keyId?.keyId ?? '').toString('base64');
  stage.keys.rows.set(`app-state-sync-key|${id}`, encodeKey('app-state-sync-key', keyData));
  storeTask('app-state');
  const versions = () => [...stage.keys.rows.keys()].filter((key) => key.startsWith('app-state-sync-version|'));
  stage.ingestFailure = new Error('the database is down');
  const first = await stage.openLinked();
  await first.signal('closed');
  expect(versions()).toEqual([]);
  expect(stage.keys.rows.has(taskKey('app-state'))).toBe(true);
  stage.ingestFailure = undefined;
  const second = await stage.openLinked();
  await waitForTask('app-state');
  expect(second.events).toContainEqual({
    type: 'chats.update',
    chats: [expect.objectContaining({ jid: chat, pinned: true })],
  });
  await expect.poll(versions).not.toEqual([]);
});

it('an import task that fails leaves the session open and is repeated at the next connection', async () => {
  provision();
  storeTask('app-state');
  storeTask('pre-keys');
  stage.sandbox.faults.add({ kind: 'failNext', number: ownNumber, xmlns: 'w:sync:app:state', times: 1 });
  const first = await stage.openLinked();
  await waitForTask('pre-keys');
  expect(stage.keys.rows.has(taskKey('app-state'))).toBe(true);
  expect(first.signals.map(({ type }) => type)).not.toContain('closed');
  await first.session.close();
  await stage.openLinked();
  await waitForTask('app-state');
});

it('a session decrypts the answer of a contact whose Signal sessions the import has under the phone number', async () => {
  const contactPhone = stage.phone(contact);
  contactPhone.account.migrated = true;
  const firstLine = await stage.openLinked();
  const greeting = await contactPhone.send(ownNumber, { text: 'before' });
  await firstLine.until(() => firstLine.received().some(({ key }) => key.id === greeting));
  await firstLine.session.close();
  const { rows } = stage.keys;
  for (const [id, value] of rows) {
    if (id.startsWith('lid-mapping|')) rows.delete(id);
    if (!id.startsWith(`session|${contactPhone.account.lid}_1.`)) continue;
    rows.delete(id);
    rows.set(id.replace(`${contactPhone.account.lid}_1.`, `${contact}.`), value);
  }
  rows.set(`device-list|${contact}`, encodeKey('device-list', ['0']));
  const line = await stage.openLinked();
  const { key } = await sendText(line.session, textBody('written first'));
  await line.until(() => line.statuses(key.id).includes('DELIVERY_ACK'));
  const id = await contactPhone.send(ownNumber, { text: 'answer' });
  const answer = await line.until(() => line.received().find((message) => message.key.id === id));
  expect(answer.message).toMatchObject({ conversation: 'answer' });
  const isRetry = ({ node }: { node: { tag: string; attrs: Record<string, string> } }) =>
    node.tag === 'receipt' && node.attrs.type === 'retry';
  expect(stage.stanzas.filter(isRetry)).toEqual([]);
});
