import { describe, expect, it } from 'vitest';
import { violations } from '../../contract/document.ts';
import { startHttp } from './fixture.ts';

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
  ])('echoes a %s configuration under the instance’s name', async (_, body) => {
    const http = await startHttp();
    const answer = await http.call('POST', '/webhook/set/shop', body);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ webhook: { instanceName: 'shop', webhook: stored } });
    expect(violations('WebhookEcho', answer.body)).toBeUndefined();
  });

  it('answers a nested configuration with the stored one', async () => {
    const http = await startHttp();
    const answer = await http.call('POST', '/webhook/set/shop', { webhook: { ...base, byEvents: true } });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject(stored);
    expect(violations('WebhookConfig', answer.body)).toBeUndefined();
    expect((await http.call('GET', '/webhook/find/shop')).body).toEqual(answer.body);
  });

  it('is enabled and wants all events unless it says otherwise', async () => {
    const http = await startHttp();
    await http.call('POST', '/webhook/set/shop', { webhook: { url: 'http://hook.example' } });
    expect(http.webhooks.get('id-of-shop')).toMatchObject({ enabled: true, events: [] });
  });

  it.each([
    { events: [] },
    {},
  ])('shows all events when it was given %j: an empty list would read as none', async (given) => {
    const http = await startHttp();
    const set = await http.call('POST', '/webhook/set/shop', { webhook: { url: 'http://hook.example', ...given } });
    expect(set.body).toMatchObject({ events: expect.arrayContaining(['MESSAGES_UPSERT', 'LOGOUT_INSTANCE']) });
    expect((await http.call('GET', '/webhook/find/shop')).body).toEqual(set.body);
  });

  it('may be disabled without an address', async () => {
    const http = await startHttp();
    const answer = await http.call('POST', '/webhook/set/shop', { enabled: false, url: '' });
    expect(answer).toMatchObject({ status: 201, body: { webhook: { webhook: { enabled: false, url: '' } } } });
  });

  it('takes events by both of their names', async () => {
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
  ])('names what is wrong in %j', async (body, message) => {
    const http = await startHttp();
    const answer = await http.call('POST', '/webhook/set/shop', body);
    expect(answer.body).toMatchObject({ status: 400, response: { message } });
  });
});

describe('GET /webhook/find', () => {
  it('answers a disabled configuration when none was set', async () => {
    const http = await startHttp();
    const answer = await http.call('GET', '/webhook/find/shop');
    expect(answer).toMatchObject({ status: 200, body: { enabled: false, url: '', events: [] } });
    expect(violations('WebhookConfig', answer.body)).toBeUndefined();
  });
});
