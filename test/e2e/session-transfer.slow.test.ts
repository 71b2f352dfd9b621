// Sessions that move between gateways: the account continues to send and receive without a new QR code.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import type { ClientStanza } from '../../packages/sandbox/src/sandbox.ts';
import type { Group } from '../../packages/sandbox/src/world/group.ts';
import { decryptBundle, encryptBundle, isEncrypted } from '../../src/session-bundle/envelope.ts';
import { parseBundle } from '../../src/session-bundle/parse.ts';
import { type Api, at, createApi, textAt } from '../support/api.ts';
import { importForm, PASSPHRASE, provisionBundle } from '../support/bundles.ts';
import { emptyFolder } from '../support/folder.ts';
import { isEvent, KEY, Log, startGateway, startWorld, type World } from '../support/gateway.ts';
import { ada, bob, createAdasGroup, ownNumber } from '../support/group.ts';

/** Starts a second gateway on another data folder, for the same platform. */
async function startOther({ sandbox }: World, env: Record<string, string> = {}) {
  const log = new Log();
  const endpoint = {
    network: 'sandbox',
    url: sandbox.platformUrl,
    rootKey: sandbox.rootKey,
    ca: sandbox.caPem,
  } as const;
  const { gateway, url } = await startGateway(endpoint, emptyFolder(), log, env);
  onTestFinished(() => gateway.stop());
  return { api: createApi(url, KEY), url, log };
}

const exportInstance = async (api: Api, name: string, body: object = { passphrase: PASSPHRASE, stop: true }) => {
  const answer = await api('POST', `/instance/export/${name}`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer;
};

const stateOf = async (api: Api, name: string) =>
  at((await api('GET', `/instance/connectionState/${name}`)).body, 'instance.state');

/**
 * Sends a text to Ada and waits for it on her phone. Sends an answer from her phone and waits for it at the webhook.
 */
async function exchange(world: World, api: Api, name: string, text: string): Promise<void> {
  const { sandbox, receiver } = world;
  const phone = sandbox.phones.phone(ada);
  const sent = await api('POST', `/message/sendText/${name}`, { number: ada, text });
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  const id = textAt(sent.body, 'key.id');
  const received = await phone.waitFor(() => phone.messages().find((message) => message.id === id));
  expect(received).toMatchObject({ text });
  const answerId = await phone.send(ownNumber, { text: `re: ${text}` });
  await receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === answerId);
}

async function exchangeInGroup(world: World, api: Api, name: string, group: Group, text: string): Promise<void> {
  const { sandbox, receiver } = world;
  const sent = await api('POST', `/message/sendText/${name}`, { number: group.id, text });
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  const id = textAt(sent.body, 'key.id');
  for (const number of [ada, bob]) {
    const phone = sandbox.phones.phone(number);
    expect(await phone.waitFor(() => phone.messages().find((message) => message.id === id))).toMatchObject({ text });
  }
  const answerId = await sandbox.phones.phone(bob).send(group.id, { text: `re: ${text}` });
  await receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === answerId);
}

const isRetry = ({ node }: ClientStanza) => node.tag === 'receipt' && node.attrs.type === 'retry';

