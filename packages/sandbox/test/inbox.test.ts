// The webhook receiver of the control API.
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { addInbox } from '../src/control/inbox.ts';

it('GET /inbox answers a request that waits for an event when the control API closes', {
  timeout: 10_000,
}, async () => {
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

it('GET /inbox lists the newest posts, up to a number of bytes', async () => {
  const app = Fastify();
  addInbox(app, { maxBytes: 3000 });
  const events = ['first', 'second', 'third'];
  for (const event of events)
    await app.inject({ method: 'POST', url: '/inbox', payload: { event, data: 'x'.repeat(1000) } });
  const posts: { body: { event: string } }[] = (await app.inject('/inbox')).json();
  expect(posts.map(({ body }) => body.event)).toEqual(['second', 'third']);
  expect((await app.inject({ method: 'DELETE', url: '/inbox' })).json()).toEqual({ removed: 2 });
  await app.close();
});
