import { type BinaryNode, decodeBinaryNode, proto } from '@whiskeysockets/baileys';
import { describe, expect, it, vi } from 'vitest';
import { patchRetryReceipts } from '../../../../src/whatsapp/baileys/patches/retry-receipts.ts';
import { createDevice, toKeyNode } from '../contact-device.ts';
import { withSocket } from '../unconnected-socket.ts';

const person = '15550000002@s.whatsapp.net';
const otherPerson = '15550000003@s.whatsapp.net';
const group = '120363000000000001@g.us';
const status = 'status@broadcast';
const SENT = '3EB0SENT';

const createRequest = (
  attrs: Record<string, string>,
  content: BinaryNode[] = [],
  siblings: BinaryNode[] = [],
): BinaryNode => ({
  tag: 'receipt',
  attrs: { id: SENT, from: person, type: 'retry', t: '1767225600', ...attrs },
  content: [{ tag: 'retry', attrs: { count: '1' }, content }, ...siblings],
});

interface Options {
  /** Returns whether the message was sent to the chat. */
  wasSent?: (chat: string) => boolean;
  /** Called before a query for the keys of a device. */
  onKeyQuery?: (device: string) => void;
}

/** Delivers receipts one after another to a socket that has sent only the message SENT. */
async function deliver(stanzas: readonly BinaryNode[], { wasSent = () => true, onKeyQuery }: Options = {}) {
  const leftToBaileys: BinaryNode[] = [];
  const sent: BinaryNode[] = [];
  const queriedJids: string[] = [];
  const contents: proto.Message[] = [];
  const failures: unknown[] = [];
  const injectE2ESession = vi.fn(async (_: { jid: string }) => undefined);
  const findSent = vi.fn(async ({ remoteJid, id }: { remoteJid: string; id: string }) =>
    id === SENT && wasSent(remoteJid)
      ? { content: { conversation: 'hi' }, attributes: { edit: '1' }, nodes: [{ tag: 'biz', attrs: {} }] }
      : undefined,
  );
  await withSocket(async (socket) => {
    socket.ws.removeAllListeners('CB:receipt');
    socket.ws.on('CB:receipt', (stanza: BinaryNode) => leftToBaileys.push(stanza));
    const { creds } = socket.authState;
    const patched = Object.assign(Object.create(socket), {
      authState: {
        creds: { ...creds, me: { id: '15550000001:7@s.whatsapp.net', lid: '9001:7@lid' } },
        keys: { transaction: (work: () => Promise<unknown>) => work() },
      },
      sendRawMessage: async (bytes: Uint8Array | Buffer) => {
        sent.push(await decodeBinaryNode(Buffer.from(bytes)));
      },
      assertSessions: async ([jid = '']: string[]) => {
        onKeyQuery?.(jid);
        queriedJids.push(jid);
        return true;
      },
      signalRepository: {
        injectE2ESession,
        getSenderKeyDistributionMessage: async ({ meId }: { meId: string }) => Buffer.from(meId),
        encryptMessage: async ({ data }: { data: Uint8Array }) => {
          contents.push(proto.Message.decode(data.subarray(0, data.length - (data.at(-1) ?? 0))));
          return { type: 'pkmsg', ciphertext: Buffer.from('secret') };
        },
      },
    });
    patchRetryReceipts(patched, {
      account: () => ({ jid: '15550000001@s.whatsapp.net', lid: '9001@lid' }),
      findSent,
      group: async () => ({}),
      onRetryFailure: (error) => failures.push(error),
    });
    const [listener] = socket.ws.listeners('CB:receipt');
    for (const stanza of stanzas) await listener?.(stanza);
  });
  const resentMessages = sent.filter(({ tag }) => tag === 'message');
  return {
    leftToBaileys,
    resentMessages,
    /** The addresses of the resent messages. */
    addresses: resentMessages.map(({ attrs: { to, participant, recipient } }) => ({ to, participant, recipient })),
    acks: sent.flatMap(({ tag, attrs }) =>
      tag === 'ack' ? [[attrs.class, attrs.type, attrs.to, attrs.id].join(' ')] : [],
    ),
    contents,
    queriedJids,
    failures,
    findSent,
    injectE2ESession,
  };
}

