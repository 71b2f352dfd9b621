import { describe, expect, it } from 'vitest';
import { startHttp } from '../../support/http-fixture.ts';
import { schemaViolations } from '../../support/openapi-document.ts';

const stored = {
  enabled: true,
  url: 'http://hook.example',
  events: ['MESSAGES_UPSERT'],
  webhook_by_events: true,
  webhook_base64: false,
  webhookByEvents: true,
  webhookBase64: false,
};
const base = { enabled: true, url: 'http://hook.example', events: ['MESSAGES_UPSERT'] };

describe('POST /webhook/set', () => {
  it.each([
    ['snake_case', { ...base, webhook_by_events: true }],
    ['flat camelCase', { ...base, webhookByEvents: true }],
  ])('POST /webhook/set returns a %s configuration with the name of the instance', async (_, body) => {
    const http = await startHttp();
    const answer = await http.call('POST', '/webhook/set/shop', body);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ webhook: { instanceName: 'shop', webhook: stored } });
    expect(schemaViolations('WebhookEcho', answer.body)).toBeUndefined();
  });

  it('POST /webhook/set responds to a nested configuration with the stored one', async () => {
    const http = await startHttp();
    const answer = await http.call('POST', '/webhook/set/shop', { webhook: { ...base, byEvents: true } });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject(stored);
    expect(schemaViolations('WebhookConfig', answer.body)).toBeUndefined();
    expect((await http.call('GET', '/webhook/find/shop')).body).toEqual(answer.body);
  });

  it('POST /webhook/set enables the webhook for all events by default', async () => {
    const http = await startHttp();
    await http.call('POST', '/webhook/set/shop', { webhook: { url: 'http://hook.example' } });
    expect(http.webhooks.get('id-of-shop')).toMatchObject({ enabled: true, events: [] });
  });

  it.each([
    { events: [] },
    {},
  ])('POST /webhook/set returns the names of all events for %j, because clients read an empty list as no events', async (fields) => {
    const http = await startHttp();
    const answer = await http.call('POST', '/webhook/set/shop', { webhook: { url: 'http://hook.example', ...fields } });
    expect(answer.body).toMatchObject({ events: expect.arrayContaining(['MESSAGES_UPSERT', 'LOGOUT_INSTANCE']) });
    expect((await http.call('GET', '/webhook/find/shop')).body).toEqual(answer.body);
  });

  it('POST /webhook/set accepts a disabled webhook without a URL', async () => {
    const http = await startHttp();
    const answer = await http.call('POST', '/webhook/set/shop', { enabled: false, url: '' });
    expect(answer).toMatchObject({ status: 201, body: { webhook: { webhook: { enabled: false, url: '' } } } });
  });

  it('POST /webhook/set and POST /webhook/endpoints accept both names of an event', async () => {
    const http = await startHttp();
    const events = ['messages.upsert', 'CALL'];
    const answer = await http.call('POST', '/webhook/set/shop', { ...base, events });
    const stored = { events: ['MESSAGES_UPSERT', 'CALL'] };
    expect(answer).toMatchObject({ status: 201, body: { webhook: { webhook: stored } } });
    const added = await http.call('POST', '/webhook/endpoints/shop', { ...base, events });
    expect(added).toMatchObject({ status: 201, body: stored });
  });

  it.each([
    [{ url: 'nonsense' }, ['Invalid "url" property', 'The URL must begin with http:// or https://.']],
    [{ url: 'localhost:3000/x' }, ['Invalid "url" property', 'The URL must begin with http:// or https://.']],
    [{ url: 'http://' }, ['Invalid "url" property']],
    [{}, ['Invalid "url" property']],
    [{ webhook: 'http://hook.example' }, [['webhook is not of a type(s) object']]],
    [{ url: {} }, [['url is not of a type(s) string']]],
    [{ ...base, webhook_by_events: 'maybe' }, [['webhook_by_events is not of a type(s) boolean']]],
    [{ webhook: { ...base, webhookBase64: 'maybe' } }, [['webhook.webhookBase64 is not of a type(s) boolean']]],
    [{ ...base, events: ['NOPE'] }, [[expect.stringMatching(/^events\[0\] is not one of enum values: /)]]],
    [{ ...base, events: ['MESSAGE_UPSERT'] }, [[expect.stringMatching(/\. Did you mean MESSAGES_UPSERT\?$/)]]],
  ])('POST /webhook/set names the invalid field of %j', async (body, message) => {
    const http = await startHttp();
    const answer = await http.call('POST', '/webhook/set/shop', body);
    expect(answer.body).toMatchObject({ status: 400, response: { message } });
  });
});

describe('GET /webhook/find', () => {
  it('GET /webhook/find returns a disabled configuration when no webhook is set', async () => {
    const http = await startHttp();
    const answer = await http.call('GET', '/webhook/find/shop');
    expect(answer).toMatchObject({ status: 200, body: { enabled: false, url: '', events: [] } });
    expect(schemaViolations('WebhookConfig', answer.body)).toBeUndefined();
  });
});
