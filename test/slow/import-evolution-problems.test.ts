// Sessions of Evolution API 2 that cannot be imported: missing, damaged or hostile data causes one clear error.
import { randomUUID } from 'node:crypto';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../../packages/import/test/program.ts';
import { createSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { parseBundle } from '../../src/session-bundle/parse.ts';
import type { Installation2 } from '../support/evolution-installation.ts';
import {
  type ClientState,
  type Layout2,
  toJsonTwice,
  writeEvolution2,
  writeFiles,
} from '../support/evolution-layouts.ts';
import { install, instanceRow, openInstallation, SHOP_NUMBER } from '../support/evolution-sources.ts';
import type { InstanceRow } from '../support/evolution-tables.ts';
import { createOldState } from '../support/old-states.ts';
import { freePort } from '../support/port.ts';
import { describeWithServices, REDIS_URL } from '../support/services.ts';
import { countsOf, findSession } from '../support/source-sessions.ts';

const OTHER_NUMBER = '15550004002';

await describeWithServices(['MariaDB', 'Redis'], 'Evolution API 2', () => {
  let sandbox: Sandbox;
  let state: ClientState;
  let otherState: ClientState;

  beforeAll(async () => {
    sandbox = await createSandbox({ tlsPort: false });
    state = await createOldState(sandbox, 'baileys 7.0.0-rc14', SHOP_NUMBER);
    otherState = await createOldState(sandbox, 'baileys 7.0.0-rc14', OTHER_NUMBER);
  });
  afterAll(() => sandbox.close());

  describe('sessions that cannot be imported', () => {
    let installation: Installation2;
    let id: string;

    beforeEach(async () => {
      installation = await install('PostgreSQL');
      id = randomUUID();
    });
    const write = (layout: Layout2, fields: Partial<InstanceRow> = {}, clientState = state) =>
      writeEvolution2(installation, layout, instanceRow({ id, ...fields }), clientState);
    const problemOf = async (options?: object) =>
      (await findSession(await openInstallation(installation, options), 'shop')).problem;
    const readError = async () => {
      const session = await findSession(await openInstallation(installation), 'shop');
      if (session.problem !== undefined) return session.problem;
      return session.read().then(
        ({ bundle }) => {
          try {
            parseBundle(bundle);
            return 'no error';
          } catch (error) {
            return String(error);
          }
        },
        (error: unknown) => String(error),
      );
    };

    it('openEvolution() reports that the keys of a session were never stored', async () => {
      await write('creds in SQL, keys in files', {}, { ...state, keys: new Map() });
      expect(await problemOf()).toMatch(/Only the credentials are found.*2\.0 to 2\.2\.2 without Redis.*linked again/);
    });

    it('openEvolution() names the option for the store that can have the keys of a session', async () => {
      await write('creds in SQL, keys in Redis');
      expect(await problemOf({ redis: undefined })).toContain('Redis was not searched: add --redis');
      expect(await problemOf({ path: undefined, redisPrefix: 'wrong' })).toMatch(
        /has none in wrong:instance:.*--redis-prefix.*add --path/,
      );
    });

    it('openEvolution() suggests --redis for a session without credentials in the searched stores', async () => {
      await write('all in Redis');
      expect(await problemOf({ redis: undefined })).toMatch(/No credentials are found.*add --redis/);
    });

    it('openEvolution() reports a session that has keys but no credentials', async () => {
      await installation.tables.insert('Instance', instanceRow({ id }));
      writeFiles(installation.folder, id, state, false);
      expect(await problemOf()).toMatch(/No credentials are found.*has keys/);
    });

    it('openEvolution() reports an instance with the credentials of two linked devices', async () => {
      await write('creds in SQL, keys in Redis');
      const hash = `${installation.prefix}:instance:${id}`;
      await installation.redis.hset(hash, 'creds', toJsonTwice(otherState.creds));
      expect(await problemOf()).toContain('Two different linked devices are stored');
    });

    it('openEvolution() reports an instance with keys in two stores unless one store is omitted', async () => {
      await write('creds in SQL, keys in Redis');
      writeFiles(installation.folder, id, state, false);
      const folder = join(installation.folder, id);
      expect(await problemOf()).toMatch(/^Keys are in Redis .* and in .*Leave the store that is not in use out/);
      expect(await problemOf()).toContain(folder);
      expect(await problemOf({ path: undefined })).toBeUndefined();
      expect(await problemOf({ redis: undefined })).toBeUndefined();
    });

    it('openEvolution() reports instances that are connected, of another integration or never linked', async () => {
      await write('all in Redis', { connectionStatus: 'open' });
      await installation.tables.insert('Instance', instanceRow({ name: 'cloud', integration: 'WHATSAPP-BUSINESS' }));
      await installation.tables.insert('Instance', instanceRow({ name: 'new', ownerJid: null }));
      const source = await openInstallation(installation);
      expect(await findSession(source, 'shop')).toMatchObject({ isConnected: true });
      expect((await findSession(source, 'cloud')).problem).toContain('Its integration is WHATSAPP-BUSINESS.');
      expect(await findSession(source, 'new')).toMatchObject({ account: null, counts: {} });
    });

    it('the import program refuses an open instance without --force and does not print the database password', async () => {
      await write('creds in SQL, keys in Redis', { connectionStatus: 'open' });
      const env = { SOURCE_DATABASE: installation.url, SOURCE_REDIS: REDIS_URL };
      const argv = ['--from', 'evolution', '--redis-prefix', installation.prefix, '--dry-run'];
      const withoutForce = await runProgram(argv, { env });
      expect(withoutForce).toMatchObject({
        code: 1,
        stdout: expect.stringContaining('The source says that the session is connected.'),
      });
      const withForce = await runProgram([...argv, '--force'], { env });
      expect(withForce).toMatchObject({ code: 0, stdout: expect.stringContaining('1 session: 1 checked.') });
      const password = new URL(installation.url).password;
      expect(withForce.stdout + withForce.stderr).not.toContain(`:${password}@`);
      expect(withForce.stdout).toContain('Another program is connected to the database.');
    });

    it('openEvolution() names the Redis field that has truncated JSON', async () => {
      await write('all in Redis');
      const hash = `${installation.prefix}:instance:${id}`;
      const [field = ''] = [...state.keys.keys()].filter((name) => name.startsWith('session-'));
      await installation.redis.hset(hash, field, toJsonTwice(state.keys.get(field)).slice(0, 40));
      expect(await readError()).toContain(`The field ${field} of the Redis hash ${hash} is no valid JSON`);
      await installation.redis.hset(hash, 'creds', toJsonTwice(state.creds).slice(0, 400));
      expect(await readError()).toContain(`The field creds of the Redis hash ${hash} is no valid JSON`);
    });

    it('openEvolution() rejects credentials that are JSON inside JSON more than once', async () => {
      await installation.tables.insert('Instance', instanceRow({ id }));
      const creds = JSON.stringify(toJsonTwice(state.creds));
      await installation.tables.insert('Session', { id: randomUUID(), sessionId: id, creds });
      expect(await problemOf()).toContain(`Session.creds of the instance ${id} is JSON inside JSON more than once`);
    });

    it('a session of Evolution API with the keys of another account is rejected with a BundleError', async () => {
      await write('creds in SQL, keys in files', {}, { creds: state.creds, keys: otherState.keys });
      expect(await readError()).toMatch(/BundleError: .*keys/);
    });

    it('openEvolution() rejects a Redis field of 17 MiB and a hash with 150,000 fields', async () => {
      await write('all in Redis');
      const hash = `${installation.prefix}:instance:${id}`;
      await installation.redis.hset(hash, 'session-1.0', 'x'.repeat(17 * 2 ** 20));
      expect(await readError()).toContain(`The field session-1.0 of the Redis hash ${hash} has 17825792 bytes`);
      for (let n = 0; n < 150_000; n += 10_000) {
        const page = Array.from({ length: 10_000 }, (_, m) => [`session-${n + m}.0`, '""']);
        await installation.redis.hset(hash, Object.fromEntries(page));
      }
      expect(await readError()).toMatch(/Redis hash .* has 15\d{4} fields/);
    });

    it('openEvolution() rejects credentials of 2 MiB', async () => {
      await installation.tables.insert('Instance', instanceRow({ id }));
      const creds = 'x'.repeat(2 * 2 ** 20);
      await installation.tables.insert('Session', { id: randomUUID(), sessionId: id, creds });
      expect(await problemOf()).toBe('A value of creds in the table Session is over 1 MiB.');
    });

    it('openEvolution() rejects an instance id that leads out of its folder', async () => {
      await installation.tables.insert('Instance', instanceRow({ id: '../../etc' }));
      expect(await problemOf()).toBe('The id of the instance is not valid.');
    });

    it('openEvolution() drops an empty key file and reads a session beside one without credentials', async () => {
      await write('creds in SQL, keys in files');
      const [field = ''] = [...state.keys.keys()].filter((name) => name.startsWith('pre-key-'));
      truncateSync(join(installation.folder, id, `${field}.json`), 0);
      await installation.tables.insert('Instance', instanceRow({ name: 'broken' }));
      const source = await openInstallation(installation);
      expect((await findSession(source, 'broken')).problem).toContain('No credentials are found');
      const { bundle, dropped } = await (await findSession(source, 'shop')).read();
      expect(Object.keys(bundle.keys.preKeys)).toHaveLength((countsOf(state)['pre-key'] ?? 0) - 1);
      expect(dropped).toContainEqual({ type: 'pre-key', count: 1, reason: 'The file is empty or damaged.' });
    });
  });

  describe('databases that cannot be opened', () => {
    it('openEvolution() reports a wrong database password without showing it', async () => {
      const installation = await install('PostgreSQL');
      const database = installation.url.replace(':postgres@', ':secret-word@');
      const opened = openInstallation(installation, { database });
      await expect(opened).rejects.toThrow(/The user or the password is wrong: PostgreSQL 127\.0\.0\.1:\d+\/gateway_/);
      await expect(opened).rejects.not.toThrow('secret-word');
      const mariadb = openInstallation(installation, { database: 'mysql://root:secret-word@127.0.0.1:3306/evolution' });
      await expect(mariadb).rejects.toThrow('The user or the password is wrong: MySQL 127.0.0.1:3306/evolution.');
    });

    it('openEvolution() names a database that does not exist', async () => {
      const installation = await install('PostgreSQL');
      const name = `absent_${randomUUID().replaceAll('-', '')}`;
      const database = installation.url.replace(/gateway_\w+/, name);
      await expect(openInstallation(installation, { database })).rejects.toThrow(
        /The database does not exist: PostgreSQL .*absent_/,
      );
      const mariadb = openInstallation(installation, { database: `mysql://root@127.0.0.1:3306/${name}` });
      await expect(mariadb).rejects.toThrow(`The database does not exist: MySQL 127.0.0.1:3306/${name}.`);
    });

    it('openEvolution() reports a database server that does not listen and an invalid database address', async () => {
      const installation = await install('PostgreSQL');
      const port = await freePort();
      for (const scheme of ['postgresql', 'mysql']) {
        const database = `${scheme}://user:secret-word@127.0.0.1:${port}/evolution`;
        await expect(openInstallation(installation, { database })).rejects.toThrow(
          /^No server listens: .*127\.0\.0\.1/,
        );
      }
      await expect(openInstallation(installation, { database: 'secret-word' })).rejects.toThrow(
        /^--database is not an address/,
      );
    });
  });
});
