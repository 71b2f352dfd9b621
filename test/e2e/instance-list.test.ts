// The list of instances in pages, by text and by state: one process on SQLite, and two nodes on one PostgreSQL.
import { expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startWorld, type World } from '../support/gateway.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const NUMBER = '15550008101';
const server = sharedPostgres();

/** Starts a world with an open instance `shop`, and with `shed` and `office`, which were never connected. */
async function startThree(env: Record<string, string>): Promise<World> {
  const world = await startWorld({ env });
  await world.link('shop', NUMBER);
  for (const instanceName of ['shed', 'office']) await world.api('POST', '/instance/create', { instanceName });
  return world;
}

async function expectPages(api: Api): Promise<void> {
  const list = async (query: string) => (await api('GET', `/instance/fetchInstances?${query}`)).body;
  expect(await list('')).toMatchObject([{ name: 'shop' }, { name: 'shed' }, { name: 'office' }]);
  expect(await list('page=2&offset=2&fields=summary')).toMatchObject({
    instances: {
      ...{ total: 3, pages: 2, currentPage: 2, states: { open: 1, connecting: 0, close: 2 } },
      records: [{ name: 'office', connectionStatus: 'close' }],
    },
  });
  expect(await list('search=SH&state=close')).toMatchObject([{ name: 'shed', instance: { status: 'close' } }]);
  expect(await list(`search=${NUMBER}&page=1`)).toMatchObject({
    instances: { total: 1, records: [{ name: 'shop', instance: { owner: expect.stringContaining(NUMBER) } }] },
  });
}

it('fetchInstances has pages, a search and a filter by state on SQLite', async () => {
  const { api } = await startThree({});
  await expectPages(api);
});

it('fetchInstances on each node of a cluster lists the instances of all nodes, with pages, search and filter', async () => {
  const world = await startThree({ DATABASE_URL: await server.createDatabase() });
  const otherNode = await world.join();
  for (const api of [world.api, otherNode.api]) await expectPages(api);
});
