import { describe, expect, it } from 'vitest';
import { LazyChildLogger } from '../../../src/http/plugins/request-log.ts';
import { createLogger } from '../../../src/observability/logger.ts';

describe('LazyChildLogger', () => {
  const lines: string[] = [];
  const log = createLogger({ logLevel: 'info' }, { write: (line) => void lines.push(line) });

  it('LazyChildLogger adds its bindings to each line, hides secrets, and writes no line below the level', () => {
    const child = new LazyChildLogger(log, { requestId: 'r' });
    child.debug('x');
    expect(lines).toEqual([]);
    child.info({ apikey: 'k' }, 'done');
    child.child({ part: 2 }).warn('again');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { requestId: 'r', apikey: '[hidden]', msg: 'done' },
      { requestId: 'r', part: 2, msg: 'again' },
    ]);
  });
});
