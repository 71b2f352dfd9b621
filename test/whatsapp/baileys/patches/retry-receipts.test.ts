import { type BinaryNode, decodeBinaryNode, proto } from '@whiskeysockets/baileys';
import { describe, expect, it, vi } from 'vitest';
import { patchRetryReceipts } from '../../../../src/whatsapp/baileys/patches/retry-receipts.ts';
import { device, toKeyNode } from '../devices.ts';
import { withSocket } from '../socket.ts';

const person = '15550000002@s.whatsapp.net';
const other = '15550000003@s.whatsapp.net';
const group = '120363000000000001@g.us';
const status = 'status@broadcast';
const SENT = '3EB0SENT';

const request = (attrs: Record<string, string>, content: BinaryNode[] = [], others: BinaryNode[] = []): BinaryNode => ({
  tag: 'receipt',
  attrs: { id: SENT, from: person, type: 'retry', t: '1767225600', ...attrs },
  content: [{ tag: 'retry', attrs: { count: '1' }, content }, ...others],
});

interface Options {
  /** Returns whether the message was sent to the chat. */
  wasSent?: (chat: string) => boolean;
  /** Called before a query for the keys of a device. */
  onKeyQuery?: (device: string) => void;
}

/** Delivers receipts one after the other, where only the message SENT was sent. */
async function deliver(stanzas: readonly BinaryNode[], { wasSent = () => true, onKeyQuery }: Options = {}) {
  const passed: BinaryNode[] = [];
  const sent: BinaryNode[] = [];
  const queried: string[] = [];
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
    socket.ws.on('CB:receipt', (stanza: BinaryNode) => passed.push(stanza));
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
        queried.push(jid);
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
  const resent = sent.filter(({ tag }) => tag === 'message');
  return {
    passed,
    resent,
    /** The addresses of the messages that were sent again. */
    addresses: resent.map(({ attrs: { to, participant, recipient } }) => ({ to, participant, recipient })),
    acknowledged: sent.flatMap(({ tag, attrs }) =>
      tag === 'ack' ? [[attrs.class, attrs.type, attrs.to, attrs.id].join(' ')] : [],
    ),
    contents,
    queried,
    failures,
    findSent,
    injectE2ESession,
  };
}

