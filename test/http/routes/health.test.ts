import { describe, expect, it } from 'vitest';
import { unavailableError } from '../../../src/storage/database.ts';
import { startHttp } from '../../support/http-fixture.ts';
import { schemaViolations } from '../../support/openapi-document.ts';

const failingCheck = async () => {
  throw new Error('no database');
};

describe('GET /livez', () => {
  it('GET /livez responds without a key and without the database', async () => {
    const http = await startHttp({}, { checkStorage: failingCheck });
    const answer = await http.call('GET', '/livez', undefined, { apikey: undefined });
    expect(answer).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect((await http.call('HEAD', '/livez', undefined, { apikey: undefined })).status).toBe(200);
  });
});

describe('GET /readyz', () => {
  it('GET /readyz responds with 200 when the database responds and the instances are loaded', async () => {
    const http = await startHttp();
    const answer = await http.call('GET', '/readyz', undefined, { apikey: undefined });
    expect(answer).toMatchObject({ status: 200, body: { status: 'ok', checks: { storage: true, instances: true } } });
    expect(answer.body).not.toHaveProperty('reasons');
  });

  it('GET /readyz responds with 503 and names the failed checks', async () => {
    const http = await startHttp({}, { checkStorage: failingCheck });
    Object.assign(http.manager, { ready: false });
    const answer = await http.call('GET', '/readyz', undefined, { apikey: undefined });
    expect(answer).toMatchObject({
      status: 503,
      body: {
        status: 'unavailable',
        checks: { storage: false, instances: false },
        reasons: ['The database does not respond.', 'The instances are not loaded yet.'],
      },
    });
    expect(schemaViolations('Readiness', answer.body)).toBeUndefined();
    expect(http.log.find(({ msg }) => msg === 'storage.check.failed')).toMatchObject({ level: 50 });
  });

  it('GET /readyz names a full disk, and responds with 200 again when there is space', async () => {
    const diskFullError = Object.assign(new Error('database or disk is full'), {
      code: 'ERR_SQLITE_ERROR',
      errcode: 13,
    });
    let isFull = true;
    const checkStorage = async () => {
      if (isFull) throw unavailableError(diskFullError);
    };
    const http = await startHttp({}, { checkStorage });
    const answer = await http.call('GET', '/readyz', undefined, { apikey: undefined });
    expect(answer).toMatchObject({
      status: 503,
      body: { checks: { storage: false }, reasons: ['The database is not available: its disk is full.'] },
    });
    isFull = false;
    expect((await http.call('GET', '/readyz', undefined, { apikey: undefined })).status).toBe(200);
  });
});
