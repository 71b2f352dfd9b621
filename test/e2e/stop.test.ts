// The end of a process: what is in progress is finished or reported, nothing is logged out, and it takes as long as it may.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { toChunks } from '../../src/lib/chunks.ts';
import { openStorage } from '../../src/storage/open.ts';
import { message, recording } from '../storage/samples.ts';
import { type Api, at, textAt } from '../support/api.ts';
import { isEvent } from '../support/gateway.ts';
import { nameOf, numberOf, opened, type Place, provision, start } from '../support/linked.ts';
import { startReceiver } from '../support/receiver.ts';

const theirs = '15550018900';

async function running(place: Place, env: Record<string, string> = {}) {
  const { program, api } = await start(place, env);
  await opened(program);
  return { program, api };
}

/** A send that shows its presence for `delay` ms first. Resolves once that is seen on the phone. */
async function begin({ sandbox }: Place, api: Api, text: string, delay: number) {
  const phone = sandbox.phones.phone(theirs);
  const answer = api('POST', `/message/sendText/${nameOf(1)}`, {
    number: theirs,
    options: { delay, presence: 'composing' },
    textMessage: { text },
  });
  answer.catch(() => undefined);
  await phone.waitFor(() => [...phone.typingAccounts.values()].includes('composing'));
  return { answer };
}

const textsOf = ({ sandbox }: Place) =>
  sandbox.phones
    .phone(theirs)
    .messages()
    .map(({ text }) => text);

it('finishes what is in progress, takes nothing new, and stays linked', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const place = await provision(1, { hook: receiver.url });
  const { program, api } = await running(place);
  const { answer } = await begin(place, api, 'under way', 1_500);
  const ended = program.stop();
  await program.line(/gateway\.stopping/);
  await expect(fetch(`${api.url}/`)).rejects.toThrow();
  const sent = await answer;
  expect(sent.status).toBe(201);
  expect(await ended).toBe(0);
  expect(textsOf(place)).toEqual(['under way']);
  expect(place.sandbox.world.companion(`${numberOf(1)}:1@s.whatsapp.net`)).toBeDefined();

  // What gets no answer any more is stored as such before the end, and reported at the next start at the latest.
  const silent = await running(place, { SHUTDOWN_TIMEOUT: '15000' });
  const post = (text: string) =>
    silent.api('POST', `/message/sendText/${nameOf(1)}`, { number: theirs, textMessage: { text } });
  await post('makes the devices known');
  place.sandbox.faults.add({ kind: 'stall', number: numberOf(1) });
  const lost = await post('lost');
  expect(lost).toMatchObject({ status: 201, body: { status: 'PENDING' } });
  expect(await silent.program.stop()).toBe(0);
  await running(place);
  await receiver.next(
    (post) =>
      isEvent(post.body, 'messages.update') &&
      at(post.body, 'data.keyId') === textAt(lost.body, 'key.id') &&
      at(post.body, 'data.status') === 'ERROR',
  );
  expect(place.sandbox.unanswered).toEqual([]);
});

it('ends with 1 when SHUTDOWN_TIMEOUT is over or a second signal comes, and finds everything linked afterwards', async () => {
  const place = await provision(1);
  const late = await running(place, { SHUTDOWN_TIMEOUT: '500' });
  // A peer that is gone does not answer the closing of the socket.
  place.sandbox.faults.add({ kind: 'freeze', number: numberOf(1) });
  expect(await late.program.stop()).toBe(1);
  expect(await late.program.line(/gateway\.stop\.forced/)).toContain('500ms');

  const hasty = await running(place);
  await begin(place, hasty.api, 'too long', 50_000);
  const ended = hasty.program.stop('SIGINT');
  await hasty.program.line(/gateway\.stopping/);
  const before = performance.now();
  expect(await Promise.all([hasty.program.stop('SIGINT'), ended])).toEqual([1, 1]);
  expect(performance.now() - before).toBeLessThan(30_000);

  await running(place);
  expect(textsOf(place)).toEqual([]);
});

it('interrupts the deletion of an instance with many messages, and continues it at the next start', async () => {
  const place = await provision(1);
  const storage = await openStorage({ dataDir: place.dataDir, network: 'sandbox' });
  const messages = Array.from({ length: 8_000 }, (_, n) => ({ message: message(`m${n}`), events: [] }));
  for (const batch of toChunks(messages, 1_000)) await storage.messages.record('id-1', recording({ messages: batch }));
  await storage.close();
  const execute = (sql: string) => {
    const database = new DatabaseSync(join(place.dataDir, 'gateway.db'));
    database.exec(sql);
    database.close();
  };
  // The deletion of all messages takes much longer than the 5 s for which a shutdown waits for requests. SHUTDOWN_TIMEOUT
  // leaves a busy machine 25 s for the transaction in progress.
  execute(`CREATE TRIGGER slow BEFORE DELETE ON message BEGIN
    SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n);
  END`);

  const { program, api } = await running(place, { SHUTDOWN_TIMEOUT: '30000' });
  const deletion = api('DELETE', `/instance/delete/${nameOf(1)}`);
  await program.line(/"to":"deleted"/);
  expect(await program.stop()).toBe(0);
  expect(await deletion).toMatchObject({ status: 503, body: { code: 'SHUTTING_DOWN' } });

  execute('DROP TRIGGER slow');
  const next = await start(place);
  await next.program.line(/instance\.deletion\.continued/);
  await next.program.line(/gateway\.ready/);
  expect([200, 404]).toContain((await next.api('DELETE', `/instance/delete/${nameOf(1)}`)).status);
  expect(await next.api('GET', '/instance/fetchInstances')).toMatchObject({ status: 200, body: [] });
});
