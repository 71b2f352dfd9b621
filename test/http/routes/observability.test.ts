import { describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/observability/logger.ts';
import { startHttp } from '../../support/http-fixture.ts';

const basic = `Basic ${Buffer.from('prom:a-secret-password').toString('base64')}`;

describe('GET /metrics', () => {
  it('GET /metrics accepts only the global key by default', async () => {
    const http = await startHttp();
    expect(await http.call('GET', '/metrics')).toMatchObject({
      status: 200,
      headers: { 'content-type': expect.stringMatching(/^text\/plain/) },
      text: expect.stringContaining('# TYPE gateway_http_request_duration_seconds histogram'),
    });
    for (const headers of [{ apikey: undefined }, { apikey: 'shop-key' }, { apikey: undefined, authorization: basic }])
      expect(await http.call('GET', '/metrics', undefined, headers)).toMatchObject({
        status: 401,
        body: { code: 'UNAUTHORIZED' },
      });
  });

  it('GET /metrics accepts METRICS_USER with METRICS_PASSWORD, and requests Basic authentication otherwise', async () => {
    const http = await startHttp({ METRICS_USER: 'prom', METRICS_PASSWORD: 'a-secret-password' });
    const headers = { apikey: undefined, authorization: basic };
    expect((await http.call('GET', '/metrics', undefined, headers)).status).toBe(200);
    const refused = await http.call('GET', '/metrics', undefined, { apikey: undefined });
    expect(refused).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="metrics", charset="UTF-8"' },
    });
  });

  it('GET /metrics with METRICS_AUTH_REQUIRED=false needs no key, but refuses addresses outside METRICS_ALLOWED_IPS', async () => {
    const noKey = { apikey: undefined };
    const open = await startHttp({ METRICS_AUTH_REQUIRED: 'false', METRICS_ALLOWED_IPS: '127.0.0.0/8' });
    expect((await open.call('GET', '/metrics', undefined, noKey)).status).toBe(200);
    const closed = await startHttp({ METRICS_AUTH_REQUIRED: 'false', METRICS_ALLOWED_IPS: '192.0.2.1' });
    expect((await closed.call('GET', '/metrics', undefined, noKey)).status).toBe(401);
    expect((await closed.call('GET', '/metrics')).status).toBe(401);
  });

  it('GET /metrics responds with 404 when the gateway has no metrics', async () => {
    const http = await startHttp({}, { metrics: undefined });
    expect((await http.call('GET', '/metrics')).status).toBe(404);
  });

  it('AUTH_FAILURE_LIMIT counts failed requests of GET /metrics', async () => {
    const http = await startHttp({ AUTH_FAILURE_LIMIT: '2' });
    const wrongKey = { apikey: 'wrong' };
    for (let time = 0; time < 2; time++) await http.call('GET', '/metrics', undefined, wrongKey);
    expect((await http.call('GET', '/metrics', undefined, wrongKey)).status).toBe(429);
  });

  it('GET /metrics names routes by their pattern, without the name of the instance', async () => {
    const http = await startHttp();
    await http.call('GET', '/instance/connectionState/shop');
    const { text } = await http.call('GET', '/metrics');
    expect(text).toContain('{method="GET",route="/instance/connectionState/:instance",status="200"} 1');
    expect(text).not.toContain('shop');
  });
});

describe('/log/level', () => {
  it('POST /log/level changes the level of existing loggers, and logs the change', async () => {
    const lines: Record<string, unknown>[] = [];
    const log = createLogger({ logLevel: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
    const session = log.child({ instance: 'shop' });
    const http = await startHttp({}, { log });
    expect((await http.call('GET', '/log/level')).body).toEqual({ level: 'info' });
    session.debug('unheard');
    expect(await http.call('POST', '/log/level', { level: 'debug' })).toMatchObject({
      status: 200,
      body: { level: 'debug' },
    });
    session.debug('received');
    expect(lines.map(({ msg }) => msg)).toContain('received');
    expect(lines.map(({ msg }) => msg)).not.toContain('unheard');
    expect(lines.find(({ msg }) => msg === 'log.level.changed')).toMatchObject({ from: 'info', to: 'debug' });
    expect(lines.find(({ msg }) => msg === 'request.completed')).toMatchObject({ route: '/log/level', status: 200 });
    await http.call('POST', '/log/level', { level: 'error' });
    const linesBefore = lines.length;
    session.info('unheard');
    await http.call('GET', '/log/level');
    expect(lines.slice(linesBefore)).toEqual([]);
  });

  it('/log/level refuses the key of an instance and an unknown level', async () => {
    const http = await startHttp();
    const headers = { apikey: 'shop-key' };
    expect((await http.call('GET', '/log/level', undefined, headers)).status).toBe(401);
    expect((await http.call('POST', '/log/level', { level: 'debug' }, headers)).status).toBe(401);
    expect((await http.call('POST', '/log/level', { level: 'loud' })).status).toBe(400);
  });
});
