import { describe, expect, it } from 'vitest';
import { countTurns } from '../../support/event-loop-turns.ts';
import { startHttp } from '../../support/http-fixture.ts';
import { spec, yamlText } from '../../support/openapi-document.ts';

const noKey = { apikey: undefined };

describe('the OpenAPI document', () => {
  it('GET /openapi.yaml returns the document as it is written, and GET /openapi.json returns it as JSON', async () => {
    const http = await startHttp();
    const yaml = await http.call('GET', '/openapi.yaml', undefined, noKey);
    expect(yaml.headers['content-type']).toMatch(/yaml/);
    expect(yaml.text).toBe(yamlText);
    expect((await http.call('GET', '/openapi.json', undefined, noKey)).body).toEqual(spec);
  });

  it('GET /openapi.json does not block the event loop while it converts the document', async () => {
    const http = await startHttp();
    const { turns } = await countTurns(() => http.call('GET', '/openapi.json', undefined, noKey));
    // On the main thread, the conversion would take only a few turns of the event loop, each of them long.
    expect(turns).toBeGreaterThan(100);
  });
});
