// What an operator sees of several nodes: GET /cluster, the metrics, the dashboard's row and the page.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { at } from '../support/api.ts';
import { expectAccessible, openPage } from '../support/browser.ts';
import { KEY, startWorld } from '../support/gateway.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const server = sharedPostgres();

/** What the row `Cluster` of the dashboard asks for. */
function asked(): string[] {
  const { panels } = JSON.parse(readFileSync('deploy/grafana.json', 'utf8')) as {
    panels: { type: string; title: string; targets?: { expr: string }[] }[];
  };
  const from = panels.findIndex(({ type, title }) => type === 'row' && title === 'Cluster');
  const rest = panels.slice(from + 1);
  const to = rest.findIndex(({ type }) => type === 'row');
  const row = to < 0 ? rest : rest.slice(0, to);
  return row.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => expr.match(/gateway_[a-z_]+/g) ?? []));
}

async function scrape(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`, { headers: { apikey: KEY } })).text();
}

describe('four instances on two nodes', () => {
  it('are shown with their nodes, counted at each, and found by who looks for what is wrong', async () => {
    const env = { DATABASE_URL: await server.createDatabase(), LEASE_TTL: '3', NODE_NAME: 'first' };
    const world = await startWorld({ env: { ...env, SERVER_DISABLE_MANAGER: 'false' } });
    for (const name of ['a', 'b', 'c', 'd']) await world.api('POST', '/instance/create', { instanceName: name });
    const other = await world.join({ NODE_NAME: 'second' });
    // Each says how much it has with its next sign of life; until then others may give it too much, and get it back.
    const settled = async () => {
      const listed = (await world.api('GET', '/instance/fetchInstances')).body as { node: string }[];
      const { body } = await other.api('GET', '/cluster');
      return { nodes: listed.map(({ node }) => node).sort(), shares: at(body, 'nodes') };
    };
    await expect.poll(settled).toMatchObject({
      nodes: ['first', 'first', 'second', 'second'],
      shares: [
        { name: 'first', state: 'live', instances: 2 },
        { name: 'second', state: 'live', instances: 2 },
      ],
    });
    const { body } = await other.api('GET', '/cluster');
    expect(body).toMatchObject({ enabled: true, node: { name: 'second' }, instances: 4, orphans: 0, leaseTtl: 3 });

    const text = await scrape(world.api.url);
    expect(text).toMatch(/^gateway_leases 2$/m);
    expect(text).toMatch(/^gateway_nodes\{state="live"\} 2$/m);
    expect(text).toMatch(/^gateway_nodes\{state="silent"\} 0$/m);
    expect(text).toMatch(/^gateway_lease_changes_total\{change="released"\} [1-9]$/m);
    expect(text).toMatch(/^gateway_heartbeat_age_seconds [\d.e-]+$/m);
    expect(await scrape(other.api.url)).toMatch(/^gateway_lease_changes_total\{change="claimed"\} [1-9]$/m);
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => other.api('GET', `/instance/connectionState/${name}`)));
    expect(await scrape(other.api.url)).toMatch(/^gateway_forwarded_requests_total\{outcome="answered"\} 2$/m);
    const both = text + (await scrape(other.api.url));
    expect(asked().length).toBeGreaterThan(6);
    expect(asked().filter((name) => !both.includes(`\n${name}`))).toEqual([]);

    // The phones of the sandbox are not beside this gateway.
    const page = await openPage({}, [/status of 404/]);
    await page.goto(`${world.api.url}/manager`);
    await page.getByLabel('API key').fill(KEY);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('On second').first().waitFor();
    await page.getByRole('link', { name: 'Nodes' }).click();
    await page.getByText('4 instances on 2 nodes').waitFor();
    await page.getByText('2 (50 %)').first().waitFor();
    expect(await page.getByText('Live').count()).toBe(2);
    await expectAccessible(page);
    await other.gateway.stop();
    await page.getByText('4 instances on 1 node.').waitFor();
  });
});
