// The webhook receiver of the control API.
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { addInbox } from '../src/control/inbox.ts';

it('answers a request that waits for an event when the API closes', { timeout: 10_000 }, async () => {
  const app = Fastify();
  const arrived = Promise.withResolvers<void>();
  app.addHook('onRequest', async () => arrived.resolve());
  addInbox(app);
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const waiting = fetch(`${url}/inbox?event=never`);
  await arrived.promise;
  await app.close();
  expect(await (await waiting).json()).toEqual([]);
});
