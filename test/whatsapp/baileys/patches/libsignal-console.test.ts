import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  installLibsignalConsole,
  LIBSIGNAL_MESSAGES,
} from '../../../../src/whatsapp/baileys/patches/libsignal-console.ts';

const require = createRequire(import.meta.url);
const libsignal = require('libsignal');
const sources = join(dirname(require.resolve('libsignal')), 'src');

/** Returns a console, and the arguments of its calls. */
const createConsole = () => {
  const lines: unknown[][] = [];
  const print = (...line: unknown[]) => void lines.push(line);
  return { lines, console: { info: print, warn: print, error: print } };
};

describe('installLibsignalConsole', () => {
  it('LIBSIGNAL_MESSAGES contains all messages of the installed libsignal', () => {
    const lines: string[] = [];
    for (const name of readdirSync(sources).filter((file) => file.endsWith('.js'))) {
      const code = readFileSync(join(sources, name), 'utf8').replace(/^\s*\/\/.*$/gm, '');
      for (const [, text] of code.matchAll(/console\.\w+\(\s*["']([^"']*)["']/g)) lines.push(text ?? '');
      expect(code.match(/console\.\w+\(/g)?.length ?? 0).toBe(code.match(/console\.\w+\(\s*["']/g)?.length ?? 0);
    }
    expect(lines.length).toBeGreaterThan(10);
    expect([...new Set(lines)].sort()).toEqual([...LIBSIGNAL_MESSAGES].sort());
  });

  it('installLibsignalConsole() drops the lines about closed and opened sessions', () => {
    const original = { info: console.info, warn: console.warn, error: console.error };
    const { lines, console: target } = createConsole();
    Object.assign(console, target);
    const undo = installLibsignalConsole();
    try {
      const record = new libsignal.SessionRecord();
      const entry = { indexInfo: { closed: -1, baseKey: Buffer.from('b') }, currentRatchet: { rootKey: 'secret' } };
      record.setSession(entry);
      record.closeSession(entry);
      record.closeSession(entry);
      record.openSession(entry);
      record.openSession(entry);
    } finally {
      undo();
      Object.assign(console, original);
    }
    expect(lines).toEqual([]);
  });

  it('installLibsignalConsole() passes all other lines on', () => {
    const { lines, console: target } = createConsole();
    installLibsignalConsole(target);
    target.info('Closing sessions: 3');
    target.warn(new Error('Session error:'));
    target.error('Session error:SessionError: No matching sessions', 'stack');
    expect(lines).toHaveLength(2);
  });

  it('installLibsignalConsole() is idempotent', () => {
    const { console: target } = createConsole();
    installLibsignalConsole(target);
    const once = { ...target };
    installLibsignalConsole(target);
    expect(target).toEqual(once);
  });

  it('installLibsignalConsole() returns a function that removes the filter', () => {
    const { lines, console: target } = createConsole();
    installLibsignalConsole(target)();
    target.info('Closing session:', {});
    expect(lines).toHaveLength(1);
  });
});
