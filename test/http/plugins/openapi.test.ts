import { describe, expect, it } from 'vitest';
import { spec, yamlText } from '../../contract/document.ts';
import { startHttp } from '../routes/fixture.ts';

const noKey = { apikey: undefined };

describe('the contract', () => {
  it('is served as it is written, and as JSON', async () => {
    const http = await startHttp();
    const yaml = await http.call('GET', '/openapi.yaml', undefined, noKey);
    expect(yaml.headers['content-type']).toMatch(/yaml/);
    expect(yaml.text).toBe(yamlText);
    expect((await http.call('GET', '/openapi.json', undefined, noKey)).body).toEqual(spec);
  });

  it('is converted to JSON while other work goes on', async () => {
    const http = await startHttp();
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns++;
      if (!isDone) setImmediate(turn);
    };
    turn();
    await http.call('GET', '/openapi.json', undefined, noKey);
    isDone = true;
    // On the main thread it takes a handful of turns of the event loop, however long each lasts.
    expect(turns).toBeGreaterThan(100);
  });

  it('can be read at /docs with nothing from another host', async () => {
    const http = await startHttp({ SERVER_DISABLE_DOCS: 'false' });
    const page = await http.call('GET', '/docs', undefined, noKey);
    expect(page.status).toBe(200);
    const csp = String(page.headers['content-security-policy']);
    expect(csp).toMatch(/default-src 'none'; script-src 'self';/);
    expect(csp).not.toMatch(/https?:|unsafe-eval/);
    const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file ?? '');
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) {
      const answer = await http.call('GET', file, undefined, noKey);
      expect(answer.status, file).toBe(200);
    }
  });

  it('is what the page reads', async () => {
    const http = await startHttp({ SERVER_DISABLE_DOCS: 'false' });
    const answer = await http.call('GET', '/docs/json', undefined, noKey);
    expect(answer.status).toBe(302);
    expect(new URL(String(answer.headers.location), 'http://host/docs/json').pathname).toBe('/openapi.json');
  });

  it('has no page when the operator says so', async () => {
    const http = await startHttp({ SERVER_DISABLE_DOCS: 'true' });
    expect((await http.call('GET', '/docs')).status).toBe(404);
    expect((await http.call('GET', '/')).body).not.toHaveProperty('swagger');
  });
});
