import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { unwrapDeviceSent } from '../../../../src/whatsapp/baileys/patches/device-sent-context.ts';

const OUTER_SECRET = Buffer.alloc(32, 1);
const INNER_SECRET = Buffer.alloc(32, 2);
const destinationJid = '4915112345678@s.whatsapp.net';

const encodePadded = (content: proto.IMessage, count = 5) =>
  Buffer.concat([proto.Message.encode(content).finish(), Buffer.alloc(count, count)]);

/** Unwraps a plaintext, and decodes the result as Baileys does. */
function unwrapAndDecode(plaintext: Uint8Array): unknown {
  const bytes = unwrapDeviceSent(plaintext);
  const message = proto.Message.decode(bytes.subarray(0, bytes.length - (bytes.at(-1) ?? 0)));
  return proto.Message.create(message.deviceSentMessage?.message ?? message).toJSON();
}

describe('unwrapDeviceSent', () => {
  it('unwrapDeviceSent() keeps the messageContextInfo beside deviceSentMessage', () => {
    const message = { conversation: 'hi' };
    const messageContextInfo = { messageSecret: OUTER_SECRET, messageAddOnDurationInSecs: 60 };
    expect(
      unwrapAndDecode(encodePadded({ deviceSentMessage: { destinationJid, message }, messageContextInfo })),
    ).toEqual({
      conversation: 'hi',
      messageContextInfo: { messageSecret: OUTER_SECRET.toString('base64'), messageAddOnDurationInSecs: 60 },
    });
  });

  it('unwrapDeviceSent() prefers the context of the inner message to the context beside deviceSentMessage', () => {
    const message = { conversation: 'hi', messageContextInfo: { messageSecret: INNER_SECRET } };
    const messageContextInfo = { messageSecret: OUTER_SECRET, messageAddOnDurationInSecs: 60 };
    expect(
      unwrapAndDecode(encodePadded({ deviceSentMessage: { destinationJid, message }, messageContextInfo })),
    ).toEqual({
      conversation: 'hi',
      messageContextInfo: { messageSecret: INNER_SECRET.toString('base64'), messageAddOnDurationInSecs: 60 },
    });
  });

  const wrapped = { deviceSentMessage: { destinationJid, message: { conversation: 'hi' } } };
  it.each<[string, Uint8Array]>([
    ['without a context beside the wrapper', encodePadded(wrapped)],
    [
      'without a message in the wrapper',
      encodePadded({ deviceSentMessage: {}, messageContextInfo: { messageSecret: OUTER_SECRET } }),
    ],
    ['without a wrapper', encodePadded({ conversation: 'hi', messageContextInfo: { messageSecret: OUTER_SECRET } })],
    ['that is malformed', Buffer.from('faffffff0f01', 'hex')],
    ['with a malformed context', Buffer.concat([encodePadded(wrapped, 0), Buffer.from('9a0201ff01', 'hex')])],
    ['that is shorter than its padding', Buffer.of(200)],
    ['that is empty', Buffer.alloc(0)],
  ])('unwrapDeviceSent() returns a plaintext %s unchanged', (_, plaintext) => {
    expect(unwrapDeviceSent(plaintext)).toBe(plaintext);
  });
});
