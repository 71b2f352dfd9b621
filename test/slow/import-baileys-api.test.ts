// Sessions of baileys-api in a real Redis, in the layout of that program.
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BufferJSON } from '@whiskeysockets/baileys';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { FoundSession } from '../../packages/import/src/session/source.ts';
import { openBaileysApi } from '../../packages/import/src/sources/baileys-api.ts';
import { listSessions, writeSession } from '../../packages/import/test/stored-session.ts';
import { parseBundle } from '../../src/session-bundle/parse.ts';
import { emptyFolder } from '../support/folder.ts';
import { addClosedChains } from '../support/long-conversation.ts';
import { describeWithServices, REDIS_URL } from '../support/services.ts';

await describeWithServices(['Redis'], 'openBaileysApi()', () => {
  const redisPrefix = `test-${randomUUID()}`;
  let redis: Redis;

  beforeAll(() => {
    redis = new Redis(REDIS_URL);
  });
  afterAll(async () => {
    const keys = await redis.keys(`${redisPrefix}*`);
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
  });

  /** Stores a session under the phone number. Returns the key of its Redis hash and the device. */
  async function store(phone: string, metadata: unknown) {
    const folder = join(emptyFolder(), 'session');
    mkdirSync(folder);
    const device = await writeSession(folder);
    const key = `${redisPrefix}:${phone}:authState`;
    const fields: [string, unknown][] = device
      .keys()
      .filter(({ value }) => value)
      .map(({ type, id, value }) => [`${type}-${id}`, value]);
    for (const [field, value] of [['creds', device.creds] as [string, unknown], ...fields]) {
      await redis.hset(key, field, JSON.stringify(value, BufferJSON.replacer));
    }
    await redis.hset(key, 'metadata', JSON.stringify(metadata));
    onTestFinished(async () => void (await redis.del(key)));
    return { key, device };
  }

  async function list(): Promise<FoundSession[]> {
    const source = await openBaileysApi({ redis: REDIS_URL, redisPrefix });
    onTestFinished(() => source.close());
    return listSessions(source);
  }

  it('openBaileysApi() lists a session under its phone number and reads it with its settings', async () => {
    const { device } = await store('+4915550001001', {
      webhookUrl: 'https://receiver.example',
      webhookVerifyToken: 'verify',
      groupsEnabled: false,
      syncFullHistory: true,
    });
    const [session] = await list();
    expect(session).toMatchObject({ name: '4915550001001', account: device.jid.replace(/:\d+/, '') });
    expect(session?.problem).toBeUndefined();
    expect(session?.counts).toMatchObject({ 'lid-mapping': 2, 'device-list': 1 });
    const { bundle, dropped } = (await session?.read()) ?? {};
    const { keys, instance, source } = parseBundle(bundle);
    expect(source).toBe('baileys-api');
    expect(instance).toEqual({
      name: '4915550001001',
      settings: { groupsIgnore: true, syncFullHistory: true },
      webhook: { enabled: false, url: 'https://receiver.example' },
    });
    expect(Object.keys(keys.sessions)).toHaveLength(session?.counts.session ?? 0);
    expect(Object.keys(keys.senderKeys)).toHaveLength(session?.counts['sender-key'] ?? 0);
    expect(dropped?.filter(({ reason }) => reason === 'The value is damaged.')).toEqual([]);
  });

  it('openBaileysApi() reads the Signal session of a long conversation', async () => {
    const { key } = await store('2', null);
    const [field = ''] = (await redis.hkeys(key)).filter((name) => name.startsWith('session-'));
    const record: unknown = JSON.parse((await redis.hget(key, field)) ?? '');
    addClosedChains(record);
    await redis.hset(key, field, JSON.stringify(record));
    const [session] = await list();
    const { bundle, dropped } = (await session?.read()) ?? {};
    expect(Object.keys(parseBundle(bundle).keys.sessions)).toHaveLength(session?.counts.session ?? 0);
    expect(dropped?.map(({ type }) => type)).not.toContain('session');
  });

  it('openBaileysApi() drops damaged keys and reports damaged or missing credentials as a problem', async () => {
    const { key } = await store('1', null);
    const [preKey = ''] = (await redis.hkeys(key)).filter((field) => field.startsWith('pre-key-'));
    await redis.hset(key, preKey, '{"public":');
    const [damagedKey] = await list();
    expect((await damagedKey?.read())?.dropped).toContainEqual({
      type: 'pre-key',
      count: 1,
      reason: 'The value is damaged.',
    });
    await redis.hset(key, 'creds', '{"noiseKey"');
    const [damaged] = await list();
    expect(damaged?.problem).toBe(`The field creds of ${key} is no valid JSON: it is damaged or incomplete.`);
    await redis.hdel(key, 'creds');
    const [absent] = await list();
    expect(absent?.problem).toBe(`The hash ${key} has no field creds.`);
  });

  it('openBaileysApi() names the searched keys when no session has the prefix', async () => {
    await expect(openBaileysApi({ redis: REDIS_URL, redisPrefix: 'test-none' })).rejects.toThrow(
      '--redis: 127.0.0.1:6379/0 has no keys test-none:<phone>:authState.',
    );
  });
});
