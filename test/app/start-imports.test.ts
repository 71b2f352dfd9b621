// Large packages that a start does not load, because most gateways never need them.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

/** The URLs of modules and the internal modules of Node that the import of src/app/compose.ts loads. */
let loadedUrls: readonly string[] = [];
let internalModules: readonly string[] = [];

beforeAll(() => {
  const program = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
    await import(${JSON.stringify(resolve('src/app/compose.ts'))});
    process.stdout.write(JSON.stringify({ urls, internal: process.moduleLoadList }));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  ({ urls: loadedUrls, internal: internalModules } = JSON.parse(stdout));
});

describe('imports of a start', () => {
  it('a start of the gateway loads Baileys, which shows that the test sees the loaded modules', () => {
    expect(loadedUrls.some((url) => url.includes('/node_modules/@whiskeysockets/baileys/'))).toBe(true);
  });

  it.each([
    ['the renderer of QR codes', '/node_modules/qrcode/'],
    ['the parser of link previews', '/node_modules/htmlparser2/'],
    ['the decoder of MP3', '/node_modules/mpg123-decoder/'],
    ['the decoder of Ogg/Opus', '/node_modules/ogg-opus-decoder/'],
    ['the image library', '/node_modules/sharp/'],
    ['the reader of sound files', '/node_modules/music-metadata/'],
    ['the analytics events of Baileys', '/node_modules/@whiskeysockets/baileys/lib/WAM/constants.js'],
    ['PostgreSQL', '/node_modules/pg/'],
    ['the default metrics of prom-client', '/node_modules/@opentelemetry/'],
    ['socket.io', '/node_modules/socket.io/'],
    ['the fetch of undici', '/node_modules/undici/lib/web/fetch/index.js'],
    ['the mocks of undici', '/node_modules/undici/lib/mock/'],
  ])('a start of the gateway does not load %s', (_, part) => {
    expect(loadedUrls.filter((url) => url.includes(part))).toEqual([]);
  });

  it('a start of the gateway does not load the WebSocket client of Node', () => {
    expect(internalModules).toContain('NativeModule http');
    expect(internalModules.filter((name) => name.includes('undici'))).toEqual([]);
  });
});
