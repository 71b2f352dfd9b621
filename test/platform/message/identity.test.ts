import { expect, it } from 'vitest';
import { messageSecret, sendAs } from '../../../src/platform/message/identity.ts';
import type { PlatformSocket } from '../../../src/platform/session.ts';
import { linkedCreds } from '../fakes.ts';

// Nothing else of the socket is asked.
const session = { socket: { authState: { creds: linkedCreds() } } as unknown as PlatformSocket };

it('a repetition has the secret of the first attempt, and no two messages have the same', () => {
  const of = (messageId: string, isRepeat: boolean) =>
    sendAs({ messageId, isRepeat }, () => Buffer.from(messageSecret(session)).toString('hex'));
  const first = of('A', false);
  expect(first).toMatch(/^[\da-f]{64}$/);
  expect(of('A', true)).toBe(first);
  expect(of('B', false)).not.toBe(first);
  expect(messageSecret(session)).not.toEqual(messageSecret(session));
});
