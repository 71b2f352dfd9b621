// Checks of the keys that every route of the running app accepts. A new route without an instance in its path needs an
// entry in the lists below.
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccessScope } from '../../src/storage/access-stores.ts';
import { startHttp } from '../support/http-fixture.ts';
import { operations } from '../support/openapi-document.ts';
import { routesOf } from './registered-routes.ts';

/** The paths that need no key, besides the documentation and the manager page. */
const PUBLIC_PATHS = ['/', '/livez', '/readyz', '/openapi.yaml', '/openapi.json'];
const isPublic = (path: string) => PUBLIC_PATHS.includes(path) || /^\/(docs|manager)/.test(path);
const OPERATION_ROUTES = ['get /metrics', 'head /metrics', 'get /log/level', 'post /log/level', 'get /cluster'];
const KEY_ROUTES = ['get /keys', 'post /keys', 'delete /keys/{id}', 'post /keys/{id}/rotate', 'get /audit'];
/** Routes that create instances. */
const INSTANCE_ROUTES = ['post /instance/create', 'post /instance/import'];
/** Routes that no key of an instance may call. */
const SERVICE_ROUTES = [
  ...INSTANCE_ROUTES,
  'get /webhook/global',
  'post /webhook/global/test',
  ...KEY_ROUTES,
  ...OPERATION_ROUTES,
];
/** Routes for every key: the list of instances, which shows those of the key, and the check of a key. */
const SHARED_ROUTES = ['get /instance/fetchinstances', 'head /instance/fetchinstances', 'post /verify-creds'];

const pages = { SERVER_DISABLE_DOCS: 'false', SERVER_DISABLE_MANAGER: 'false' };

let routes: { route: string; method: 'GET'; path: string }[];
beforeEach(async () => {
  const { app } = await startHttp(pages);
  routes = (await routesOf(app)).map((route) => {
    const [method = '', path = ''] = route.split(' ');
    return { route: route.toLowerCase(), method: method.toUpperCase() as 'GET', path };
  });
});

const toUrl = (path: string, instance: string) => path.replace('{instance}', instance).replace(/\{\w+\}/g, 'x');
const closedRoutes = () => routes.filter(({ path }) => !isPublic(path));
const bodyOf = (method: string) => (method === 'GET' || method === 'HEAD' ? undefined : {});

async function statusesOf(list: typeof routes, apikey: string | undefined, instance = 'shop') {
  const http = await startHttp({ ...pages, AUTH_FAILURE_LIMIT: '0' });
  const statuses: Record<string, number> = {};
  for (const { route, method, path } of list) {
    statuses[route] = (
      await http.app.inject({
        method,
        url: toUrl(path, instance),
        headers: apikey ? { apikey } : {},
        payload: bodyOf(method),
      })
    ).statusCode;
  }
  return statuses;
}
const statusOfEach = (list: typeof routes, status: number) =>
  Object.fromEntries(list.map(({ route }) => [route, status]));

describe('access to routes', () => {
  it('every route that is not public answers 401 without a key and with a wrong key', async () => {
    expect(closedRoutes().length).toBeGreaterThan(50);
    for (const apikey of [undefined, 'wrong', 'undefined', 'SHOP-KEY']) {
      expect(await statusesOf(closedRoutes(), apikey), String(apikey)).toEqual(statusOfEach(closedRoutes(), 401));
    }
  });

  it('every public route answers 200 or 302 without a key', async () => {
    const open = routes.filter(({ path }) => isPublic(path) && !path.includes('*'));
    expect(open.map(({ path }) => path)).toEqual(expect.arrayContaining(PUBLIC_PATHS));
    for (const status of Object.values(await statusesOf(open, undefined))) expect([200, 302]).toContain(status);
  });

  it('a route of an instance rejects the key of another instance, and other routes reject every instance key', async () => {
    const ofInstances = closedRoutes().filter(({ path }) => path.includes('{instance}'));
    expect(await statusesOf(ofInstances, 'other-key')).toEqual(statusOfEach(ofInstances, 401));
    const others = closedRoutes().filter(
      ({ path, route }) => !path.includes('{instance}') && !SHARED_ROUTES.includes(route),
    );
    expect(others.map(({ route }) => route)).toEqual(expect.arrayContaining(SERVICE_ROUTES));
    expect(others).toHaveLength(SERVICE_ROUTES.length);
    expect(await statusesOf(others, 'other-key')).toEqual(statusOfEach(others, 401));
  });

  it('a route takes the instance only from the path, not from the query, the body or the headers', async () => {
    const otherInstance = { instance: 'other', instanceName: 'other', instanceId: 'id-of-other', id: 'id-of-other' };
    const query = new URLSearchParams(otherInstance);
    const { app, instances, manager } = await startHttp({ AUTH_FAILURE_LIMIT: '0' });
    const shop = instances.get('shop');
    const other = structuredClone(instances.get('other')?.row);
    const requestedNames = new Set<string>();
    const { get } = manager;
    manager.get = (name) => {
      requestedNames.add(name);
      return get(name);
    };
    for (const { method, path } of closedRoutes().filter((one) => one.path.includes('{instance}'))) {
      requestedNames.clear();
      // One of the operations deletes the instance.
      if (shop) instances.set('shop', shop);
      await app.inject({
        method,
        url: `${toUrl(path, 'shop')}?${query}`,
        headers: { apikey: 'shop-key', instance: 'other', 'x-instance': 'other' },
        payload: bodyOf(method) && { ...otherInstance, number: '15551234567', textMessage: { text: 'x' } },
      });
      expect([...requestedNames], `${method} ${path}`).toEqual(['shop']);
      expect(instances.get('other')?.row, path).toEqual(other);
      expect(instances.get('other')?.calls, path).toEqual([]);
    }
  });

  it('a route accepts keys with the scope that the contract documents and rejects keys with the other scopes', async () => {
    const scopes = ['read', 'send', 'admin'] as const;
    const guarded = operations.filter(({ operation }) => operation.security?.length !== 0);
    const unknown = guarded.filter(({ operation }) => !['any', ...scopes].includes(operation['x-scope'] ?? ''));
    expect(unknown.map(({ operation }) => operation.operationId)).toEqual([]);
    const without403 = guarded.filter(({ operation }) => operation['x-scope'] !== 'any' && !operation.responses['403']);
    expect(without403.map(({ operation }) => operation.operationId)).toEqual([]);
    const http = await startHttp({ AUTH_FAILURE_LIMIT: '0', SERVER_DISABLE_DOCS: 'false' });
    const keyFor = async (...keyScopes: AccessScope[]) =>
      (await http.keys.create({ name: 'k', scopes: keyScopes, instanceId: null, expiresAt: null })).key;
    const shop = http.instances.get('shop');
    for (const scope of scopes) {
      const [own, others] = [await keyFor(scope), await keyFor(...scopes.filter((other) => other !== scope))];
      for (const { method, path, operation } of guarded.filter((entry) => entry.operation['x-scope'] === scope)) {
        // One of the operations deletes the instance.
        if (shop) http.instances.set('shop', shop);
        const url = toUrl(path, 'shop');
        const verb = method.toUpperCase() as 'GET';
        const bodyFor = async (apikey: string) =>
          (await http.app.inject({ method: verb, url, headers: { apikey }, payload: bodyOf(verb) })).body;
        expect(await bodyFor(others), operation.operationId).toContain('"code":"SCOPE_MISSING"');
        expect(await bodyFor(own), operation.operationId).not.toMatch(/"code":"(SCOPE_MISSING|UNAUTHORIZED)"/);
      }
    }
  });
});
