import { describe, expect, it } from 'vitest';
import { isTypo } from '../../src/lib/typo.ts';

describe('a typo', () => {
  it.each([
    ['WEBHOK_TIMEOUT', true],
    ['WEBHOOKS_TIMEOUT', true],
    ['WEBHOOK_TIMEOUTS', true],
    ['WEBHOOK_TIMEUOT', true],
    ['WEBHOOK-TIMEOUT', true],
    ['XEBHOOK_TIMEOUT', true],
    ['WEBHOOK_TIMEOUT', false],
    ['WEBHOOK_TIME', false],
    ['WEBHOOK_TIMEOUT_MS', false],
    ['WHBEOOK_TIMEOUT', false],
  ])('%s: %s', (written, expected) => expect(isTypo(written, 'WEBHOOK_TIMEOUT')).toBe(expected));
});
