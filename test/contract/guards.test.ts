// Every route of the running app and who may use it. A route without an entry is closed, or this fails.
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccessScope } from '../../src/storage/access-stores.ts';
import { startHttp } from '../http/routes/fixture.ts';
import { operations } from './document.ts';
import { routesOf } from './registered.ts';

/** The only ones without a key. */
const PUBLIC = ['/', '/livez', '/readyz', '/openapi.yaml', '/openapi.json'];
const isPublic = (path: string) => PUBLIC.includes(path) || /^\/(docs|manager)/.test(path);
const OPERATE = ['get /metrics', 'head /metrics', 'get /log/level', 'post /log/level', 'get /cluster'];
const KEYS = ['get /keys', 'post /keys', 'delete /keys/{id}', 'post /keys/{id}/rotate', 'get /audit'];
/** Those of keys that are of no instance. */
const INSTANCES = ['post /instance/create', 'post /instance/import'];
const SERVICE = [...INSTANCES, 'get /webhook/global', 'post /webhook/global/test', ...KEYS, ...OPERATE];
/** The list of instances, of which every key sees its own, and the question whether a key is good. */
const RECORD = ['get /instance/fetchinstances', 'head /instance/fetchinstances', 'post /verify-creds'];

const pages = { SERVER_DISABLE_DOCS: 'false', SERVER_DISABLE_MANAGER: 'false' };

let routes: { route: string; method: 'GET'; path: string }[];
beforeEach(async () => {
  const { app } = await startHttp(pages);
  routes = (await routesOf(app)).map((route) => {
    const [method = '', path = ''] = route.split(' ');
    return { route: route.toLowerCase(), method: method.toUpperCase() as 'GET', path };
  });
});

const on = (path: string, instance: string) => path.replace('{instance}', instance).replace(/\{\w+\}/g, 'x');
const closed = () => routes.filter(({ path }) => !isPublic(path));
const bodyOf = (method: string) => (method === 'GET' || method === 'HEAD' ? undefined : {});

async function statusesOf(list: typeof routes, apikey: string | undefined, instance = 'shop') {
  const http = await startHttp({ ...pages, AUTH_FAILURE_LIMIT: '0' });
  const found: Record<string, number> = {};
  for (const { route, method, path } of list) {
    found[route] = (
      await http.app.inject({
        method,
        url: on(path, instance),
        headers: apikey ? { apikey } : {},
        payload: bodyOf(method),
      })
    ).statusCode;
  }
  return found;
}
const every = (list: typeof routes, status: number) => Object.fromEntries(list.map(({ route }) => [route, status]));

describe('every route', () => {
  it('is closed without a key and with a wrong one, but for those on the list', async () => {
    expect(closed().length).toBeGreaterThan(50);
    for (const apikey of [undefined, 'wrong', 'undefined', 'SHOP-KEY']) {
      expect(await statusesOf(closed(), apikey), String(apikey)).toEqual(every(closed(), 401));
    }
  });

  it('on the list is open', async () => {
    const open = routes.filter(({ path }) => isPublic(path) && !path.includes('*'));
    expect(open.map(({ path }) => path)).toEqual(expect.arrayContaining(PUBLIC));
    for (const status of Object.values(await statusesOf(open, undefined))) expect([200, 302]).toContain(status);
  });

  it('of an instance is closed to the key of another one, and every other one to keys of instances', async () => {
    const ofInstances = closed().filter(({ path }) => path.includes('{instance}'));
    expect(await statusesOf(ofInstances, 'other-key')).toEqual(every(ofInstances, 401));
    const others = closed().filter(({ path, route }) => !path.includes('{instance}') && !RECORD.includes(route));
    expect(others.map(({ route }) => route)).toEqual(expect.arrayContaining(SERVICE));
    expect(others).toHaveLength(SERVICE.length);
    expect(await statusesOf(others, 'other-key')).toEqual(every(others, 401));
  });

  it('takes the instance from the path alone, not from query, body and headers', async () => {
    const elsewhere = { instance: 'other', instanceName: 'other', instanceId: 'id-of-other', id: 'id-of-other' };
    const query = new URLSearchParams(elsewhere);
    const { app, instances, manager } = await startHttp({ AUTH_FAILURE_LIMIT: '0' });
    const shop = instances.get('shop');
    const other = structuredClone(instances.get('other')?.row);
    const asked = new Set<string>();
    const { get } = manager;
    manager.get = (name) => {
      asked.add(name);
      return get(name);
    };
    for (const { method, path } of closed().filter((one) => one.path.includes('{instance}'))) {
      asked.clear();
      // One of the operations deletes it.
      if (shop) instances.set('shop', shop);
      await app.inject({
        method,
        url: `${on(path, 'shop')}?${query}`,
        headers: { apikey: 'shop-key', instance: 'other', 'x-instance': 'other' },
        payload: bodyOf(method) && { ...elsewhere, number: '15551234567', textMessage: { text: 'x' } },
      });
      expect([...asked], `${method} ${path}`).toEqual(['shop']);
      expect(instances.get('other')?.row, path).toEqual(other);
      expect(instances.get('other')?.calls, path).toEqual([]);
    }
  });

  it('is open to keys with its scope and to no others, and the contract says which that is', async () => {
    const scopes = ['read', 'send', 'admin'] as const;
    const guarded = operations.filter(({ operation }) => operation.security?.length !== 0);
    const unknown = guarded.filter(({ operation }) => !['any', ...scopes].includes(operation['x-scope'] ?? ''));
    expect(unknown.map(({ operation }) => operation.operationId)).toEqual([]);
    const unanswered = guarded.filter(({ operation }) => operation['x-scope'] !== 'any' && !operation.responses['403']);
    expect(unanswered.map(({ operation }) => operation.operationId)).toEqual([]);
    const http = await startHttp({ AUTH_FAILURE_LIMIT: '0', SERVER_DISABLE_DOCS: 'false' });
    const keyFor = async (...wanted: AccessScope[]) =>
      (await http.keys.create({ name: 'k', scopes: wanted, instanceId: null, expiresAt: null })).key;
    const shop = http.instances.get('shop');
    for (const scope of scopes) {
      const [own, others] = [await keyFor(scope), await keyFor(...scopes.filter((other) => other !== scope))];
      for (const { method, path, operation } of guarded.filter((each) => each.operation['x-scope'] === scope)) {
        // One of the operations deletes it.
        if (shop) http.instances.set('shop', shop);
        const url = on(path, 'shop');
        const verb = method.toUpperCase() as 'GET';
        const ask = async (apikey: string) =>
          (await http.app.inject({ method: verb, url, headers: { apikey }, payload: bodyOf(verb) })).body;
        expect(await ask(others), operation.operationId).toContain('"code":"SCOPE_MISSING"');
        expect(await ask(own), operation.operationId).not.toMatch(/"code":"(SCOPE_MISSING|UNAUTHORIZED)"/);
      }
    }
  });
});
