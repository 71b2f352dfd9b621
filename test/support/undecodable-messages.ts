// Messages that a phone can send and that a step of receiving cannot handle, as the bytes of their protobuf.
import { proto } from '@whiskeysockets/baileys';

const { Type } = proto.Message.ProtocolMessage;
const encode = (content: proto.IMessage) => proto.Message.encode(proto.Message.fromObject(content)).finish();

/** `content` wrapped in ephemeral messages, `depth` times. */
function wrapped(depth: number): Uint8Array {
  let bytes: Uint8Array = encode({ conversation: 'inside' });
  // FutureProofMessage.message and Message.ephemeralMessage, see the protobuf encoding guide.
  const field = (tag: Buffer, inner: Uint8Array) => Buffer.concat([tag, varint(inner.length), inner]);
  const [message, ephemeral] = [Buffer.from([0x0a]), varint((40 << 3) | 2)];
  for (let n = 0; n < depth; n++) bytes = field(ephemeral, field(message, bytes));
  return bytes;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 0x7f; value = Math.floor(value / 0x80)) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}

/** Messages by their defect. The gateway reports those with `isReported` as messages.undecryptable. */
export const undecodableMessages: Record<string, { raw: () => Uint8Array; isReported?: true }> = {
  'a reaction without a key': { raw: () => encode({ reactionMessage: { text: 'x' } }), isReported: true },
  'a vote without a key': {
    raw: () => encode({ pollUpdateMessage: { vote: { encPayload: Buffer.from('p'), encIv: Buffer.from('i') } } }),
    isReported: true,
  },
  'wrappers 100 levels deep': { raw: () => wrapped(100), isReported: true },
  'wrappers 2000 levels deep': { raw: () => wrapped(2_000), isReported: true },
  'bytes that are no protobuf': { raw: () => Buffer.from('ffffffff', 'hex'), isReported: true },
  'a removal without a key': { raw: () => encode({ protocolMessage: { type: Type.REVOKE } }) },
  'an edit without a key': { raw: () => encode({ protocolMessage: { type: Type.MESSAGE_EDIT } }) },
  'a response to an event without a key': {
    raw: () => encode({ encEventResponseMessage: { encIv: Buffer.from('i') } }),
  },
  'a pin without a key': { raw: () => encode({ pinInChatMessage: { type: 1 } }) },
  'a history that is not the own one': {
    raw: () =>
      encode({ protocolMessage: { type: Type.HISTORY_SYNC_NOTIFICATION, historySyncNotification: { syncType: 3 } } }),
  },
  'a history without its notice': { raw: () => encode({ protocolMessage: { type: Type.HISTORY_SYNC_NOTIFICATION } }) },
  'keys that are not the own ones': {
    raw: () => encode({ protocolMessage: { type: Type.APP_STATE_SYNC_KEY_SHARE } }),
  },
  nothing: { raw: () => Buffer.alloc(0) },
};
