import type pino from 'pino';
import { describe, expect, it } from 'vitest';
import { createLog } from '../src/log.ts';

function captured(write: (log: pino.Logger) => void): Record<string, unknown> {
  const lines: string[] = [];
  write(createLog({ logLevel: 'info' }, { write: (line) => void lines.push(line) }));
  return JSON.parse(lines.join(''));
}

describe('the log', () => {
  it('hides keys and secrets wherever they stand', () => {
    const line = captured((log) => log.info({ apikey: 'k', row: { token: 'k' }, a: { b: { secret: 'k' } } }, 'x'));
    expect(line).toMatchObject({ apikey: '[hidden]', row: { token: '[hidden]' }, a: { b: { secret: '[hidden]' } } });
  });

  it('drops the query of a request, which may hold a phone number', () => {
    const line = captured((log) =>
      log.info({ req: { method: 'GET', url: '/instance/connect/shop?number=15551234567' } }, 'x'),
    );
    expect(line.req).toEqual({ method: 'GET', url: '/instance/connect/shop' });
  });

  it('writes nothing below its level', () => {
    const lines: string[] = [];
    createLog({ logLevel: 'error' }, { write: (line) => void lines.push(line) }).warn('x');
    expect(lines).toEqual([]);
  });
});
