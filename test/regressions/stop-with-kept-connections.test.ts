// A stop that waited 45 s: the caller of a slow send kept its connection after the answer, and another never finished its request.
// Both looked busy when the server closed its idle connections, so the process was ended by force.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { isTransition, KEY, startWorld } from '../support/gateway.ts';

it('stops within seconds although callers hold on to their connections', async () => {
  const world = await startWorld();
  const mine = '15550007001';
  await world.link('shop', mine);
  const { port } = world.gateway.app.server.address() as { port: number };

  const unfinished = connect(port, '127.0.0.1');
  onTestFinished(() => void unfinished.destroy());
  await once(unfinished, 'connect');
  unfinished.write('POST /message/sendText/shop HTTP/1.1\r\nhost: x\r\n');

  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const headers = { apikey: KEY, 'content-type': 'application/json' };
  const send = request({ port, host: '127.0.0.1', path: '/message/sendText/shop', method: 'POST', headers, agent });
  const answered = once(send, 'response');
  send.end(JSON.stringify({ number: '15550007002', text: 'late', delay: 50_000 }));
  const phone = world.sandbox.phones.phone('15550007002');
  await phone.waitFor(() => phone.typingAccounts.get(mine));

  const started = performance.now();
  const seen = world.log.length;
  const stopped = world.gateway.stop();
  const [response] = await answered;
  await stopped;
  expect(response).toMatchObject({ statusCode: 400 });
  expect(world.log.slice(seen).some((line) => isTransition(line, 'stopped'))).toBe(true);
  expect(performance.now() - started).toBeLessThan(40_000);
});
