import { describe, expect, it } from 'vitest';
import { trimBoth, trimEnd } from '../../src/lib/trim.ts';

describe('trimEnd and trimBoth', () => {
  it('trimEnd() and trimBoth() remove only unwanted characters, and only at the ends', () => {
    expect(trimEnd('https://a.b//', '/')).toBe('https://a.b');
    expect(trimEnd('//', '/')).toBe('');
    expect(trimEnd('a=b', '=')).toBe('a=b');
    expect(trimEnd('', '=')).toBe('');
    expect(trimBoth(' .a. b. .', '. ')).toBe('a. b');
    expect(trimBoth('...', '.')).toBe('');
  });
});