it('an account moves to another gateway, with its contacts, groups, settings and key', {}, async () => {
  const stanzas: ClientStanza[] = [];
  const world = await startWorld({
    // The session has all 812 prekeys that Baileys uploads by default.
    sandbox: { tlsPort: false, extraReportedPreKeys: 0, onStanza: (stanza) => void stanzas.push(stanza) },
  });
  await world.link('sales', ownNumber);
  const group = createAdasGroup(world);
  await world.api('POST', '/settings/set/sales', { rejectCall: true, msgCall: 'Please write.' });
  await exchange(world, world.api, 'sales', 'one');
  await exchangeInGroup(world, world.api, 'sales', group, 'two');
  const listed = await world.api('GET', '/instance/fetchInstances?instanceName=sales');
  const token = textAt(at(listed.body, '0'), 'token');

  const running = await world.api('POST', '/instance/export/sales', { passphrase: PASSPHRASE });
  expect(running).toMatchObject({ status: 409, body: { code: 'INSTANCE_NOT_STOPPED' } });
  const bundle = await exportInstance(world.api, 'sales');
  expect(bundle.headers.get('content-disposition')).toBe('attachment; filename="sales.session.json"');
  const encrypted = bundle.body;
  if (!isEncrypted(encrypted)) throw new Error('not encrypted');
  expect(JSON.stringify(encrypted)).not.toContain(ownNumber);
  expect(await stateOf(world.api, 'sales')).toBe('close');

  const otherGateway = await startOther(world);
  const imported = await otherGateway.api('POST', '/instance/import', { bundle: bundle.body, passphrase: PASSPHRASE });
  expect(imported).toMatchObject({
    status: 201,
    body: {
      instance: { instanceName: 'sales', status: 'close' },
      hash: token,
      account: `${ownNumber}@s.whatsapp.net`,
      dropped: [],
      warnings: [],
    },
  });
  expect(at(imported.body, 'taken.preKeys')).toBeGreaterThan(100);
  expect(at(imported.body, 'taken.sessions')).toBeGreaterThan(0);
  expect(await stateOf(otherGateway.api, 'sales')).toBe('close');

  stanzas.length = 0;
  const connected = await otherGateway.api('GET', '/instance/connect/sales', undefined, { apikey: token });
  expect(connected).toMatchObject({ status: 200, body: { instance: { instanceName: 'sales', state: 'open' } } });
  expect((await otherGateway.api('GET', '/settings/find/sales')).body).toMatchObject({
    rejectCall: true,
    msgCall: 'Please write.',
  });
  await exchange(world, otherGateway.api, 'sales', 'three');
  await exchangeInGroup(world, otherGateway.api, 'sales', group, 'four');
  expect(stanzas.filter(isRetry)).toEqual([]);
  await otherGateway.log.next(({ msg, task }) => msg === 'import.task.completed' && task === 'pre-keys');
  await otherGateway.log.next(({ msg, task }) => msg === 'import.task.completed' && task === 'app-state');

  const audit = await otherGateway.api('GET', '/audit');
  expect(JSON.stringify(audit.body)).toContain('importInstance');
  const [entry] = (at(audit.body, 'entries') as object[]).filter(
    (candidate) => at(candidate, 'operation') === 'importInstance',
  );
  expect(entry).toMatchObject({ key: 'global', instance: 'sales', status: 201 });
  const exportAudit = JSON.stringify((await world.api('GET', '/audit')).body);
  expect(exportAudit).toContain('exportInstance');
  const logs = JSON.stringify([world.log, otherGateway.log.lines, audit.body, exportAudit]);
  const { credentials } = parseBundle(await decryptBundle(encrypted, PASSPHRASE));
  const keys = [credentials.noiseKey.private, credentials.identityKey.private, credentials.advSecret];
  for (const secret of [PASSPHRASE, token, ...keys]) expect(logs).not.toContain(secret);
});

it('an exported instance stays stopped after a restart, until it is connected again', async () => {
  const world = await startWorld();
  await world.link('sales', ownNumber);
  await exportInstance(world.api, 'sales');
  const linesBefore = world.log.length;
  await world.restart();
  expect(await stateOf(world.api, 'sales')).toBe('close');
  expect(world.log.slice(linesBefore).filter(({ msg }) => msg === 'instance.state.changed')).toEqual([]);
  expect(await exportInstance(world.api, 'sales', { passphrase: PASSPHRASE })).toMatchObject({ status: 200 });
  const connected = await world.api('GET', '/instance/connect/sales');
  expect(connected.body).toMatchObject({ instance: { state: 'open' } });
  await exchange(world, world.api, 'sales', 'again');
});

