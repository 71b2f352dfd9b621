// Hashes of a real Redis server: pages, limits, and errors without the password.
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { MAX_HASH_FIELDS, openRedis, type RedisReader } from '../../packages/import/src/databases/redis-hash.ts';
import { freePort } from '../support/port.ts';
import { describeWithServices, REDIS_URL } from '../support/services.ts';

await describeWithServices(['Redis'], 'openRedis()', () => {
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

  /** Creates a Redis user with the password and the ACL rules. Resolves with its name. */
  async function createUser(password: string, ...rules: string[]): Promise<string> {
    const name = `user-${randomUUID()}`;
    await redis.call('ACL', 'SETUSER', name, 'on', `>${password}`, '~*', ...rules);
    onTestFinished(async () => void (await redis.call('ACL', 'DELUSER', name)));
    return name;
  }
  const urlWith = (credentials: string) => REDIS_URL.replace('//', `//${credentials}@`);

  it('a RedisReader reads every field of a hash that needs several pages', async () => {
    const fields = new Map(Array.from({ length: 3000 }, (_, n) => [`pre-key-${n}`, `value ${n}`]));
    await redis.hset(`${prefix}:pages`, fields);
    expect(await reader.readHash(`${prefix}:pages`)).toEqual(fields);
    expect(await reader.fieldNames(`${prefix}:pages`)).toEqual([...fields.keys()].sort());
    expect(await reader.readField(`${prefix}:pages`, 'pre-key-7')).toBe('value 7');
  });

  it('a RedisReader finds no fields in a hash that does not exist', async () => {
    expect((await reader.readHash(`${prefix}:absent`)).size).toBe(0);
    expect(await reader.fieldNames(`${prefix}:absent`)).toEqual([]);
    expect(await reader.readField(`${prefix}:absent`, 'creds')).toBeUndefined();
  });

  it('findKeys() matches prefix and suffix as plain text, not as patterns', async () => {
    for (const name of ['a*[x]:1:state', 'a*[x]:2:state', 'a*[x]:2:other', 'abc[x]:3:state'])
      await redis.hset(`${prefix}${name}`, 'creds', '1');
    const foundKeys = await reader.findKeys(`${prefix}a*[x]:`, ':state');
    expect(foundKeys).toEqual([`${prefix}a*[x]:1:state`, `${prefix}a*[x]:2:state`]);
  });

  it('readHash() and fieldNames() reject a hash with too many fields', async () => {
    const key = `${prefix}:many`;
    const count = MAX_HASH_FIELDS + 50_000;
    for (let n = 0; n < count; n += 10_000)
      await redis.hset(key, Object.fromEntries(Array.from({ length: 10_000 }, (_, m) => [`session-${n + m}`, '{}'])));
    await expect(reader.readHash(key)).rejects.toThrow(`${key} has 150000 fields`);
    await expect(reader.fieldNames(key)).rejects.toThrow(`${key} has 150000 fields`);
  });

  it('readHash() and readField() reject a value of over 16 MiB and name its field', async () => {
    await redis.hset(`${prefix}:large`, { creds: 'x'.repeat(17 * 2 ** 20) });
    const message = `The field creds of the Redis hash ${prefix}:large has 17825792 bytes. The limit is 16 MiB.`;
    await expect(reader.readHash(`${prefix}:large`)).rejects.toThrow(message);
    await expect(reader.readField(`${prefix}:large`, 'creds')).rejects.toThrow(message);
  });

  it('readHash() rejects a Redis key that is not a hash', async () => {
    await redis.set(`${prefix}:text`, 'x');
    await expect(reader.readHash(`${prefix}:text`)).rejects.toThrow(`The Redis key ${prefix}:text is not a hash.`);
  });

  it('openRedis() rejects a server that does not listen and a database that does not exist', async () => {
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
  ])('openRedis() rejects the address %s without showing its password', async (url) => {
    await expect(openRedis(url)).rejects.toThrow('--redis is not an address such as redis://');
    await expect(openRedis(url)).rejects.not.toThrow('secret-word');
  });

  it('openRedis() requires the right password and does not show a wrong one', async () => {
    const user = await createUser('right-word', '+@all');
    (await openRedis(urlWith(`${user}:right-word`))).close();
    const wrong = openRedis(urlWith(`${user}:wrong-word`));
    await expect(wrong).rejects.toThrow('refuses the password');
    await expect(wrong).rejects.not.toThrow('wrong-word');
    await expect(wrong).rejects.not.toHaveProperty('cause');
  });

  it('a RedisReader needs permission to read and no permission to write', async () => {
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
