import { describe, expect, it } from 'vitest';
import { spec, yamlText } from '../../contract/document.ts';
import { countTurns } from '../../support/turns.ts';
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
    const { turns } = await countTurns(() => http.call('GET', '/openapi.json', undefined, noKey));
    // On the main thread it takes a handful of turns of the event loop, however long each lasts.
    expect(turns).toBeGreaterThan(100);
  });
});
