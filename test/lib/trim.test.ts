import { describe, expect, it } from 'vitest';
import { trimEndOf, trimOf } from '../../src/lib/trim.ts';

describe('trimming', () => {
  it('cuts only what is unwanted, and only at the ends', () => {
    expect(trimEndOf('https://a.b//', '/')).toBe('https://a.b');
    expect(trimEndOf('//', '/')).toBe('');
    expect(trimEndOf('a=b', '=')).toBe('a=b');
    expect(trimEndOf('', '=')).toBe('');
    expect(trimOf(' .a. b. .', '. ')).toBe('a. b');
    expect(trimOf('...', '.')).toBe('');
  });
});
