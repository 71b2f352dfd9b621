import { initAuthCreds, type proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { memoryKeys } from '../../../packages/sandbox/test/real-client.ts';
import { resendMessage } from '../../../src/whatsapp/baileys/message-resend.ts';
import { installLibsignalConsole } from '../../../src/whatsapp/baileys/patches/libsignal-console.ts';
import { allChildrenOf, childOf, type Stanza } from '../../../src/whatsapp/baileys/stanza.ts';
import { createDevice } from './contact-device.ts';
import { openRecordedSocket, useSilentServer } from './recorded-socket.ts';

const GROUP = '120363000000000001@g.us';
const STATUS = 'status@broadcast';
const FRIEND = '222222222222@lid';
const DEVICE = '222222222222:3@lid';
const OWN_PHONE = '15550001001@s.whatsapp.net';
const id = '3EB0AABBCCDDEEFF001122';

const createCreds = () => ({
  ...initAuthCreds(),
  me: { id: '15550001001:7@s.whatsapp.net', lid: '111111111111:7@lid', name: 'Shop' },
  account: {
    details: Buffer.from([1]),
    accountSignature: Buffer.from([2]),
    accountSignatureKey: Buffer.from([3]),
    deviceSignature: Buffer.from([4]),
  },
});

useSilentServer();
installLibsignalConsole();

interface ResendCase {
  chat: string;
  to: string;
  content: proto.IMessage;
  attributes?: Record<string, string>;
  nodes?: Stanza[];
  isOwn?: boolean;
}

/** Resends a message to a device with Baileys and with resendMessage(). Returns both stanzas as readStanza() does. */
async function resendTwice({ chat, to, content, attributes = {}, nodes = [], isOwn = false }: ResendCase) {
  const receiver = createDevice();
  const keys = memoryKeys(new Map([['lid-mapping|15550001001', '111111111111']]));
  const { socket, stanzas, close } = openRecordedSocket({ auth: { creds: createCreds(), keys } });
  try {
    const { signalRepository } = socket;
    const session = receiver.bundle;
    if (chat === GROUP) {
      await signalRepository.encryptGroupMessage({ group: GROUP, meId: '111111111111:7@lid', data: Buffer.of(1) });
    }
    await signalRepository.injectE2ESession({ jid: to, session });
    await socket.relayMessage(chat, content, {
      messageId: id,
      participant: { jid: to, count: 2 },
      additionalAttributes: attributes,
      additionalNodes: nodes,
    });
    await signalRepository.injectE2ESession({ jid: to, session });
    const message = { id, chat, content, attributes, nodes };
    await resendMessage(socket, { device: to, isOwn, count: 2 }, message, async () => ({}));
    const [baileys, gateway] = await Promise.all(
      (await stanzas('message')).map((stanza) => readStanza(stanza, receiver)),
    );
    return { baileys, gateway };
  } finally {
    await close();
  }
}

/** Decrypts a message stanza. Returns its attributes, its other elements and its content, without the ciphertext. */
async function readStanza({ attrs, content }: Stanza, { receiver }: ReturnType<typeof createDevice>) {
  const stanza = { tag: 'message', attrs, content };
  const enc = childOf(stanza, 'enc');
  if (!enc) throw new Error('no ciphertext');
  const decrypted = await receiver()(enc);
  return {
    attrs,
    encAttrs: enc.attrs,
    otherElements: allChildrenOf(stanza).filter(({ tag }) => !['enc', 'participants'].includes(tag)),
    hasCopies: childOf(stanza, 'participants') !== undefined,
    content: decrypted.toJSON(),
  };
}

const TEXT = { conversation: 'Hello', messageContextInfo: { messageSecret: Buffer.alloc(32, 5) } };
const PIN = { pinInChatMessage: { type: 1 } };
const META = [{ tag: 'meta', attrs: { polltype: 'creation' } }];

describe('resendMessage', () => {
  it.each<[string, ResendCase]>([
    ['a phone', { chat: FRIEND, to: FRIEND, content: TEXT }],
    ['a linked device', { chat: FRIEND, to: DEVICE, content: TEXT }],
    ['a member of a group', { chat: GROUP, to: DEVICE, content: TEXT }],
    [
      'a phone, with attributes and elements',
      { chat: FRIEND, to: FRIEND, content: TEXT, attributes: { edit: '1' }, nodes: META },
    ],
  ])('resendMessage() sends to %s the stanza of Baileys, without its second copy of the content', async (_, resendCase) => {
    const { baileys, gateway } = await resendTwice(resendCase);
    expect(gateway).toEqual({ ...baileys, hasCopies: false });
    expect(gateway?.attrs.id).toBe(id);
    expect(gateway?.encAttrs).toEqual({ v: '2', type: 'pkmsg', count: '2' });
  });

  it('resendMessage() addresses a status message to status@broadcast and to the device that requests it', async () => {
    const { baileys, gateway } = await resendTwice({ chat: STATUS, to: DEVICE, content: TEXT });
    expect(gateway?.attrs).toEqual({ id, type: 'text', to: STATUS, participant: DEVICE });
    expect(gateway?.content).toMatchObject({
      conversation: 'Hello',
      senderKeyDistributionMessage: { groupId: STATUS },
    });
    expect(gateway?.otherElements).toEqual(baileys?.otherElements);
  });

  it('resendMessage() names the chat in a message to an own device', async () => {
    const { baileys, gateway } = await resendTwice({ chat: FRIEND, to: OWN_PHONE, content: TEXT, isOwn: true });
    expect(gateway?.attrs).toEqual(baileys?.attrs);
    expect(gateway?.attrs).toMatchObject({ to: OWN_PHONE, recipient: FRIEND });
    expect(gateway?.content).toMatchObject({
      deviceSentMessage: { destinationJid: FRIEND, message: { conversation: 'Hello' } },
    });
  });

  it.each<[string, proto.IMessage, Record<string, string>]>([
    ['a pin', PIN, { 'decrypt-fail': 'hide' }],
    ['a view-once video', { viewOnceMessageV2: { message: { videoMessage: {} } } }, { mediatype: 'video' }],
    [
      'a view-once voice note',
      { viewOnceMessageV2Extension: { message: { audioMessage: { ptt: true } } } },
      { mediatype: 'ptt' },
    ],
  ])('resendMessage() adds the attributes of %s to the ciphertext element', async (_, content, attributes) => {
    const { gateway } = await resendTwice({ chat: FRIEND, to: FRIEND, content });
    expect(gateway?.encAttrs).toEqual({ v: '2', type: 'pkmsg', count: '2', ...attributes });
  });
});
