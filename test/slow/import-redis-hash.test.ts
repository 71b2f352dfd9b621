// Reading hashes of a real Redis server: pages, limits, and errors without the password.
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { MAX_HASH_FIELDS, openRedis, type RedisReader } from '../../packages/import/src/redis-hash.ts';
import { freePort } from '../support/port.ts';
import { describeWithServices, REDIS_URL } from '../support/services.ts';

await describeWithServices(['Redis'], 'a Redis hash', () => {
  const prefix = `test-${randomUUID()}`;
  let redis: Redis;
  let reader: RedisReader;

  beforeAll(async () => {
    redis = new Redis(REDIS_URL);
    reader = await openRedis(REDIS_URL);
  });
  afterAll(async () => {
    const keys = await redis.keys(`${prefix}*`);
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
    reader.close();
  });

  /** A user of the server with a password, who may run these commands only. */
  async function createUser(password: string, ...rules: string[]): Promise<string> {
    const name = `user-${randomUUID()}`;
    await redis.call('ACL', 'SETUSER', name, 'on', `>${password}`, '~*', ...rules);
    onTestFinished(async () => void (await redis.call('ACL', 'DELUSER', name)));
    return name;
  }
  const urlWith = (credentials: string) => REDIS_URL.replace('//', `//${credentials}@`);

  it('is read in pages, with every field', async () => {
    const fields = new Map(Array.from({ length: 3000 }, (_, n) => [`pre-key-${n}`, `value ${n}`]));
    await redis.hset(`${prefix}:pages`, fields);
    expect(await reader.readHash(`${prefix}:pages`)).toEqual(fields);
    expect(await reader.fieldNames(`${prefix}:pages`)).toEqual([...fields.keys()].sort());
    expect(await reader.readField(`${prefix}:pages`, 'pre-key-7')).toBe('value 7');
  });

  it('that does not exist has no fields', async () => {
    expect((await reader.readHash(`${prefix}:absent`)).size).toBe(0);
    expect(await reader.fieldNames(`${prefix}:absent`)).toEqual([]);
    expect(await reader.readField(`${prefix}:absent`, 'creds')).toBeUndefined();
  });

  it('is found by prefix and suffix, in which patterns are plain text', async () => {
    for (const name of ['a*[x]:1:state', 'a*[x]:2:state', 'a*[x]:2:other', 'abc[x]:3:state'])
      await redis.hset(`${prefix}${name}`, 'creds', '1');
    const found = await reader.findKeys(`${prefix}a*[x]:`, ':state');
    expect(found).toEqual([`${prefix}a*[x]:1:state`, `${prefix}a*[x]:2:state`]);
  });

  it('with too many fields is refused before it is read', async () => {
    const key = `${prefix}:many`;
    const count = MAX_HASH_FIELDS + 50_000;
    for (let n = 0; n < count; n += 10_000)
      await redis.hset(key, Object.fromEntries(Array.from({ length: 10_000 }, (_, m) => [`session-${n + m}`, '{}'])));
    await expect(reader.readHash(key)).rejects.toThrow(`${key} has 150000 fields`);
    await expect(reader.fieldNames(key)).rejects.toThrow(`${key} has 150000 fields`);
  });

  it('with a value of over 16 MiB is refused with the name of the field', async () => {
    await redis.hset(`${prefix}:large`, { creds: 'x'.repeat(17 * 2 ** 20) });
    const message = `The field creds of the Redis hash ${prefix}:large has 17825792 bytes. The limit is 16 MiB.`;
    await expect(reader.readHash(`${prefix}:large`)).rejects.toThrow(message);
    await expect(reader.readField(`${prefix}:large`, 'creds')).rejects.toThrow(message);
  });

  it('that is another type is refused', async () => {
    await redis.set(`${prefix}:text`, 'x');
    await expect(reader.readHash(`${prefix}:text`)).rejects.toThrow(`The Redis key ${prefix}:text is not a hash.`);
  });

  it('of a server that does not listen, or of an unknown database, is a clear error', async () => {
    const port = await freePort();
    await expect(openRedis(`redis://:secret-word@127.0.0.1:${port}/0`)).rejects.toThrow(
      `No Redis server listens on 127.0.0.1:${port}/0.`,
    );
    await expect(openRedis(REDIS_URL.replace('/0', '/9999'))).rejects.toThrow('has no database with this number');
  });

  it.each([
    'http://secret-word@host/',
    'redis://:secret-word@host/abc',
    'secret-word',
  ])('at %s is a clear error without the password', async (url) => {
    await expect(openRedis(url)).rejects.toThrow('--redis is not an address such as redis://');
    await expect(openRedis(url)).rejects.not.toThrow('secret-word');
  });

  it('needs the right password, which no error repeats', async () => {
    const user = await createUser('right-word', '+@all');
    (await openRedis(urlWith(`${user}:right-word`))).close();
    const wrong = openRedis(urlWith(`${user}:wrong-word`));
    await expect(wrong).rejects.toThrow('refuses the password');
    await expect(wrong).rejects.not.toThrow('wrong-word');
    await expect(wrong).rejects.not.toHaveProperty('cause');
  });

  it('needs the permission to read, and no other', async () => {
    const url = urlWith(`${await createUser('w', '-@all', '+select', '+info', '+ping')}:w`);
    const refused = await openRedis(url);
    onTestFinished(() => refused.close());
    await expect(refused.readHash(`${prefix}:pages`)).rejects.toThrow('has no permission');
    const allowed = await openRedis(urlWith(`${await createUser('w', '-@all', '+@read', '+@connection', '+info')}:w`));
    onTestFinished(() => allowed.close());
    await redis.hset(`${prefix}:allowed`, 'creds', '1');
    expect(await allowed.readField(`${prefix}:allowed`, 'creds')).toBe('1');
  });
});
