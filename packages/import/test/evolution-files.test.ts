// Evolution API 1 with files only, of which a crash has damaged some.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { emptyFolder } from '../../../test/support/folder.ts';
import { openEvolution1 } from '../src/sources/evolution-1.ts';
import { listSessions, writeSession } from './stored-session.ts';

it('openEvolution1() drops a damaged settings file and reads the session', async () => {
  const root = emptyFolder();
  for (const folder of ['instances/shop', 'store/webhook', 'store/auth/apikey', 'store/rabbitmq'])
    mkdirSync(join(root, folder), { recursive: true });
  await writeSession(join(root, 'instances', 'shop'), 6);
  for (const folder of ['webhook', 'rabbitmq']) writeFileSync(join(root, 'store', folder, 'shop.json'), '{"url":"ht');
  writeFileSync(join(root, 'store', 'auth', 'apikey', 'shop.json'), '{"apikey":"key-of-shop"}');
  const source = await openEvolution1({ path: root });
  onTestFinished(() => source.close());
  const [session] = await listSessions(source);
  const { bundle, dropped } = (await session?.read()) ?? {};
  expect(bundle?.instance).toMatchObject({ name: 'shop', token: 'key-of-shop' });
  expect(dropped).toContainEqual({ type: 'webhook', count: 1, reason: 'The file is empty or damaged.' });
  expect(dropped).toContainEqual({ type: 'rabbitmq', count: 1, reason: 'The file is empty or damaged.' });
});
