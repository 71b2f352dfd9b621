import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type pino from 'pino';
import { describe, expect, it } from 'vitest';
import { createLogger, createTerminalStream } from '../../src/observability/logger.ts';

function captured(write: (log: pino.Logger) => void): Record<string, unknown> {
  const lines: string[] = [];
  write(createLogger({ logLevel: 'info' }, { write: (line) => void lines.push(line) }));
  return JSON.parse(lines.join(''));
}

describe('the log', () => {
  it('hides keys and secrets in all places', () => {
    const line = captured((log) => log.info({ apikey: 'k', row: { token: 'k' }, a: { b: { secret: 'k' } } }, 'x'));
    expect(line).toMatchObject({ apikey: '[hidden]', row: { token: '[hidden]' }, a: { b: { secret: '[hidden]' } } });
  });

  it('drops the query of a request, which may hold a phone number', () => {
    const line = captured((log) =>
      log.info({ req: { method: 'GET', url: '/instance/connect/shop?number=15551234567' } }, 'x'),
    );
    expect(line.req).toEqual({ method: 'GET', url: '/instance/connect/shop' });
  });

  it('is for people in a terminal and JSON anywhere else', async () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true, hasColors: () => false });
    const log = createLogger({ logLevel: 'info' }, await createTerminalStream(terminal));
    log.info({ instance: 'shop', token: 'k' }, 'instance.created');
    const [chunk] = await once(terminal, 'data');
    expect(String(chunk)).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: instance\.created\n/);
    expect(String(chunk)).toContain('instance: "shop"');
    expect(String(chunk)).toContain('[hidden]');
    expect(await createTerminalStream(new PassThrough())).toBeUndefined();
  });

  it('writes nothing below its level', () => {
    const lines: string[] = [];
    createLogger({ logLevel: 'error' }, { write: (line) => void lines.push(line) }).warn('x');
    expect(lines).toEqual([]);
  });
});
