import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { InstanceRecord } from '../../src/http/schemas/instance.ts';
import { toConnectionState, toInstanceRecord } from '../../src/instances/view.ts';
import { FakeWorld, openInstance } from '../support/instance-fakes.ts';

const context = {
  serverUrl: 'http://127.0.0.1:8080',
  exposeKey: true,
  clientName: 'gateway',
  counts: { messages: 3, contacts: 2, chats: 1 },
  websocket: null,
  platformVersion: { version: '2.3000.1', source: 'platform' as const },
};

describe('toInstanceRecord', () => {
  it('toInstanceRecord() returns both forms of the record, and the record matches its schema', async () => {
    const instance = await openInstance(new FakeWorld());
    const record = toInstanceRecord(instance, context);
    const ajv = new Ajv({ allErrors: true, strict: false });
    formats.default(ajv);
    expect(ajv.validate(InstanceRecord, record), ajv.errorsText()).toBe(true);
    expect(record.instance).toEqual({
      instanceName: 'shop',
      instanceId: instance.id,
      owner: '4915100000001@s.whatsapp.net',
      profileName: 'Shop',
      profilePictureUrl: null,
      profileStatus: '',
      status: 'open',
      serverUrl: 'http://127.0.0.1:8080',
      apikey: 'KEY-OF-THE-SHOP',
      integration: {
        integration: 'WHATSAPP-BAILEYS',
        token: 'KEY-OF-THE-SHOP',
        webhook_wa_business: '',
        webhook_platform_business: '',
      },
    });
    expect(record).toMatchObject({
      name: 'shop',
      connectionStatus: 'open',
      token: 'KEY-OF-THE-SHOP',
      createdAt: '2025-06-15T15:06:40.000Z',
      _count: { Message: 3, Contact: 2, Chat: 1 },
      phase: 'open',
      cause: null,
      platformVersion: '2.3000.1',
      platformVersionSource: 'platform',
    });
  });

  it('toInstanceRecord() returns the disconnect reason and no profile when the instance is not open', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.lastLink.close(440);
    await world.reached('blocked(replaced)');
    const record = toInstanceRecord(instance, context);
    expect(record.instance).not.toHaveProperty('owner');
    expect(record.instance).not.toHaveProperty('profileName');
    expect(record).toMatchObject({
      connectionStatus: 'close',
      phase: 'blocked',
      cause: 'replaced',
      disconnectionReasonCode: 440,
    });
    expect(JSON.parse(record.disconnectionObject ?? '')).toMatchObject({ error: { output: { statusCode: 440 } } });
    expect(toConnectionState(instance)).toEqual({ instance: { instanceName: 'shop', state: 'close' } });
  });

  it('toInstanceRecord() returns the instance key nowhere when exposeKey is false', async () => {
    const instance = await openInstance(new FakeWorld());
    expect(JSON.stringify(toInstanceRecord(instance, { ...context, exposeKey: false }))).not.toContain(
      'KEY-OF-THE-SHOP',
    );
  });
});
