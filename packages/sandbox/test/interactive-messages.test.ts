// Interactive messages: buttons, lists and native flows. The expected results were measured on the real platform
// (decision D-110).
import { type BinaryNode, proto } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { nativeFlowNodes } from '../../../src/whatsapp/content/interactive.ts';
import { createSandbox } from '../src/sandbox.ts';
import { pnJid } from '../src/world/world.ts';
import { RealClient } from './real-client.ts';

const { ERROR } = proto.WebMessageInfo.Status;
const biz = (content: BinaryNode[]): BinaryNode[] => [{ tag: 'biz', attrs: {}, content }];
const incompleteElement: BinaryNode = { tag: 'interactive', attrs: { type: 'native_flow', v: '1' } };
const flow: proto.IMessage = {
  interactiveMessage: {
    body: { text: 'Yes?' },
    nativeFlowMessage: { buttons: [{ name: 'quick_reply', buttonParamsJson: '{}' }] },
  },
};
const list: proto.IMessage = { listMessage: { title: 'Lunch', buttonText: 'Menu', sections: [] } };

it('the server refuses lists, buttons and incomplete interactive messages, and phones show none without <biz>', async () => {
  const sandbox = await createSandbox({ tlsPort: false });
  const creds = sandbox.provision('15550006001');
  const client = new RealClient(sandbox, { creds, keys: new Map() });
  await client.open();
  const phone = sandbox.phones.phone('15550006002');
  const group = phone.createGroup('Ours', ['15550006001']);
  const messages: [string, proto.IMessage, BinaryNode[]][] = [
    ['unannounced', flow, []],
    ['half', flow, biz([incompleteElement])],
    ['older', flow, biz([{ tag: 'buttons', attrs: {} }])],
    ['list', list, []],
    ['whole', flow, nativeFlowNodes([{ name: 'quick_reply', params: {} }], 0)],
  ];
  try {
    for (const to of [pnJid(phone.account), group.id]) {
      for (const [name, content, additionalNodes] of messages)
        await client.sock.relayMessage(to, content, { messageId: `${name} ${to}`, additionalNodes });
      const shownNames = () => phone.messages().flatMap(({ id }) => (id.endsWith(to) ? [id.split(' ')[0]] : []));
      await phone.waitFor(() => shownNames().includes('whole'));
      expect(shownNames()).toEqual(['whole']);
      const refusals = () =>
        client.updates.flatMap(({ key: { id }, update: { status, messageStubParameters } }) =>
          id?.endsWith(to) && status === ERROR ? [[id.split(' ')[0], messageStubParameters?.[0]]] : [],
        );
      await client.until(() => refusals().length === 3);
      expect(refusals()).toEqual([
        ['half', '479'],
        ['older', '405'],
        ['list', '479'],
      ]);
    }
  } finally {
    await client.sock.end(undefined);
    await sandbox.close();
  }
});
