// Several nodes as an operator sees them: GET /cluster, the metrics, the row of the dashboard and the manager page.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { at } from '../support/api.ts';
import { expectAccessible, openPage } from '../support/browser.ts';
import { KEY, startWorld } from '../support/gateway.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const server = sharedPostgres();

/** The metrics that the row `Cluster` of the dashboard queries. */
function metricsOfDashboard(): string[] {
  const { panels } = JSON.parse(readFileSync('deploy/grafana.json', 'utf8')) as {
    panels: { type: string; title: string; targets?: { expr: string }[] }[];
  };
  const start = panels.findIndex(({ type, title }) => type === 'row' && title === 'Cluster');
  const following = panels.slice(start + 1);
  const end = following.findIndex(({ type }) => type === 'row');
  const row = end < 0 ? following : following.slice(0, end);
  return row.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => expr.match(/gateway_[a-z_]+/g) ?? []));
}

async function scrape(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`, { headers: { apikey: KEY } })).text();
}

describe('a cluster of two nodes with four instances', () => {
  it('GET /cluster, the metrics and the manager page show two nodes with two instances each', async () => {
    const env = { DATABASE_URL: await server.createDatabase(), LEASE_TTL: '3', NODE_NAME: 'first' };
    const world = await startWorld({ env: { ...env, SERVER_DISABLE_MANAGER: 'false' } });
    for (const name of ['a', 'b', 'c', 'd']) await world.api('POST', '/instance/create', { instanceName: name });
    const secondNode = await world.join({ NODE_NAME: 'second' });
    // A node reports its number of instances with its next heartbeat. Until then, another node can release too many
    // instances and claim them again.
    const readDistribution = async () => {
      const listed = (await world.api('GET', '/instance/fetchInstances')).body as { node: string }[];
      const { body } = await secondNode.api('GET', '/cluster');
      return { nodes: listed.map(({ node }) => node).sort(), shares: at(body, 'nodes') };
    };
    await expect.poll(readDistribution).toMatchObject({
      nodes: ['first', 'first', 'second', 'second'],
      shares: [
        { name: 'first', state: 'live', instances: 2 },
        { name: 'second', state: 'live', instances: 2 },
      ],
    });
    const { body } = await secondNode.api('GET', '/cluster');
    expect(body).toMatchObject({ enabled: true, node: { name: 'second' }, instances: 4, orphans: 0, leaseTtl: 3 });

    const metrics = await scrape(world.api.url);
    expect(metrics).toMatch(/^gateway_leases 2$/m);
    expect(metrics).toMatch(/^gateway_nodes\{state="live"\} 2$/m);
    expect(metrics).toMatch(/^gateway_nodes\{state="silent"\} 0$/m);
    expect(metrics).toMatch(/^gateway_lease_changes_total\{change="released"\} [1-9]$/m);
    expect(metrics).toMatch(/^gateway_heartbeat_age_seconds [\d.e-]+$/m);
    expect(await scrape(secondNode.api.url)).toMatch(/^gateway_lease_changes_total\{change="claimed"\} [1-9]$/m);
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => secondNode.api('GET', `/instance/connectionState/${name}`)));
    expect(await scrape(secondNode.api.url)).toMatch(/^gateway_forwarded_requests_total\{outcome="answered"\} 2$/m);
    const allMetrics = metrics + (await scrape(secondNode.api.url));
    expect(metricsOfDashboard().length).toBeGreaterThan(6);
    expect(metricsOfDashboard().filter((name) => !allMetrics.includes(`\n${name}`))).toEqual([]);

    // This gateway has no access to the phones of the sandbox.
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
    await secondNode.gateway.stop();
    await page.getByText('4 instances on 1 node.').waitFor();
  });
});