describe('a request for a message', () => {
  it.each([
    ['its recipient', request({}), { to: person }],
    [
      'a device of its recipient',
      request({ from: '15550000002:7@s.whatsapp.net' }),
      { to: '15550000002:7@s.whatsapp.net' },
    ],
    [
      'a member of its group',
      request({ from: group, participant: '9002@lid' }),
      { to: group, participant: '9002@lid' },
    ],
    [
      'a device of a member',
      request({ from: group, participant: '9002:3@lid' }),
      { to: group, participant: '9002:3@lid' },
    ],
    ['a reader of a status', request({ from: status, participant: person }), { to: status, participant: person }],
    ['a device that was offline', request({ offline: '1' }), { to: person }],
    ['an own device', request({ from: '9001@lid', recipient: person }), { to: '9001@lid', recipient: person }],
    [
      'an own device, in a group',
      request({ from: group, participant: '9001@lid' }),
      { to: group, participant: '9001@lid' },
    ],
  ])('of %s is answered to this device only, and acknowledged', async (_, stanza, address) => {
    const { resent, addresses, acknowledged, queried, passed } = await deliver([stanza]);
    expect(addresses).toEqual([address]);
    expect(resent[0]?.attrs).toMatchObject({ id: SENT, type: 'text', edit: '1' });
    expect(resent[0]?.content).toMatchObject([{ tag: 'enc', attrs: { type: 'pkmsg', count: '1' } }, { tag: 'biz' }]);
    expect(queried).toEqual([stanza.attrs.participant ?? stanza.attrs.from]);
    expect(acknowledged).toEqual([`receipt retry ${stanza.attrs.from} ${SENT}`]);
    expect(passed).toEqual([]);
  });

  it('of a member of a group is answered with the sender key inside of the content', async () => {
    const { contents } = await deliver([request({ from: group, participant: '9002:3@lid' })]);
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

  it('of an own device is answered with the copy of a sent message', async () => {
    const { contents } = await deliver([request({ from: '9001:4@lid', recipient: person })]);
    expect(contents).toMatchObject([
      { deviceSentMessage: { destinationJid: person, message: { conversation: 'hi' } } },
    ]);
  });

  it('starts a session with the keys in the request', async () => {
    const key = toKeyNode(person, device()).content;
    const [registration, ...keys] = Array.isArray(key) ? key : [];
    const bundle = [...(registration ? [registration] : []), { tag: 'keys', attrs: {}, content: keys }];
    const { injectE2ESession, queried, addresses } = await deliver([request({}, [], bundle)]);
    expect(injectE2ESession.mock.calls.map(([{ jid }]) => jid)).toEqual([person]);
    expect(queried).toEqual([]);
    expect(addresses).toEqual([{ to: person }]);
  });

  it.each([
    ['that was never sent', request({ id: '3EB0RANDOM' })],
    ['and another one at once', request({}, [{ tag: 'item', attrs: { id: '3EB0RANDOM' } }])],
  ])('%s is only acknowledged', async (_, stanza) => {
    const { resent, queried, acknowledged } = await deliver([stanza]);
    expect([...resent, ...queried]).toEqual([]);
    expect(acknowledged).toEqual([`receipt retry ${person} ${stanza.attrs.id}`]);
  });

  it.each([
    ['the phone', request({ from: '15550000001@s.whatsapp.net', id: '3EB0PEER' })],
    ['another device', request({ from: '9001:4@lid', recipient: person, id: '3EB0OTHER' })],
    ['another device, in a group', request({ from: group, participant: '9001:4@lid', id: '3EB0OTHER' })],
  ])('of %s of the account gets a new session although the message is not stored', async (_, stanza) => {
    const { queried, resent } = await deliver([stanza]);
    expect(queried).toEqual([stanza.attrs.participant ?? stanza.attrs.from]);
    expect(resent).toEqual([]);
  });

  it('is answered for each device, and five times for one', async () => {
    const devices = [0, 0, 0, 7, 0, 0, 0].map((n) => request({ from: `15550000002:${n}@s.whatsapp.net` }));
    const { addresses, acknowledged } = await deliver(devices);
    const fromPhone = { to: person };
    const fromDevice = { to: '15550000002:7@s.whatsapp.net' };
    expect(addresses).toEqual([fromPhone, fromPhone, fromPhone, fromDevice, fromPhone, fromPhone]);
    expect(acknowledged).toHaveLength(7);
  });

  it('is answered 250 times per hour and person', async () => {
    const requests = Array.from({ length: 260 }, (_, n) => request({ from: `15550000002:${n % 90}@s.whatsapp.net` }));
    const { addresses, acknowledged } = await deliver([...requests, request({ from: other })]);
    expect(addresses).toHaveLength(251);
    expect(addresses.at(-1)).toEqual({ to: other });
    expect(acknowledged).toHaveLength(261);
  });

  it('is acknowledged when WhatsApp does not return the keys, and later requests are answered', async () => {
    const { addresses, acknowledged, failures } = await deliver([request({}), request({ from: other })], {
      onKeyQuery: (jid) => {
        if (jid === person) throw new Error('timed out');
      },
    });
    expect(addresses).toEqual([{ to: other }]);
    expect(acknowledged).toHaveLength(2);
    expect(failures).toEqual([new Error('timed out')]);
  });

  it('is not acknowledged when the store fails', async () => {
    const { acknowledged, failures } = await deliver([request({})], {
      wasSent: () => {
        throw new Error('no database');
      },
    });
    expect(acknowledged).toEqual([]);
    expect(failures).toEqual([new Error('no database')]);
  });
});

it('a receipt that is no request is left to Baileys at once', async () => {
  const stanza = request({ type: 'read' });
  const { passed, findSent } = await deliver([stanza]);
  expect(passed).toEqual([stanza]);
  expect(findSent).not.toHaveBeenCalled();
});
