import { describe, expect, it } from 'vitest';
import { ServerUrl } from '../../src/lib/server-url.ts';

const http = { serverUrl: '', serverType: 'http', host: '127.0.0.1', port: 8080 } as const;

describe('ServerUrl', () => {
  it.each([
    [{}, 'http://127.0.0.1:8080'],
    [{ host: '10.1.2.3' }, 'http://10.1.2.3:8080'],
    [{ host: 'gate.example' }, 'http://gate.example:8080'],
    [{ host: 'localhost' }, 'http://localhost:8080'],
    [{ host: '::1' }, 'http://[::1]:8080'],
    [{ host: 'fd00::5', serverType: 'https' as const }, 'https://[fd00::5]:8080'],
    [{ host: '0.0.0.0' }, 'http://localhost:8080'],
    [{ host: '::' }, 'http://localhost:8080'],
    [{ host: '' }, 'http://localhost:8080'],
    [{ serverUrl: 'https://gate.example' }, 'https://gate.example'],
  ])('ServerUrl with the options %j has the base URL %s', (options, expected) => {
    const url = new ServerUrl({ ...http, ...options });
    expect(url.current).toBe(expected);
    expect(URL.canParse(url.current)).toBe(true);
  });

  it('ServerUrl has the port of the server after setPort()', () => {
    const url = new ServerUrl({ ...http, port: 0 });
    url.setPort(41234);
    expect(url.current).toBe('http://127.0.0.1:41234');
  });
});
