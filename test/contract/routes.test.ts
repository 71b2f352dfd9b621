import { describe, expect, it } from 'vitest';
import { startHttp } from '../http/routes/fixture.ts';
import { operations } from './document.ts';
import { routesOf } from './registered.ts';

/** `get /instance/connect/{instance}` for every route the app has (in lower case, as it matches), without the routes for HEAD and the reader. */
async function registered(): Promise<string[]> {
  const { app } = await startHttp();
  return (await routesOf(app)).filter((route) => !/^head | \/docs/.test(route));
}

const path = (template: string, instance: string) => template.replace('{instance}', instance);
const closed = operations.filter(({ operation }) => operation.security?.length !== 0);
const open = operations.filter(({ operation }) => operation.security?.length === 0);
const planned = operations.filter(({ operation }) => operation['x-status'] === 'planned');
type Method = Parameters<Awaited<ReturnType<typeof startHttp>>['call']>[0];
const verb = (method: string) => method.toUpperCase() as Method;

describe('routes and contract', () => {
  it('are the same, both ways', async () => {
    const documented = operations.map(({ method, path: template }) => `${method} ${template}`.toLowerCase());
    expect((await registered()).map((route) => route.toLowerCase()).sort()).toEqual(documented.sort());
  });

  it('need a key where the contract says so', async () => {
    const http = await startHttp({ AUTH_FAILURE_LIMIT: '0' });
    for (const { method, path: template } of closed) {
      for (const apikey of [undefined, 'wrong']) {
        const answer = await http.call(verb(method), path(template, 'shop'), undefined, { apikey });
        expect(answer.status, `${method} ${template}`).toBe(401);
      }
    }
  });

  it('refuse another instance’s key on every operation of an instance', async () => {
    const http = await startHttp({ AUTH_FAILURE_LIMIT: '0' });
    for (const { method, path: template } of closed.filter((each) => each.path.includes('{instance}'))) {
      const answer = await http.call(verb(method), path(template, 'shop'), undefined, { apikey: 'other-key' });
      expect(answer.status, `${method} ${template}`).toBe(401);
    }
  });

  it('answer 404 for an unknown instance on every operation of an instance', async () => {
    const http = await startHttp();
    for (const { method, path: template } of closed.filter((each) => each.path.includes('{instance}'))) {
      const answer = await http.call(verb(method), path(template, 'nobody'));
      expect(answer.body, `${method} ${template}`).toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    }
  });

  it('are public only where the contract says so', async () => {
    const http = await startHttp();
    for (const { method, path: template } of open) {
      const answer = await http.call(verb(method), template, undefined, { apikey: undefined });
      expect(answer.status, `${method} ${template}`).toBe(200);
    }
  });

  it('answer 501 exactly where the contract says planned', async () => {
    const http = await startHttp();
    for (const { method, path: template } of planned) {
      const answer = await http.call(verb(method), path(template, 'shop'), {});
      expect(answer.body, `${method} ${template}`).toMatchObject({ status: 501, code: 'NOT_IMPLEMENTED' });
    }
    for (const { method, path: template } of operations.filter((each) => !planned.includes(each))) {
      const answer = await http.call(verb(method), path(template, 'other'), method === 'post' ? {} : undefined);
      expect(answer.status, `${method} ${template}`).not.toBe(501);
    }
  });
});
