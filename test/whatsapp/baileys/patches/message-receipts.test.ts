import { type BinaryNode, decodeBinaryNode } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import {
  type MessageReceiptHooks,
  patchMessageReceipts,
} from '../../../../src/whatsapp/baileys/patches/message-receipts.ts';
import type { Socket } from '../../../../src/whatsapp/baileys/types.ts';
import { ReceiptFilter } from '../../../../src/whatsapp/inbound/group-receipts.ts';
import { withSocket } from '../unconnected-socket.ts';

const ME = { id: '15550000001:2@s.whatsapp.net', lid: '9001:2@lid' };
const person = '15550000002@s.whatsapp.net';
const group = '120363000000000001@g.us';
const TIMESTAMP = '1767225600';

const receipt = (attrs: Record<string, string>, ids: readonly string[] = []): BinaryNode => ({
  tag: 'receipt',
  attrs: { id: '3A01', t: TIMESTAMP, ...attrs },
  content:
    ids.length > 0
      ? [{ tag: 'list', attrs: {}, content: ids.map((id) => ({ tag: 'item', attrs: { id } })) }]
      : undefined,
});

/** Events of receipts in chats with one person, and of receipts in groups. */
const PERSON_EVENT = 'messages.update';
const MEMBER_EVENT = 'message-receipt.update';

const RECEIPTS: readonly (readonly [name: string, receipt: BinaryNode, event: string | undefined])[] = [
  ['of a delivery to a person', receipt({ from: person }), PERSON_EVENT],
  ['of a delivery to the device of a person', receipt({ from: '15550000002:7@s.whatsapp.net' }), PERSON_EVENT],
  ['of a delivery to a person with a LID', receipt({ from: '9002@lid' }), PERSON_EVENT],
  ['of several messages that a person read', receipt({ from: person, type: 'read' }, ['3A02', '3A03']), PERSON_EVENT],
  ['of a message that a person played', receipt({ from: person, type: 'played' }), PERSON_EVENT],
  ['sent by another device of the account', receipt({ from: ME.id, recipient: person, type: 'sender' }), PERSON_EVENT],
  ['of a read on another own device', receipt({ from: ME.id, recipient: person, type: 'read' }), PERSON_EVENT],
  ['of a read on an own device by LID', receipt({ from: ME.lid, recipient: '9002@lid', type: 'read' }), PERSON_EVENT],
  ['of the type read-self', receipt({ from: ME.id, recipient: person, type: 'read-self' }), PERSON_EVENT],
  ['of a delivery to a group member', receipt({ from: group, participant: '9002:3@lid' }), MEMBER_EVENT],
  ['of a read by a group member', receipt({ from: group, participant: person, type: 'read' }, ['3A02']), MEMBER_EVENT],
  ['of a group read on an own device', receipt({ from: group, participant: ME.lid, type: 'read' }), MEMBER_EVENT],
  ['of a group without a participant', receipt({ from: group }), undefined],
  ['of a status', receipt({ from: 'status@broadcast', participant: person, type: 'read' }), MEMBER_EVENT],
  ['without a time', { tag: 'receipt', attrs: { id: '3A01', from: person } }, PERSON_EVENT],
  ['of another kind', receipt({ from: person, type: 'server-error' }), undefined],
];

/** Passes a receipt to the listeners of a socket. Resolves with its events. */
async function receive(stanza: BinaryNode, patch: (socket: Socket) => void) {
  const events: [name: string, updates: unknown][] = [];
  await withSocket(async (socket) => {
    socket.authState.creds.me = ME;
    socket.ev.on(PERSON_EVENT, (updates) => events.push([PERSON_EVENT, updates]));
    socket.ev.on(MEMBER_EVENT, (updates) => events.push([MEMBER_EVENT, updates]));
    patch(socket);
    await Promise.all(socket.ws.listeners('CB:receipt').map((listener) => listener(structuredClone(stanza))));
  });
  return events;
}

/** Patches a socket. Its stanzas are added to `sent` and not sent. */
function patchAndRecord(
  socket: Socket,
  sent: Uint8Array[],
  {
    waitForEvents = () => Promise.resolve(),
    recordIfRelevant = () => true,
  }: Partial<Pick<MessageReceiptHooks, 'waitForEvents' | 'recordIfRelevant'>> = {},
): void {
  const sendRawMessage = async (bytes: Uint8Array | Buffer) => void sent.push(bytes);
  patchMessageReceipts(Object.assign(Object.create(socket), { sendRawMessage }), {
    waitForEvents,
    account: () => ({ jid: '15550000001@s.whatsapp.net', lid: '9001@lid' }),
    onReceipt: () => undefined,
    recordIfRelevant,
    onFailure: (error) => expect.unreachable(String(error)),
  });
}

