import { describe, expect, it } from 'vitest';
import { createRedactor, passwordsOf } from '../src/lib/redact.ts';

describe('redaction of secrets', () => {
  const redact = createRedactor(['global-key', 'global-key-2', 'ab']);

  it('createRedactor() replaces secrets and passwords in addresses', () => {
    expect(redact('401 for global-key-2 and global-key')).toBe('401 for *** and ***');
    expect(redact('mongodb://user:other@host/db failed')).toBe('mongodb://user:***@host/db failed');
    expect(redact('about'), 'too short to be one').toBe('about');
  });

  it('createRedactor() replaces control characters', () => {
    expect(redact('shop\u001b[2J\r\nfake: written\u202e')).toBe('shop [2J fake: written ');
  });

  it('passwordsOf() finds the password of an address that cannot be parsed', () => {
    expect(passwordsOf('mongodb://user:pa/ss@host/db')).toEqual(['pa/ss']);
    expect(passwordsOf('mysql://user:p@ss#1@host/db')).toContain('p@ss#1');
  });

  it('passwordsOf() returns the password of an address as written and decoded', () => {
    expect(passwordsOf('postgresql://user:p%40ss@host/db')).toEqual(['p%40ss', 'p@ss']);
    expect(passwordsOf('postgresql://user:100%25@host/db')).toEqual(['100%25', '100%']);
    expect(passwordsOf('redis://host')).toEqual([]);
    expect(passwordsOf('/data/main.db')).toEqual([]);
  });
});