it('the commands of the guide move an instance between two gateways', async () => {
  const world = await startWorld();
  await world.link('shop', ownNumber);
  const otherGateway = await startOther(world);
  const [, section = ''] = readFileSync('docs/guides/move-sessions.md', 'utf8').split('## Over the API');
  const [, block = ''] = /```sh\n([^`]+)```/.exec(section) ?? [];
  const script = block
    .replaceAll('http://127.0.0.1:8080', world.url)
    .replaceAll('http://127.0.0.1:8081', otherGateway.url)
    .replaceAll(/^curl /gm, 'curl -sS --fail-with-body ');
  const { stdout } = await promisify(execFile)('sh', ['-ec', script], {
    cwd: emptyFolder(),
    env: { ...process.env, KEY },
  });
  expect(stdout).toContain('"state":"open"');
  await exchange(world, otherGateway.api, 'shop', 'moved');
});

it('an imported session stays after a restart, and a second import of it is rejected with SESSION_IN_USE', async () => {
  const world = await startWorld();
  const plain = provisionBundle(world.sandbox, ownNumber);
  const bundle = await encryptBundle(plain, PASSPHRASE);
  const fields = { passphrase: PASSPHRASE, instanceName: 'shop', token: 'key-of-the-imported-shop' };
  expect((await importForm(world.url, JSON.stringify(bundle), fields)).body).toMatchObject({
    instance: { instanceName: 'shop' },
    hash: 'key-of-the-imported-shop',
  });
  const secondImport = await world.api('POST', '/instance/import', { bundle: plain, allowUnencrypted: true });
  expect(secondImport).toMatchObject({
    status: 409,
    body: {
      code: 'SESSION_IN_USE',
      response: {
        message: [expect.stringMatching(/in the instance "shop"\. Use that instance\. .* unlinks the device/)],
      },
    },
  });
  await world.restart();
  expect(await stateOf(world.api, 'shop')).toBe('close');
  const connected = await world.api('GET', '/instance/connect/shop');
  expect(connected.body).toMatchObject({ instance: { state: 'open' } });
});

it('a rejected bundle leaves no instance', async () => {
  const world = await startWorld();
  const plain = provisionBundle(world.sandbox, ownNumber);
  const bundle = await encryptBundle(plain, PASSPHRASE);
  const { credentials } = plain;
  const { account, signedPreKey } = credentials;
  const wrong = Buffer.alloc(64, 1).toString('base64');
  const manyKeys = Object.fromEntries(Array.from({ length: 200_000 }, (_, n) => [`${n}`, `${n}`]));
  await world.api('POST', '/instance/create', { instanceName: 'taken' });
  const encryptedBody = { bundle, passphrase: PASSPHRASE };
  const plainBody = (changed: object) => ({ bundle: { ...plain, ...changed }, allowUnencrypted: true });
  const withCredentials = (change: object) => plainBody({ credentials: { ...credentials, ...change } });
  const hook = { enabled: true, url: 'http://[not-a-host]/' };
  const cases: [object, number, string, RegExp?][] = [
    [{ bundle, passphrase: 'another passphrase' }, 400, 'SESSION_BUNDLE_PASSPHRASE'],
    [{ bundle }, 400, 'SESSION_BUNDLE_PASSPHRASE'],
    [{ bundle: plain }, 400, 'INVALID_REQUEST', /allowUnencrypted/],
    [{ ...plainBody({}), instanceName: 'taken' }, 403, 'INSTANCE_NAME_IN_USE'],
    [{ ...plainBody({}), instanceName: 'a/b' }, 400, 'INVALID_REQUEST', /instanceName/],
    [{ ...plainBody({}), token: 'short' }, 400, 'INVALID_REQUEST', /token/],
    [{ ...encryptedBody, bundle: 'a text' }, 400, 'INVALID_REQUEST', /bundle/],
    [{ passphrase: PASSPHRASE }, 400, 'INVALID_REQUEST', /bundle/],
    [{ bundle: {}, allowUnencrypted: true }, 400, 'SESSION_BUNDLE_INVALID', /format/],
    [
      withCredentials({ account: { ...account, accountSignature: wrong } }),
      400,
      'SESSION_BUNDLE_INVALID',
      /accountSig/,
    ],
    [withCredentials({ account: { ...account, deviceSignature: wrong } }), 400, 'SESSION_BUNDLE_INVALID', /deviceSig/],
    [
      withCredentials({ signedPreKey: { ...signedPreKey, signature: wrong } }),
      400,
      'SESSION_BUNDLE_INVALID',
      /signedPre/,
    ],
    [withCredentials({ registrationId: 'x' }), 400, 'SESSION_BUNDLE_INVALID', /registrationId/],
    [plainBody({ keys: { ...plain.keys, lidMap: manyKeys } }), 400, 'SESSION_BUNDLE_INVALID', /keys/],
    [plainBody({ instance: { name: 'shop', webhook: hook } }), 400, 'INVALID_REQUEST', /url/],
  ];
  for (const [body, status, code, text] of cases) {
    const answer = await world.api('POST', '/instance/import', body);
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status, body: { code } });
    if (text) expect(JSON.stringify(at(answer.body, 'response.message'))).toMatch(text);
  }
  const deep = `{"bundle":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  for (const [text, code] of [
    [deep, 'INVALID_REQUEST'],
    ['{"bundle":', 'MALFORMED_JSON'],
  ]) {
    const headers = { apikey: KEY, 'content-type': 'application/json' };
    const response = await fetch(`${world.url}/instance/import`, { method: 'POST', headers, body: text });
    expect(await response.json()).toMatchObject({ status: 400, code });
  }
  const listed = (await world.api('GET', '/instance/fetchInstances?fields=summary')).body;
  expect(listed).toMatchObject([{ name: 'taken' }]);
  expect(listed).toHaveLength(1);
});

it('an admin key of an instance can export it and import nothing, and a key without the scope cannot export it', {}, async () => {
  const world = await startWorld();
  await world.link('sales', ownNumber);
  const created = await world.api('POST', '/keys', { name: 'tenant', scopes: ['admin'], instance: 'sales' });
  const headers = { apikey: textAt(created.body, 'key') };
  const body = { passphrase: PASSPHRASE, stop: true };
  const answer = await world.api('POST', '/instance/export/sales', body, headers);
  expect(answer.status).toBe(200);
  const refused = await world.api('POST', '/instance/import', { bundle: answer.body, passphrase: PASSPHRASE }, headers);
  expect(refused).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  const reader = await world.api('POST', '/keys', { name: 'reader', scopes: ['read', 'send'] });
  const denied = await world.api('POST', '/instance/export/sales', body, { apikey: textAt(reader.body, 'key') });
  expect(denied).toMatchObject({ status: 403, body: { code: 'SCOPE_MISSING' } });
});
