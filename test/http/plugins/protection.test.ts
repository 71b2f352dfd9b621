import { describe, expect, it } from 'vitest';
import { startHttp } from '../../support/http-fixture.ts';

describe('headers of all responses', () => {
  it('each response has a unique x-request-id, which the caller cannot choose', async () => {
    const http = await startHttp();
    const ids = new Set();
    for (const path of ['/', '/nowhere', '/instance/fetchInstances']) {
      const { headers } = await http.call('GET', path, undefined, { 'x-request-id': 'chosen' });
      ids.add(headers['x-request-id']);
    }
    expect(ids.size).toBe(3);
    expect(ids).not.toContain('chosen');
  });

  it('each response forbids browsers to guess its content type, to frame it and to load resources', async () => {
    const http = await startHttp();
    const { headers } = await http.call('GET', '/instance/fetchInstances');
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('responses have the header x-gateway-network only when the platform is not the real one', async () => {
    const real = await startHttp();
    expect((await real.call('GET', '/')).headers).not.toHaveProperty('x-gateway-network');
    const sandbox = await startHttp({}, { network: 'sandbox' });
    expect((await sandbox.call('GET', '/')).headers).toMatchObject({ 'x-gateway-network': 'sandbox' });
  });
});
