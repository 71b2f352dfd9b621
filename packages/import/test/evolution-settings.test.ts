// Settings of Evolution API. Invalid settings are dropped.
import { describe, expect, it } from 'vitest';
import { type StoredSettings, toSessionSettings } from '../src/evolution/instance-settings.ts';
import { toAcceptedSettings } from '../src/session/accepted-settings.ts';

const convert = (stored: StoredSettings) => toAcceptedSettings(toSessionSettings(stored));

describe('settings of Evolution API', () => {
  it('toSessionSettings() reads text columns and fields in snake_case', () => {
    const fromColumns = convert({ setting: { rejectCall: 'true', msgCall: 'Busy', readStatus: '0' } });
    const fromSnakeCase = convert({ setting: { reject_call: true, msg_call: 'Busy', read_status: false } });
    expect(fromColumns.instance.settings).toEqual({ rejectCall: true, msgCall: 'Busy', readStatus: false });
    expect(fromSnakeCase.instance.settings).toEqual(fromColumns.instance.settings);
  });

  it('toSessionSettings() leaves absent settings undefined', () => {
    const { instance, dropped } = convert({ token: '', number: null, setting: {}, webhook: { url: '' } });
    expect(Object.values(instance).filter((value) => value !== undefined)).toEqual([]);
    expect(dropped).toEqual([]);
  });

  it.each(['ftp://host/', 'no address', 7, 'http://'])('toSessionSettings() drops a webhook with the URL %s', (url) => {
    const { instance, dropped } = convert({ webhook: { url, enabled: 'true' } });
    expect(instance.webhook).toBeUndefined();
    expect(dropped).toEqual([{ type: 'webhook', count: 1, reason: 'Its values are not valid.' }]);
  });

  it('toSessionSettings() keeps headers and events that are text, and drops others', () => {
    const webhook = { url: 'http://host/', enabled: '1', headers: '{"a":"b","c":{}}', events: '["CALL",{},""]' };
    const { instance, dropped } = convert({ webhook });
    expect(instance.webhook).toMatchObject({ enabled: true, headers: { a: 'b' }, events: ['CALL'] });
    expect(dropped).toMatchObject([{ type: 'header of the webhook', count: 1 }]);
    const damaged = convert({ webhook: { ...webhook, headers: '{', events: '{}' } });
    expect(damaged.instance.webhook).toEqual({ enabled: true, url: 'http://host/' });
  });

  it.each([
    { protocol: 'socks4', host: 'proxy', port: '80' },
    { protocol: 'http', host: 'proxy', port: '70000' },
    { protocol: 'http', host: 'proxy', port: '0' },
    { protocol: 'http', host: 'p'.repeat(300), port: '80' },
  ])('an invalid proxy of Evolution API with the protocol $protocol and the port $port is dropped', (proxy) => {
    const { instance, dropped } = convert({ proxy: { ...proxy, enabled: 'true' } });
    expect(instance.proxy).toBeUndefined();
    expect(dropped.map(({ type }) => type)).toEqual(['proxy']);
  });

  it('toSessionSettings() omits a proxy that is not enabled', () => {
    const proxy = { protocol: 'http', host: 'proxy', port: '80', enabled: 'false' };
    expect(convert({ proxy }).instance.proxy).toBeUndefined();
  });

  it('toAcceptedSettings() drops a key of Evolution API that is too long and an invalid number', () => {
    const { instance, dropped } = convert({ token: 'k'.repeat(256), number: '+49 151' });
    expect(instance).toEqual({});
    expect(dropped.map(({ type }) => type)).toEqual(['key of the session', 'number']);
  });

  it.each([
    'key of shop',
    'clé-0123456789',
  ])('toAcceptedSettings() drops the key %o of Evolution API, which the gateway refuses', (token) => {
    const { instance, dropped } = convert({ token });
    expect(instance.token).toBeUndefined();
    expect(dropped.map(({ type }) => type)).toEqual(['key of the session']);
  });

  it('toAcceptedSettings() keeps a key of fewer than 16 characters', () => {
    const { instance, dropped } = convert({ token: 'short' });
    expect(instance.token).toBe('short');
    expect(dropped).toEqual([]);
  });
});