describe('patchMessageReceipts', () => {
  it.each(RECEIPTS)('patchMessageReceipts() emits the events of Baileys for a receipt %s', async (_, stanza, event) => {
    const events = await receive(stanza, (socket) => patchAndRecord(socket, []));
    expect(events).toEqual(await receive(stanza, () => undefined));
    expect(events.map(([name]) => name)).toEqual(event === undefined ? [] : [event]);
  });

  it.each<Record<string, string>>([
    {},
    { offline: '0' },
  ])('patchMessageReceipts() acknowledges a receipt for the copy of another own device without an event: %j', async (backlog) => {
    const stanza = receipt({ from: group, participant: ME.lid, type: 'sender', ...backlog });
    const sent: Uint8Array[] = [];
    expect(await receive(stanza, (socket) => patchAndRecord(socket, sent))).toEqual([]);
    const [ack = Buffer.alloc(0)] = sent;
    expect((await decodeBinaryNode(Buffer.from(ack))).attrs).toMatchObject({ class: 'receipt', type: 'sender' });
  });

  it('patchMessageReceipts() acknowledges a receipt with its addresses and type after its events are stored', async () => {
    const stored = Promise.withResolvers<void>();
    const sent: Uint8Array[] = [];
    await withSocket(async (socket) => {
      socket.authState.creds.me = ME;
      patchAndRecord(socket, sent, { waitForEvents: () => stored.promise });
      const [listener] = socket.ws.listeners('CB:receipt');
      const handled = listener?.(receipt({ from: group, participant: person, type: 'read' }));
      await new Promise(setImmediate);
      expect(sent).toEqual([]);
      stored.resolve();
      await handled;
    });
    const [ack = Buffer.alloc(0)] = sent;
    expect(await decodeBinaryNode(Buffer.from(ack))).toMatchObject({
      tag: 'ack',
      attrs: { class: 'receipt', id: '3A01', to: group, participant: person, type: 'read' },
    });
  });

  it('patchMessageReceipts() acknowledges receipts of further members without events, once the first is stored', async () => {
    const stored = Promise.withResolvers<void>();
    const sent: Uint8Array[] = [];
    const events: unknown[] = [];
    const filter = new ReceiptFilter();
    const recordIfRelevant: MessageReceiptHooks['recordIfRelevant'] = (update) => filter.recordIfRelevant(update);
    await withSocket(async (socket) => {
      socket.authState.creds.me = ME;
      socket.ev.on(MEMBER_EVENT, (updates) =>
        events.push(...updates.map(({ key, receipt: one }) => [key.participant, one])),
      );
      patchAndRecord(socket, sent, { waitForEvents: () => stored.promise, recordIfRelevant });
      const [listener] = socket.ws.listeners('CB:receipt');
      const members = ['1@lid', '2@lid', '3@lid'];
      const handled = ['', 'read'].flatMap((type) =>
        members.map((participant) => listener?.(receipt({ from: group, participant, ...(type ? { type } : {}) }))),
      );
      await new Promise(setImmediate);
      expect(sent).toEqual([]);
      stored.resolve();
      await Promise.all(handled);
    });
    expect(events).toEqual([
      ['1@lid', { userJid: '1@lid', receiptTimestamp: Number(TIMESTAMP) }],
      ['1@lid', { userJid: '1@lid', readTimestamp: Number(TIMESTAMP) }],
    ]);
    const acks = await Promise.all(sent.map(async (bytes) => (await decodeBinaryNode(Buffer.from(bytes))).attrs));
    expect(acks.map(({ participant, type }) => [participant, type])).toEqual(
      [undefined, 'read'].flatMap((type) => ['1@lid', '2@lid', '3@lid'].map((participant) => [participant, type])),
    );
  });

  it.each([
    ['of the account itself', receipt({ from: group, participant: ME.lid, type: 'read' })],
    ['for several messages', receipt({ from: group, participant: person, type: 'read' }, ['3A02'])],
    ['in a chat with one person', receipt({ from: person })],
    ['for a message of another person', receipt({ from: group, participant: person, recipient: person })],
  ])('patchMessageReceipts() emits the events of each repeated receipt %s', async (_, stanza) => {
    const filter = new ReceiptFilter();
    for (let turn = 0; turn < 2; turn += 1) {
      const events = await receive(stanza, (socket) =>
        patchAndRecord(socket, [], { recordIfRelevant: (update) => filter.recordIfRelevant(update) }),
      );
      expect(events).toEqual(await receive(stanza, () => undefined));
    }
  });

  it('patchMessageReceipts() emits a receipt after the buffered events, and does not merge it into them', async () => {
    const events: unknown[] = [];
    await withSocket(async (socket) => {
      socket.authState.creds.me = ME;
      socket.ev.on('messages.update', ([update]) => events.push(update?.update.status));
      patchAndRecord(socket, []);
      socket.ev.buffer();
      socket.ev.emit('messages.update', [
        { key: { remoteJid: person, id: '3A01', fromMe: true }, update: { status: 2 } },
      ]);
      const [listener] = socket.ws.listeners('CB:receipt');
      await listener?.(receipt({ from: person }));
    });
    expect(events).toEqual([2, 3]);
  });

  it.each([
    ['a request for a message', receipt({ from: person, type: 'retry' })],
    ['a receipt from the offline backlog', receipt({ from: person, offline: '1' })],
    ['a receipt without an id', { tag: 'receipt', attrs: { from: person } }],
  ])('patchMessageReceipts() leaves %s to Baileys', async (_, stanza) => {
    const handled: BinaryNode[] = [];
    const sent: Uint8Array[] = [];
    await withSocket((socket) => {
      socket.ws.removeAllListeners('CB:receipt');
      socket.ws.on('CB:receipt', (node: BinaryNode) => handled.push(node));
      patchAndRecord(socket, sent);
      for (const listener of socket.ws.listeners('CB:receipt')) listener(stanza);
    });
    expect(handled).toEqual([stanza]);
    expect(sent).toEqual([]);
  });
});
