import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { unwrapDeviceSent } from '../../../../src/whatsapp/baileys/patches/device-sent-context.ts';

const outer = Buffer.alloc(32, 1);
const inner = Buffer.alloc(32, 2);
const destinationJid = '4915112345678@s.whatsapp.net';

const padded = (content: proto.IMessage, count = 5) =>
  Buffer.concat([proto.Message.encode(content).finish(), Buffer.alloc(count, count)]);

/** Unwraps, and decodes the result as Baileys does. */
function decoded(plaintext: Uint8Array): unknown {
  const bytes = unwrapDeviceSent(plaintext);
  const message = proto.Message.decode(bytes.subarray(0, bytes.length - (bytes.at(-1) ?? 0)));
  return proto.Message.create(message.deviceSentMessage?.message ?? message).toJSON();
}

describe('a message that another device of the account sent', () => {
  it('unwrapDeviceSent keeps the context that is beside the wrapper', () => {
    const message = { conversation: 'hi' };
    const messageContextInfo = { messageSecret: outer, messageAddOnDurationInSecs: 60 };
    expect(decoded(padded({ deviceSentMessage: { destinationJid, message }, messageContextInfo }))).toEqual({
      conversation: 'hi',
      messageContextInfo: { messageSecret: outer.toString('base64'), messageAddOnDurationInSecs: 60 },
    });
  });

  it('unwrapDeviceSent prefers the fields of the message itself', () => {
    const message = { conversation: 'hi', messageContextInfo: { messageSecret: inner } };
    const messageContextInfo = { messageSecret: outer, messageAddOnDurationInSecs: 60 };
    expect(decoded(padded({ deviceSentMessage: { destinationJid, message }, messageContextInfo }))).toEqual({
      conversation: 'hi',
      messageContextInfo: { messageSecret: inner.toString('base64'), messageAddOnDurationInSecs: 60 },
    });
  });

  const wrapped = { deviceSentMessage: { destinationJid, message: { conversation: 'hi' } } };
  it.each<[string, Uint8Array]>([
    ['without a context beside the wrapper', padded(wrapped)],
    [
      'without a message in the wrapper',
      padded({ deviceSentMessage: {}, messageContextInfo: { messageSecret: outer } }),
    ],
    ['without a wrapper', padded({ conversation: 'hi', messageContextInfo: { messageSecret: outer } })],
    ['that is malformed', Buffer.from('faffffff0f01', 'hex')],
    ['with a malformed context', Buffer.concat([padded(wrapped, 0), Buffer.from('9a0201ff01', 'hex')])],
    ['that is shorter than its padding', Buffer.of(200)],
    ['that is empty', Buffer.alloc(0)],
  ])('unwrapDeviceSent returns a plaintext %s unchanged', (_, plaintext) => {
    expect(unwrapDeviceSent(plaintext)).toBe(plaintext);
  });
});
