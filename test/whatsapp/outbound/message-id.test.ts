import { expect, it } from 'vitest';
import {
  createMessageSecret,
  currentMessageIdentity,
  runAsPart,
  runWithIdentity,
} from '../../../src/whatsapp/outbound/message-id.ts';
import type { SessionSocket } from '../../../src/whatsapp/session.ts';
import { linkedCreds } from '../../support/session-fakes.ts';

// The tested functions use only the credentials of the socket.
const session = { socket: { authState: { creds: linkedCreds() } } as unknown as SessionSocket };

it('createMessageSecret() returns the same secret for a repeated request and another one for another message', () => {
  const secretOf = (messageId: string, isRepeat: boolean) =>
    runWithIdentity({ messageId, isRepeat }, () => Buffer.from(createMessageSecret(session)).toString('hex'));
  const first = secretOf('A', false);
  expect(first).toMatch(/^[\da-f]{64}$/);
  expect(secretOf('A', true)).toBe(first);
  expect(secretOf('B', false)).not.toBe(first);
  expect(createMessageSecret(session)).not.toEqual(createMessageSecret(session));
});

it('runAsPart() derives one message id per part, the same ids when the request is repeated, and none without an identity', () => {
  const ids = (isRepeat: boolean) =>
    runWithIdentity({ messageId: 'A', isRepeat }, () =>
      [0, 1].map((index) => runAsPart(index, currentMessageIdentity)),
    );
  const [one, two] = ids(false);
  expect(one).toEqual({ messageId: expect.stringMatching(/^3EB0[\dA-F]{18}$/), isRepeat: false });
  expect(two?.messageId).not.toBe(one?.messageId);
  expect(ids(true).map((id) => id?.messageId)).toEqual([one?.messageId, two?.messageId]);
  expect(runAsPart(0, currentMessageIdentity)).toBeUndefined();
});