describe('patchRetryReceipts', () => {
  it.each([
    ['its recipient', createRequest({}), { to: person }],
    [
      'a device of its recipient',
      createRequest({ from: '15550000002:7@s.whatsapp.net' }),
      { to: '15550000002:7@s.whatsapp.net' },
    ],
    [
      'a member of its group',
      createRequest({ from: group, participant: '9002@lid' }),
      { to: group, participant: '9002@lid' },
    ],
    [
      'a device of a member',
      createRequest({ from: group, participant: '9002:3@lid' }),
      { to: group, participant: '9002:3@lid' },
    ],
    ['a reader of a status', createRequest({ from: status, participant: person }), { to: status, participant: person }],
    ['its recipient, from the offline backlog', createRequest({ offline: '1' }), { to: person }],
    ['an own device', createRequest({ from: '9001@lid', recipient: person }), { to: '9001@lid', recipient: person }],
    [
      'an own device, in a group',
      createRequest({ from: group, participant: '9001@lid' }),
      { to: group, participant: '9001@lid' },
    ],
  ])('patchRetryReceipts() sends a message again only to the device that requests it, and acknowledges: %s', async (_, stanza, address) => {
    const { resentMessages, addresses, acks, queriedJids, leftToBaileys } = await deliver([stanza]);
    expect(addresses).toEqual([address]);
    expect(resentMessages[0]?.attrs).toMatchObject({ id: SENT, type: 'text', edit: '1' });
    expect(resentMessages[0]?.content).toMatchObject([
      { tag: 'enc', attrs: { type: 'pkmsg', count: '1' } },
      { tag: 'biz' },
    ]);
    expect(queriedJids).toEqual([stanza.attrs.participant ?? stanza.attrs.from]);
    expect(acks).toEqual([`receipt retry ${stanza.attrs.from} ${SENT}`]);
    expect(leftToBaileys).toEqual([]);
  });

  it('patchRetryReceipts() adds the sender key to a message that it sends again to a group member', async () => {
    const { contents } = await deliver([createRequest({ from: group, participant: '9002:3@lid' })]);
    expect(contents).toMatchObject([
      {
        conversation: 'hi',
        senderKeyDistributionMessage: {
          groupId: group,
          axolotlSenderKeyDistributionMessage: Buffer.from('9001:7@lid'),
        },
      },
    ]);
  });

  it('patchRetryReceipts() sends an own device the copy of a sent message', async () => {
    const { contents } = await deliver([createRequest({ from: '9001:4@lid', recipient: person })]);
    expect(contents).toMatchObject([
      { deviceSentMessage: { destinationJid: person, message: { conversation: 'hi' } } },
    ]);
  });

  it('patchRetryReceipts() starts a session with the keys in the request', async () => {
    const key = toKeyNode(person, createDevice()).content;
    const [registration, ...keys] = Array.isArray(key) ? key : [];
    const bundle = [...(registration ? [registration] : []), { tag: 'keys', attrs: {}, content: keys }];
    const { injectE2ESession, queriedJids, addresses } = await deliver([createRequest({}, [], bundle)]);
    expect(injectE2ESession.mock.calls.map(([{ jid }]) => jid)).toEqual([person]);
    expect(queriedJids).toEqual([]);
    expect(addresses).toEqual([{ to: person }]);
  });

  it.each([
    ['that was never sent', createRequest({ id: '3EB0RANDOM' })],
    ['and for a second message', createRequest({}, [{ tag: 'item', attrs: { id: '3EB0RANDOM' } }])],
  ])('patchRetryReceipts() only acknowledges a request for a message %s', async (_, stanza) => {
    const { resentMessages, queriedJids, acks } = await deliver([stanza]);
    expect([...resentMessages, ...queriedJids]).toEqual([]);
    expect(acks).toEqual([`receipt retry ${person} ${stanza.attrs.id}`]);
  });

  it.each([
    ['the phone', createRequest({ from: '15550000001@s.whatsapp.net', id: '3EB0PEER' })],
    ['another device', createRequest({ from: '9001:4@lid', recipient: person, id: '3EB0OTHER' })],
    ['another device (in a group)', createRequest({ from: group, participant: '9001:4@lid', id: '3EB0OTHER' })],
  ])('patchRetryReceipts() queries the keys of %s of the account even when the message is not stored', async (_, stanza) => {
    const { queriedJids, resentMessages } = await deliver([stanza]);
    expect(queriedJids).toEqual([stanza.attrs.participant ?? stanza.attrs.from]);
    expect(resentMessages).toEqual([]);
  });

  it('patchRetryReceipts() answers each device, but one device at most five times', async () => {
    const devices = [0, 0, 0, 7, 0, 0, 0].map((n) => createRequest({ from: `15550000002:${n}@s.whatsapp.net` }));
    const { addresses, acks } = await deliver(devices);
    const fromPhone = { to: person };
    const fromDevice = { to: '15550000002:7@s.whatsapp.net' };
    expect(addresses).toEqual([fromPhone, fromPhone, fromPhone, fromDevice, fromPhone, fromPhone]);
    expect(acks).toHaveLength(7);
  });

  it('patchRetryReceipts() answers at most 250 requests of one person, and still answers other people', async () => {
    const requests = Array.from({ length: 260 }, (_, n) =>
      createRequest({ from: `15550000002:${n % 90}@s.whatsapp.net` }),
    );
    const { addresses, acks } = await deliver([...requests, createRequest({ from: otherPerson })]);
    expect(addresses).toHaveLength(251);
    expect(addresses.at(-1)).toEqual({ to: otherPerson });
    expect(acks).toHaveLength(261);
  });

  it('patchRetryReceipts() acknowledges a request whose key query fails, and answers later requests', async () => {
    const { addresses, acks, failures } = await deliver([createRequest({}), createRequest({ from: otherPerson })], {
      onKeyQuery: (jid) => {
        if (jid === person) throw new Error('timed out');
      },
    });
    expect(addresses).toEqual([{ to: otherPerson }]);
    expect(acks).toHaveLength(2);
    expect(failures).toEqual([new Error('timed out')]);
  });

  it('patchRetryReceipts() does not acknowledge a request when the store fails', async () => {
    const { acks, failures } = await deliver([createRequest({})], {
      wasSent: () => {
        throw new Error('no database');
      },
    });
    expect(acks).toEqual([]);
    expect(failures).toEqual([new Error('no database')]);
  });
});

it('patchRetryReceipts() leaves a receipt of another type to Baileys', async () => {
  const stanza = createRequest({ type: 'read' });
  const { leftToBaileys, findSent } = await deliver([stanza]);
  expect(leftToBaileys).toEqual([stanza]);
  expect(findSent).not.toHaveBeenCalled();
});
