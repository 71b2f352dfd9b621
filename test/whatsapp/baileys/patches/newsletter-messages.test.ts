import { proto } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { patchNewsletterMessages } from '../../../../src/whatsapp/baileys/patches/newsletter-messages.ts';
import type { Stanza } from '../../../../src/whatsapp/baileys/stanza.ts';
import { withSocket } from '../unconnected-socket.ts';

const CHANNEL = '120363000000000001@newsletter';
const { HISTORY_SYNC_NOTIFICATION, APP_STATE_SYNC_KEY_SHARE } = proto.Message.ProtocolMessage.Type;
const POST: Stanza = { tag: 'message', attrs: { id: 'A1', from: CHANNEL, t: '1' }, content: [] };

const createPlaintext = (content: proto.IMessage): Stanza => ({
  tag: 'plaintext',
  attrs: {},
  content: proto.Message.encode(content).finish(),
});

it('patchNewsletterMessages() acknowledges a channel post whose event cannot be emitted, and calls onFailure', async () => {
  await withSocket(async (socket) => {
    const sent: Stanza[] = [];
    const errors: unknown[] = [];
    const failingSocket = {
      ...socket,
      ev: {
        ...socket.ev,
        emit: () => {
          throw new Error('cannot be processed');
        },
      },
      sendNode: async (stanza: Stanza) => void sent.push(stanza),
    };
    patchNewsletterMessages(failingSocket, {
      waitForEvents: async () => undefined,
      onFailure: (error) => errors.push(error),
    });
    socket.ws.emit('CB:message', POST);
    await expect.poll(() => sent).toMatchObject([{ tag: 'ack', attrs: { class: 'message', id: 'A1' } }]);
    expect(errors).toMatchObject([{ message: 'cannot be processed' }]);
  });
});

it('patchNewsletterMessages() acknowledges a channel post only after its events are stored', async () => {
  await withSocket(async (socket) => {
    const sent: Stanza[] = [];
    const stored = Promise.withResolvers<void>();
    const waiting = Promise.withResolvers<void>();
    const waitForEvents = () => {
      waiting.resolve();
      return stored.promise;
    };
    const recordingSocket = { ...socket, sendNode: async (stanza: Stanza) => void sent.push(stanza) };
    patchNewsletterMessages(recordingSocket, { waitForEvents, onFailure: () => undefined });
    socket.ws.emit('CB:message', POST);
    await waiting.promise;
    expect(sent).toEqual([]);
    stored.resolve();
    await expect.poll(() => sent).toHaveLength(1);
  });
});

it('patchNewsletterMessages() ignores the sender name and the protocol messages of own channel posts', async () => {
  await withSocket(async (socket) => {
    const acknowledgedIds: string[] = [];
    const emitted: string[] = [];
    const recordingSocket = {
      ...socket,
      sendNode: async ({ attrs }: Stanza) => void acknowledgedIds.push(attrs.id ?? ''),
    };
    patchNewsletterMessages(recordingSocket, { waitForEvents: async () => undefined, onFailure: () => undefined });
    socket.ev.on('messages.upsert', ({ messages }) => emitted.push(...messages.map(({ key }) => key.id ?? '')));
    socket.ev.on('creds.update', () => emitted.push('creds.update'));
    socket.ev.on('contacts.update', () => emitted.push('contacts.update'));
    socket.authState.creds.me = { id: '15550009001:1@s.whatsapp.net', name: 'Shop' };
    const keys = [{ keyId: { keyId: Buffer.of(1) }, keyData: { keyData: Buffer.alloc(32) } }];
    const share = { type: APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare: { keys } };
    const contents: [id: string, content: proto.IMessage][] = [
      ['KEYS', { protocolMessage: share }],
      ['WRAPPED', { ephemeralMessage: { message: { protocolMessage: { type: HISTORY_SYNC_NOTIFICATION } } } }],
      ['TEXT', { conversation: 'a post' }],
    ];
    for (const [id, content] of contents) {
      const attrs = { id, from: CHANNEL, t: '1', is_sender: 'true', notify: 'Other name' };
      socket.ws.emit('CB:message', { tag: 'message', attrs, content: [createPlaintext(content)] });
    }
    await expect.poll(() => acknowledgedIds).toEqual(['KEYS', 'WRAPPED', 'TEXT']);
    expect(emitted).toEqual(['TEXT']);
  });
});

it.each([
  ['a contact', '15550009002@s.whatsapp.net', { conversation: 'forged' }, 0],
  ['no address', undefined, { conversation: 'forged' }, 0],
  ['a channel, with a protocol message', CHANNEL, { protocolMessage: { type: HISTORY_SYNC_NOTIFICATION } }, 0],
  ['a channel', CHANNEL, { conversation: 'a post' }, 1],
])('patchNewsletterMessages() keeps the content of a notification only for posts of a channel: from %s', async (_, from, content, expected) => {
  await withSocket((socket) => {
    socket.ws.removeAllListeners('CB:notification');
    patchNewsletterMessages(socket, { waitForEvents: async () => undefined, onFailure: () => undefined });
    const child = { tag: 'message', attrs: { message_id: 'M1' }, content: [createPlaintext(content)] };
    const stanza: Stanza = { tag: 'notification', attrs: { type: 'newsletter' }, content: [child] };
    if (from) stanza.attrs.from = from;
    socket.ws.emit('CB:notification', stanza);
    expect(stanza.content).toHaveLength(expected);
  });
});
