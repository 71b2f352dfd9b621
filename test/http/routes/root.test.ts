import { describe, expect, it } from 'vitest';
import packageInfo from '../../../package.json' with { type: 'json' };
import { startHttp } from '../../support/http-fixture.ts';
import { schemaViolations } from '../../support/openapi-document.ts';

const pages = { SERVER_DISABLE_DOCS: 'false', SERVER_DISABLE_MANAGER: 'false' };

describe('GET /', () => {
  it('GET / returns the versions and the addresses of the documentation, without a key', async () => {
    const http = await startHttp({ ...pages, DATABASE_CONNECTION_CLIENT_NAME: 'acme' });
    const answer = await http.call('GET', '/', undefined, { apikey: undefined, host: 'gate.example:8080' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      status: 200,
      message: expect.stringContaining('it is working'),
      version: '2.1.1',
      gatewayVersion: packageInfo.version,
      clientName: 'acme',
      swagger: 'http://gate.example:8080/docs',
      manager: 'http://gate.example:8080/manager',
      documentation: 'http://gate.example:8080/openapi.yaml',
    });
    expect(schemaViolations('ServiceInfo', answer.body)).toBeUndefined();
  });

  it('GET / returns addresses that exist', async () => {
    const http = await startHttp(pages);
    const { body } = await http.call('GET', '/');
    for (const field of ['swagger', 'manager', 'documentation']) {
      const { pathname } = new URL(String(Reflect.get(Object(body), field)));
      expect((await http.call('GET', pathname, undefined, { apikey: undefined })).status, field).toBeLessThan(400);
    }
  });

  it('GET / builds its addresses from SERVER_URL', async () => {
    const http = await startHttp({ SERVER_URL: 'https://gate.example/base/', SERVER_DISABLE_DOCS: 'false' });
    expect((await http.call('GET', '/')).body).toMatchObject({ swagger: 'https://gate.example/base/docs' });
  });
});
