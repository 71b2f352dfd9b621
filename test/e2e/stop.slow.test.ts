// The stop of a gateway process: sends in progress are finished or reported, accounts stay linked, and the stop has a
// time limit.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { toChunks } from '../../src/lib/chunks.ts';
import { openStorage } from '../../src/storage/open.ts';
import { type Api, at, textAt } from '../support/api.ts';
import { isEvent } from '../support/gateway.ts';
import {
  createLinkedStore,
  type LinkedStore,
  nameOf,
  numberOf,
  startGatewayProcess,
  waitUntilOpen,
} from '../support/linked-processes.ts';
import { startReceiver } from '../support/receiver.ts';
import { message, toEventBatch } from '../support/sample-rows.ts';

const contact = '15550018900';

async function startOpen(place: LinkedStore, env: Record<string, string> = {}) {
  const { program, api } = await startGatewayProcess(place, env);
  await waitUntilOpen(program);
  return { program, api };
}

/** Starts a send that shows typing for `delay` ms first. Resolves when the phone shows the typing. */
async function startSend({ sandbox }: LinkedStore, api: Api, text: string, delay: number) {
  const phone = sandbox.phones.phone(contact);
  const answer = api('POST', `/message/sendText/${nameOf(1)}`, {
    number: contact,
    options: { delay, presence: 'composing' },
    textMessage: { text },
  });
  answer.catch(() => undefined);
  await phone.waitFor(() => [...phone.typingAccounts.values()].includes('composing'));
  return { answer };
}

const textsOf = ({ sandbox }: LinkedStore) =>
  sandbox.phones
    .phone(contact)
    .messages()
    .map(({ text }) => text);

it('a gateway that stops finishes a send in progress, refuses connections, stays linked, and reports a lost send', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const place = await createLinkedStore(1, { hook: receiver.url });
  const { program, api } = await startOpen(place);
  const { answer } = await startSend(place, api, 'under way', 1_500);
  const exitCode = program.stop();
  await program.line(/gateway\.stopping/);
  // The line is logged before the port closes.
  await expect
    .poll(() =>
      fetch(`${api.url}/`).then(
        () => 'answered',
        () => 'refused',
      ),
    )
    .toBe('refused');
  const sent = await answer;
  expect(sent.status).toBe(201);
  expect(await exitCode).toBe(0);
  expect(textsOf(place)).toEqual(['under way']);
  expect(place.sandbox.world.companion(`${numberOf(1)}:1@s.whatsapp.net`)).toBeDefined();

  // A send without an ack is stored as failed before the process ends, and reported at the next start at the latest.
  const silent = await startOpen(place, { SHUTDOWN_TIMEOUT: '15000' });
  const post = (text: string) =>
    silent.api('POST', `/message/sendText/${nameOf(1)}`, { number: contact, textMessage: { text } });
  await post('makes the devices known');
  place.sandbox.faults.add({ kind: 'stall', number: numberOf(1) });
  const lostSend = await post('lost');
  expect(lostSend).toMatchObject({ status: 201, body: { status: 'PENDING' } });
  expect(await silent.program.stop()).toBe(0);
  await startOpen(place);
  await receiver.next(
    (post) =>
      isEvent(post.body, 'messages.update') &&
      at(post.body, 'data.keyId') === textAt(lostSend.body, 'key.id') &&
      at(post.body, 'data.status') === 'ERROR',
  );
  expect(place.sandbox.unanswered).toEqual([]);
});

it('a gateway exits with 1 after SHUTDOWN_TIMEOUT or a second signal, and reopens its instances at the next start', async () => {
  const place = await createLinkedStore(1);
  const timedOut = await startOpen(place, { SHUTDOWN_TIMEOUT: '500' });
  // A frozen peer does not answer the close of the socket.
  place.sandbox.faults.add({ kind: 'freeze', number: numberOf(1) });
  expect(await timedOut.program.stop()).toBe(1);
  expect(await timedOut.program.line(/gateway\.stop\.forced/)).toContain('500ms');

  const interrupted = await startOpen(place);
  await startSend(place, interrupted.api, 'too long', 50_000);
  const exitCode = interrupted.program.stop('SIGINT');
  await interrupted.program.line(/gateway\.stopping/);
  const before = performance.now();
  expect(await Promise.all([interrupted.program.stop('SIGINT'), exitCode])).toEqual([1, 1]);
  expect(performance.now() - before).toBeLessThan(30_000);

  await startOpen(place);
  expect(textsOf(place)).toEqual([]);
});

it('a stop interrupts the deletion of an instance with many messages, and the next start continues it', async () => {
  const place = await createLinkedStore(1);
  const storage = await openStorage({ dataDir: place.dataDir, network: 'sandbox' });
  const messages = Array.from({ length: 8_000 }, (_, n) => ({ message: message(`m${n}`), events: [] }));
  for (const batch of toChunks(messages, 1_000))
    await storage.messages.record('id-1', toEventBatch({ messages: batch }));
  await storage.close();
  const execute = (sql: string) => {
    const database = new DatabaseSync(join(place.dataDir, 'gateway.db'));
    database.exec(sql);
    database.close();
  };
  // The deletion of all messages takes much longer than the 5 s for which a shutdown waits for requests.
  // SHUTDOWN_TIMEOUT leaves a busy machine 25 s for the transaction in progress.
  execute(`CREATE TRIGGER slow BEFORE DELETE ON message BEGIN
    SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n);
  END`);

  const { program, api } = await startOpen(place, { SHUTDOWN_TIMEOUT: '30000' });
  const deletion = api('DELETE', `/instance/delete/${nameOf(1)}`);
  await program.line(/"to":"deleted"/);
  expect(await program.stop()).toBe(0);
  expect(await deletion).toMatchObject({ status: 503, body: { code: 'SHUTTING_DOWN' } });

  execute('DROP TRIGGER slow');
  const secondRun = await startGatewayProcess(place);
  await secondRun.program.line(/instance\.deletion\.continued/);
  await secondRun.program.line(/gateway\.ready/);
  expect([200, 404]).toContain((await secondRun.api('DELETE', `/instance/delete/${nameOf(1)}`)).status);
  expect(await secondRun.api('GET', '/instance/fetchInstances')).toMatchObject({ status: 200, body: [] });
});
