import { type BinaryNode, decodeBinaryNode } from '@whiskeysockets/baileys';
import { describe, expect, it, vi } from 'vitest';
import { patchRetryReceipts } from '../../../../src/whatsapp/baileys/patches/retry-receipts.ts';
import { withSocket } from '../socket.ts';

const person = '15550000002@s.whatsapp.net';
const other = '15550000003@s.whatsapp.net';
const group = '120363000000000001@g.us';
const SENT = '3EB0SENT';

const request = (attrs: Record<string, string>, content: BinaryNode[] = []): BinaryNode => ({
  tag: 'receipt',
  attrs: { id: SENT, from: person, type: 'retry', t: '1767225600', ...attrs },
  content: [{ tag: 'retry', attrs: { count: '1' }, content }],
});

/** Delivers receipts one after the other, where only the message SENT was sent. */
async function deliver(stanzas: readonly BinaryNode[], wasSent = true) {
  const passed: BinaryNode[] = [];
  const acknowledged: string[] = [];
  const isSent = vi.fn(async ({ id }: { id: string }) => wasSent && id === SENT);
  await withSocket(async (socket) => {
    socket.ws.removeAllListeners('CB:receipt');
    socket.ws.on('CB:receipt', (stanza: BinaryNode) => passed.push(stanza));
    const sendRawMessage = async (bytes: Uint8Array | Buffer) => {
      const { attrs } = await decodeBinaryNode(Buffer.from(bytes));
      acknowledged.push([attrs.class, attrs.type, attrs.to, attrs.id].join(' '));
    };
    patchRetryReceipts(Object.assign(Object.create(socket), { sendRawMessage }), {
      account: () => ({ jid: '15550000001@s.whatsapp.net', lid: '9001@lid' }),
      isSent,
    });
    const [listener] = socket.ws.listeners('CB:receipt');
    for (const stanza of stanzas) await listener?.(stanza);
  });
  return { passed, acknowledged, isSent };
}

describe('a request for a message', () => {
  it.each([
    ['its recipient', request({})],
    ['a device of its recipient', request({ from: '15550000002:7@s.whatsapp.net' })],
    ['a member of its group', request({ from: group, participant: '9002:3@lid' })],
    ['a recipient of a status', request({ from: 'status@broadcast', participant: person })],
    ['a device that was offline', request({ offline: '1' })],
  ])('of %s is left to Baileys', async (_, stanza) => {
    const { passed, acknowledged } = await deliver([stanza]);
    expect(passed).toEqual([stanza]);
    expect(acknowledged).toEqual([]);
  });

  it.each([
    ['that was never sent', request({ id: '3EB0RANDOM' })],
    ['and another one at once', request({}, [{ tag: 'item', attrs: { id: '3EB0RANDOM' } }])],
  ])('%s is only acknowledged', async (_, stanza) => {
    const { passed, acknowledged } = await deliver([stanza]);
    expect(passed).toEqual([]);
    expect(acknowledged).toEqual([`receipt retry ${person} ${stanza.attrs.id}`]);
  });

  it.each([
    ['the phone', request({ from: '15550000001@s.whatsapp.net', id: '3EB0PEER' })],
    ['another device', request({ from: '9001:4@lid', recipient: person, id: '3EB0OTHER' })],
    ['another device, in a group', request({ from: group, participant: '9001:4@lid', id: '3EB0OTHER' })],
  ])('of %s of the account is always left to Baileys', async (_, stanza) => {
    const { passed, isSent } = await deliver([stanza], false);
    expect(passed).toEqual([stanza]);
    expect(isSent).not.toHaveBeenCalled();
  });

  it('is answered again although the message can no longer be found', async () => {
    const { passed, isSent } = await deliver([request({}), request({ from: '15550000002:7@s.whatsapp.net' })]);
    expect(passed).toHaveLength(2);
    expect(isSent).toHaveBeenCalledTimes(1);
  });

  it('is answered 250 times per hour and person', async () => {
    const requests = Array.from({ length: 260 }, (_, n) => request({ from: `15550000002:${n % 5}@s.whatsapp.net` }));
    const { passed, acknowledged } = await deliver([...requests, request({ from: other })]);
    expect(passed).toHaveLength(251);
    expect(passed.at(-1)?.attrs.from).toBe(other);
    expect(acknowledged).toHaveLength(10);
  });
});

it('a receipt that is no request is left to Baileys at once', async () => {
  const stanza = request({ type: 'read' });
  const { passed, isSent } = await deliver([stanza]);
  expect(passed).toEqual([stanza]);
  expect(isSent).not.toHaveBeenCalled();
});
