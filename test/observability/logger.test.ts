import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { createLogger, createTerminalStream, logOptions } from '../../src/observability/logger.ts';

function lineOf(write: (log: pino.Logger) => void): Record<string, unknown> {
  const lines: string[] = [];
  write(createLogger({ logLevel: 'info' }, { write: (line) => void lines.push(line) }));
  return JSON.parse(lines.join(''));
}

describe('the log', () => {
  it('the log hides keys and secrets, also in nested objects', () => {
    const line = lineOf((log) => log.info({ apikey: 'k', row: { token: 'k' }, a: { b: { secret: 'k' } } }, 'x'));
    expect(line).toMatchObject({ apikey: '[hidden]', row: { token: '[hidden]' }, a: { b: { secret: '[hidden]' } } });
  });

  it('the log has the same lines as pino, byte for byte, although it does not redact primitive values', () => {
    const circular: Record<string, unknown> = { secret: 'k' };
    circular.self = circular;
    const err = Object.assign(new Error('it "failed"'), { code: 'E', token: 'k', cause: new Error('why') });
    err.stack = 'Error: a stack\n    at here';
    const members = {
      instance: 'shop',
      quotes: 'a "b" \\ \n \u2028 \u0000 \ud800 é 🙂',
      empty: '',
      count: 3,
      ratio: 0.1,
      nan: Number.NaN,
      infinite: Number.NEGATIVE_INFINITY,
      negativeZero: -0,
      nothing: null,
      absent: undefined,
      call: () => 'x',
      symbol: Symbol('s'),
      yes: true,
      no: false,
      big: 12n,
      token: 'k',
      secret: true,
      password: null,
      apikey: 5,
      date: new Date(0),
      boxed: Object('text'),
      list: ['a', 1, null, { token: 'k' }, { nested: { secret: 'k' } }],
      row: { token: 'k', count: 1, nothing: null, deep: { secret: 'k', deeper: { secret: 'seen' } } },
      req: { method: 'GET', url: '/a?token=k' },
      circular,
      err,
    };
    const linesOf = (create: (destination: pino.DestinationStream) => pino.Logger) => {
      const lines: string[] = [];
      const log = create({ write: (line) => void lines.push(line.replace(/"time":\d+/, '"time":0')) });
      const child = log.child({ instance: 'a "b"', token: 'k', nested: { secret: 'k' }, size: Number.NaN, none: null });
      const named = child.child({ part: 'x' }, { level: 'info', serializers: { count: (value: number) => value + 1 } });
      for (const logger of [log, child, named]) {
        logger.info(members, 'a "message"\n');
        logger.warn('an object in the text: %o %s %d', { token: 'k', a: 'b' }, 'text', 5);
        logger.error(err);
        logger.info({ ...members, msg: 'in the object' });
        for (const [name, value] of Object.entries(members)) logger.info({ [name]: value }, name);
      }
      return lines;
    };
    const plain = linesOf((destination) => pino(logOptions('info'), destination));
    expect(linesOf((destination) => createLogger({ logLevel: 'info' }, destination))).toEqual(plain);
    expect(plain.length).toBeGreaterThan(80);
  });

  it('the log does not pass primitive values to the redaction of pino', () => {
    const log = createLogger({ logLevel: 'info' }, { write: () => undefined });
    const stringifiers: object = Reflect.get(log, pino.symbols.stringifiersSym);
    expect(Reflect.get(stringifiers, pino.symbols.wildcardFirstSym)).toHaveProperty('name', 'stringify');
  });

  it('the log drops the query of a request, which can contain a phone number', () => {
    const line = lineOf((log) =>
      log.info({ req: { method: 'GET', url: '/instance/connect/shop?number=15551234567' } }, 'x'),
    );
    expect(line.req).toEqual({ method: 'GET', url: '/instance/connect/shop' });
  });

  it('the log is readable text in a terminal, and JSON elsewhere', async () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true, hasColors: () => false });
    const log = createLogger({ logLevel: 'info' }, await createTerminalStream(terminal));
    log.info({ instance: 'shop', token: 'k' }, 'instance.created');
    const [chunk] = await once(terminal, 'data');
    expect(String(chunk)).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: instance\.created\n/);
    expect(String(chunk)).toContain('instance: "shop"');
    expect(String(chunk)).toContain('[hidden]');
    expect(await createTerminalStream(new PassThrough())).toBeUndefined();
  });

  it('the log has no lines below its level', () => {
    const lines: string[] = [];
    createLogger({ logLevel: 'error' }, { write: (line) => void lines.push(line) }).warn('x');
    expect(lines).toEqual([]);
  });
});
