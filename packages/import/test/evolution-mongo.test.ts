// Evolution API 1 with credentials in MongoDB, and keys in MongoDB and in files. The tests simulate the MongoDB server.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type MongoData, putDocument } from '../../../test/support/evolution-layouts.ts';
import { emptyFolder } from '../../../test/support/folder.ts';
import { startMongoServer } from '../../../test/support/mongo-server.ts';
import type { FoundSession, SourceOptions } from '../src/session/source.ts';
import { openEvolution1 } from '../src/sources/evolution-1.ts';
import { listSessions, writeSession } from './stored-session.ts';

async function findShop(options: SourceOptions): Promise<FoundSession | undefined> {
  const source = await openEvolution1(options);
  onTestFinished(() => source.close());
  const [session] = await listSessions(source);
  return session;
}

it('openEvolution1() refuses keys in MongoDB and in files, and reads the files once MongoDB has only credentials', async () => {
  const root = emptyFolder();
  const folder = join(root, 'instances', 'shop');
  mkdirSync(folder, { recursive: true });
  await writeSession(folder, 6);
  const mongo: MongoData = new Map();
  const put = (id: string, document: Record<string, unknown>) =>
    putDocument(mongo, ['evolution-instances', 'shop', id], document);
  put('creds', JSON.parse(readFileSync(join(folder, 'creds.json'), 'utf8')));
  rmSync(join(folder, 'creds.json'));
  put('pre-key-900', {});
  const { url, close } = await startMongoServer(mongo);
  onTestFinished(close);

  const refusedSession = await findShop({ path: root, mongo: url });
  const store = `MongoDB 127.0.0.1:${new URL(url).port}/evolution-instances`;
  expect(refusedSession?.problem).toContain(`Keys are in ${store} (1) and in ${folder} (`);
  expect(refusedSession?.problem).toContain(
    `Leave the store that is not in use out of the command. If the keys in ${folder} are in use, keep ${store} in the ` +
      'command, because it has the credentials: back it up and remove all documents except creds from the collection shop.',
  );
  await expect(refusedSession?.read()).rejects.toThrow('Keys are in MongoDB');
  expect(await findShop({ mongo: url })).toMatchObject({ problem: undefined, counts: { 'pre-key': 1 } });

  mongo.get('evolution-instances')?.get('shop')?.delete('pre-key-900');
  const acceptedSession = await findShop({ path: root, mongo: url });
  expect(acceptedSession?.problem).toBeUndefined();
  const { bundle } = (await acceptedSession?.read()) ?? {};
  expect(Object.keys(bundle?.keys.sessions ?? {}).length).toBeGreaterThan(0);
});
