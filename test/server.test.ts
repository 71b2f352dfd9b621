import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** Runs the entry with nothing but `env` until it ends. */
const run = (env: Record<string, string>, entry = 'src/server.ts') =>
  spawnSync(process.execPath, [entry], { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' });

describe('the process', () => {
  it('ends with 1 and one sentence for every setting that is wrong, before it opens anything', () => {
    const { status, stdout, stderr } = run({ API_KEY: 'short', PORT: 'eighty', DATABASE_URL: 'mysql://h/d' });
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr.split('\n')).toEqual([
      'messaging-gateway: invalid configuration:',
      '  - PORT must be integer',
      '  - API_KEY must have at least 16 characters',
      '  - DATABASE_URL must be a postgres:// URL',
      '',
    ]);
  });

  it('says the same in the same words when it is the sandbox', () => {
    const { status, stdout, stderr } = run({ PORT: 'eighty' }, 'src/sandbox/cli.ts');
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toBe('messaging-gateway sandbox: invalid configuration:\n  - PORT must be integer\n');
  });
});
