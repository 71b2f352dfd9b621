import { describe, expect, it, onTestFinished } from 'vitest';
import { createEgress } from '../../src/egress/http-client.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createErrorReports } from '../../src/webhooks/error-reports.ts';
import { KEY, startHttp } from '../support/http-fixture.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Starts an app whose error responses are posted to a receiver. `messages` contains the messages of its warnings. */
async function startServer(options: { secret?: string } = {}) {
  const hook: Receiver = await startReceiver();
  const messages: string[] = [];
  const { promise: dropped, resolve } = Promise.withResolvers<void>();
  const egress = createEgress({ allow: [], strict: false, isSandbox: true });
  onTestFinished(async () => {
    await egress.close();
    await hook.stop();
  });
  const reportFailure = createErrorReports({
    ...{
      egress,
      clock: systemClock,
      url: `${hook.url}/errors`,
      secret: undefined,
      timeout: 5_000,
      serverUrl: { current: 'http://gw' },
    },
    log: {
      warn(_facts: unknown, message = '') {
        messages.push(message);
        if (message === 'error_report.dropped') resolve();
      },
    },
    ...options,
  });
  return { hook, messages, dropped, reportFailure, ...(await startHttp({}, { reportFailure })) };
}

describe('WEBHOOK_EVENTS_ERRORS', () => {
  it('WEBHOOK_EVENTS_ERRORS posts the error responses of failed requests, without any key', async () => {
    const { hook, call } = await startServer();
    const wrong = await call('POST', '/message/sendText/shop', { number: '15551234567' });
    const invalid = await hook.next(({ body }) => JSON.stringify(body).includes('"status":400'));
    expect(invalid.path).toBe('/errors');
    expect(invalid.body).toEqual({
      event: 'error',
      instance: 'shop',
      data: {
        ...{ error: 'Bad Request', status: 400, code: 'INVALID_REQUEST', requestId: wrong.headers['x-request-id'] },
        message: expect.any(Array),
        response: { message: (wrong.body as { response: { message: unknown } }).response.message },
      },
      date_time: expect.stringMatching(/Z$/),
      server_url: 'http://gw',
    });
    await call('GET', '/instance/fetchInstances', undefined, { apikey: 'wrong' });
    await call('GET', '/nowhere');
    const statuses = await Promise.all(
      [401, 404].map(async (status) => (await hook.next(({ raw }) => raw.includes(`"status":${status}`))).raw),
    );
    for (const raw of [invalid.raw, ...statuses]) expect(raw).not.toContain(KEY);
    expect(invalid.headers).not.toHaveProperty('webhook-signature');
  });

  it('error reports are signed with the secret of the global webhook', async () => {
    const { hook, call } = await startServer({ secret });
    await call('GET', '/nowhere');
    (await hook.next()).verify(secret);
  });

  it('a failed error report is logged, not awaited and not retried', async () => {
    const { hook, call, messages } = await startServer();
    hook.answer(() => 500);
    await call('GET', '/nowhere');
    await expect.poll(() => messages).toEqual(['error_report.refused']);
    await hook.stop();
    expect((await call('GET', '/nowhere')).status).toBe(404);
    await expect.poll(() => messages).toEqual(['error_report.refused', 'error_report.failed']);
    expect(hook.posts).toHaveLength(1);
  });

  it('error reports above the limit are dropped, and their number is logged', async () => {
    const { hook, messages, dropped, reportFailure } = await startServer();
    for (let n = 0; n < 250; n++) {
      reportFailure({ status: 404, error: 'Not Found', response: { message: [n] } });
    }
    await dropped;
    expect(messages).toEqual(['error_report.dropped']);
    expect(hook.posts).toHaveLength(200);
  });
});
