// Checks that the routes of the app, their keys and their statuses agree with the contract.
import { describe, expect, it } from 'vitest';
import { startHttp } from '../support/http-fixture.ts';
import { operations } from '../support/openapi-document.ts';
import { routesOf } from './registered-routes.ts';

/** Every route of the app as routesOf() lists it, except the routes for HEAD and for the documentation at /docs. */
async function registeredRoutes(): Promise<string[]> {
  const { app } = await startHttp();
  return (await routesOf(app)).filter((route) => !/^head | \/docs/.test(route));
}

const toPath = (template: string, instance: string) => template.replace('{instance}', instance);
const protectedOperations = operations.filter(({ operation }) => operation.security?.length !== 0);
const publicOperations = operations.filter(({ operation }) => operation.security?.length === 0);
type Method = Parameters<Awaited<ReturnType<typeof startHttp>>['call']>[0];
const toMethod = (method: string) => method.toUpperCase() as Method;

describe('routes and contract', () => {
  it('the app has exactly the routes of the contract', async () => {
    const documented = operations.map(({ method, path: template }) => `${method} ${template}`.toLowerCase());
    expect((await registeredRoutes()).map((route) => route.toLowerCase()).sort()).toEqual(documented.sort());
  });

  it('a route that the contract does not make public answers 401 without a key and with a wrong key', async () => {
    const http = await startHttp({ AUTH_FAILURE_LIMIT: '0' });
    for (const { method, path: template } of protectedOperations) {
      for (const apikey of [undefined, 'wrong']) {
        const answer = await http.call(toMethod(method), toPath(template, 'shop'), undefined, { apikey });
        expect(answer.status, `${method} ${template}`).toBe(401);
      }
    }
  });

  it('a route of an instance answers 401 for the key of another instance', async () => {
    const http = await startHttp({ AUTH_FAILURE_LIMIT: '0' });
    for (const { method, path: template } of protectedOperations.filter((entry) => entry.path.includes('{instance}'))) {
      const answer = await http.call(toMethod(method), toPath(template, 'shop'), undefined, { apikey: 'other-key' });
      expect(answer.status, `${method} ${template}`).toBe(401);
    }
  });

  it('a route of an instance answers with INSTANCE_NOT_FOUND for an unknown instance', async () => {
    const http = await startHttp();
    for (const { method, path: template } of protectedOperations.filter((entry) => entry.path.includes('{instance}'))) {
      const answer = await http.call(toMethod(method), toPath(template, 'nobody'));
      expect(answer.body, `${method} ${template}`).toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    }
  });

  it('a route that the contract makes public answers 200 without a key', async () => {
    const http = await startHttp();
    for (const { method, path: template } of publicOperations) {
      const answer = await http.call(toMethod(method), template, undefined, { apikey: undefined });
      expect(answer.status, `${method} ${template}`).toBe(200);
    }
  });

  it('no route answers 501', async () => {
    const http = await startHttp();
    for (const { method, path: template } of operations) {
      const answer = await http.call(toMethod(method), toPath(template, 'other'), method === 'post' ? {} : undefined);
      expect(answer.status, `${method} ${template}`).not.toBe(501);
    }
  });
});
