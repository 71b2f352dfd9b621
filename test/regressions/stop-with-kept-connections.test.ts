// Regression: a stop waited 45 s. The caller of a slow send kept its connection after the response, and another caller
// never finished its request. Both connections looked busy when the server closed its idle connections, so the process
// was ended by force.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { isTransition, KEY, startWorld } from '../support/gateway.ts';

it('the gateway stops within 40 s although callers keep their connections open', async () => {
  const world = await startWorld();
  const ownNumber = '15550007001';
  await world.link('shop', ownNumber);
  const { port } = world.gateway.app.server.address() as { port: number };

  const unfinished = connect(port, '127.0.0.1');
  onTestFinished(() => void unfinished.destroy());
  await once(unfinished, 'connect');
  unfinished.write('POST /message/sendText/shop HTTP/1.1\r\nhost: x\r\n');

  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const headers = { apikey: KEY, 'content-type': 'application/json' };
  const send = request({ port, host: '127.0.0.1', path: '/message/sendText/shop', method: 'POST', headers, agent });
  const responseEvent = once(send, 'response');
  send.end(JSON.stringify({ number: '15550007002', text: 'late', delay: 50_000 }));
  const phone = world.sandbox.phones.phone('15550007002');
  await phone.waitFor(() => phone.typingAccounts.get(ownNumber));

  const startedAt = performance.now();
  const logLength = world.log.length;
  const stopping = world.gateway.stop();
  const [response] = await responseEvent;
  await stopping;
  expect(response).toMatchObject({ statusCode: 400 });
  expect(world.log.slice(logLength).some((line) => isTransition(line, 'stopped'))).toBe(true);
  expect(performance.now() - startedAt).toBeLessThan(40_000);
});
