// Sends a message again to the one device that could not decrypt it. Other devices get nothing.

import { encodeSignedDeviceIdentity, isJidGroup, normalizeMessageContent, proto } from './library.ts';
import { encAttributesOf, pad, stanzaTypeOf } from './message-stanza.ts';
import { STATUS_JID, type Stanza } from './stanza.ts';
import { writeStanza } from './stanza-query.ts';
import type { GroupMetadata, Socket } from './types.ts';

type ResendSocket = Pick<Socket, 'authState' | 'logger' | 'sendNode' | 'sendRawMessage' | 'signalRepository'>;

/** A message that this device has sent. */
export interface ResendableMessage {
  id: string;
  /** The chat as the requesting device names it: a person without device part, a group, or the status address. */
  chat: string;
  content: proto.IMessage;
  /** Further attributes (`attributes`) and child elements (`nodes`) that this content needs in the stanza. */
  attributes: Record<string, string>;
  nodes: readonly Stanza[];
}

/** The retry receipt with which a device requests a message again. */
export interface ResendRequest {
  /** JID of the requesting device, as the request names it. */
  device: string;
  /** True for a device of the account itself. */
  isOwn: boolean;
  /** Number of the request for this message, from 1. */
  count: number;
}

/**
 * Sends a message to the requesting device. In a group, and for a status, the content includes the account's sender key
 * (its key for all recipients), so that the device can decrypt later messages. `groupOf` fetches a group. Resolves when
 * the message is written to the socket. Rejects when the group cannot be fetched, and when there is no Signal session
 * with the device.
 */
export async function resendMessage(
  socket: ResendSocket,
  { device, isOwn, count }: ResendRequest,
  { id, chat, content, attributes, nodes }: ResendableMessage,
  groupOf: (jid: string) => Promise<Pick<GroupMetadata, 'addressingMode'>>,
): Promise<void> {
  const { account } = socket.authState.creds;
  const includesSenderKey = isJidGroup(chat) || chat === STATUS_JID;
  let copy = content;
  if (includesSenderKey) {
    copy = { ...content, senderKeyDistributionMessage: await readSenderKey(socket, chat, groupOf) };
  } else if (isOwn) {
    copy = {
      deviceSentMessage: { destinationJid: chat, message: content },
      messageContextInfo: content.messageContextInfo,
    };
  }
  const { type, ciphertext } = await socket.signalRepository.encryptMessage({
    jid: device,
    data: pad(proto.Message.encode(copy).finish()),
  });
  const directAttributes = { device_fanout: 'false', ...(isOwn ? { recipient: chat } : {}) };
  // View-once content is a wrapper. Its media type is in the content inside the wrapper.
  const encAttributes = encAttributesOf(normalizeMessageContent(content) ?? content);
  await writeStanza(socket, {
    tag: 'message',
    attrs: {
      id,
      to: includesSenderKey ? chat : device,
      type: stanzaTypeOf(content),
      ...attributes,
      ...(includesSenderKey ? { participant: device } : directAttributes),
    },
    content: [
      { tag: 'enc', attrs: { v: '2', type, ...encAttributes, count: String(count) }, content: ciphertext },
      ...(account ? [{ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(account, true) }] : []),
      ...nodes,
    ],
  });
}

/** Returns the sender key of this account for a group or for statuses, in its current state. */
async function readSenderKey(
  { authState, signalRepository }: ResendSocket,
  chat: string,
  groupOf: (jid: string) => Promise<Pick<GroupMetadata, 'addressingMode'>>,
): Promise<proto.Message.ISenderKeyDistributionMessage> {
  const { me } = authState.creds;
  if (!me) throw new Error('the account is not linked');
  const { addressingMode = 'lid' } = chat === STATUS_JID ? {} : await groupOf(chat);
  const meId = addressingMode === 'lid' && me.lid ? me.lid : me.id;
  // Baileys sends messages to groups in a transaction with the same name, `me.id`, and can create the sender key there.
  // Transactions with the same name run one after another, so only one of them creates the key.
  const key = await authState.keys.transaction(
    () => signalRepository.getSenderKeyDistributionMessage({ group: chat, meId }),
    me.id,
  );
  return { groupId: chat, axolotlSenderKeyDistributionMessage: key };
}
