// Sync of the app state (archived chats, names, …), also while WhatsApp does not answer its queries.
import { expect, it } from 'vitest';
import { archiveChat } from '../../src/whatsapp/chat/archive.ts';
import { contact, ownNumber, type SessionProbe, useStage } from './session-stage.ts';

const stage = useStage();

/** In ms. */
const queryTimeout = 1_000;

const syncs = () => stage.stanzas.filter(({ node }) => node.attrs.xmlns === 'w:sync:app:state');

function muteAppState(): void {
  stage.sandbox.faults.add({ kind: 'mute', number: ownNumber, xmlns: 'w:sync:app:state', times: 0 });
}

/** Links a session and waits for its history, which follows the first sync of the app state. */
async function openPaired(): Promise<SessionProbe> {
  const pairing = await stage.open();
  await stage.sandbox.pairing.scanQr(ownNumber, (await pairing.signal('qr')).code);
  await pairing.signal('closed');
  const line = await stage.open();
  await line.signal('open');
  await line.until(() => line.events.find((event) => event.type === 'history.progress' && event.done));
  return line;
}

it('a session gets messages and history although its first sync of the app state gets no answer', async () => {
  await stage.phone(contact).send(ownNumber, { text: 'before the link' });
  muteAppState();
  const pairing = await stage.open();
  await stage.sandbox.pairing.scanQr(ownNumber, (await pairing.signal('qr')).code);
  await pairing.signal('closed');
  const line = await stage.open({ queryTimeout });
  await line.signal('open');
  await stage.stanza((stanza) => syncs().includes(stanza));
  const id = await stage.phone(contact).send(ownNumber, { text: 'hello' });
  await line.until(() => line.received().some(({ key }) => key.id === id));
  await line.until(() => line.events.some((event) => event.type === 'messages.set' && event.messages.length > 0));
});

it('a session gets notifications although the sync of a changed app state gets no answer', async () => {
  const { account } = stage.sandbox.world;
  const line = await stage.openLinked({ queryTimeout });
  const group = stage.phone(ownNumber).createGroup('Crew', [contact]);
  muteAppState();
  const { phoneAppState } = stage.sandbox.phones;
  await phoneAppState.change(account(ownNumber), { archive: true, lastMessages: [] }, `${contact}@s.whatsapp.net`);
  await stage.stanza((stanza) => syncs().includes(stanza));
  stage.sandbox.groups.setSubject(group, account(contact), 'Night crew');
  await line.until(() => line.events.some((event) => event.type === 'groups.update'));
  expect(syncs()).toHaveLength(1);
});

it('a session reports a change of a chat without history whose read mark was in the first sync of the app state', async () => {
  const { account } = stage.sandbox.world;
  const { phoneAppState } = stage.sandbox.phones;
  const chat = `${contact}@s.whatsapp.net`;
  await phoneAppState.change(account(ownNumber), { markRead: true, lastMessages: [] }, chat);
  const line = await openPaired();
  await phoneAppState.change(account(ownNumber), { archive: true, lastMessages: [] }, chat);
  const change = await line.until(() => line.events.find((event) => event.type === 'chats.update'));
  expect(change).toMatchObject({ chats: [{ jid: chat, archived: true }] });
});

it('a new message unarchives its chat when "keep chats archived" is off, and an edit does not', async () => {
  const { phoneAppState } = stage.sandbox.phones;
  await phoneAppState.change(stage.sandbox.world.account(ownNumber), {
    ...{ type: 'regular_low', index: ['setting_unarchiveChats'], apiVersion: 4, operation: 0 },
    syncAction: { unarchiveChatsSetting: { unarchiveChats: true } },
  });
  const line = await openPaired();
  const jid = `${contact}@s.whatsapp.net`;
  const receive = async (text: string) => {
    const id = await stage.phone(contact).send(ownNumber, { text });
    await line.until(() => line.received().some(({ key }) => key.id === id));
    return id;
  };
  const changes = () => line.events.flatMap((event) => (event.type === 'chats.update' ? event.chats : []));
  await receive('first');
  const second = await receive('second');
  await archiveChat(line.session, { chat: contact, archive: true });
  await stage.phone(contact).send(ownNumber, { edit: { id: second, text: 'better', encrypted: true } });
  await line.until(() => line.events.some(({ type }) => type === 'messages.edited'));
  expect(changes()).toMatchObject([{ archived: true }]);
  await receive('third');
  await receive('fourth');
  await line.until(() => changes().length >= 2);
  await receive('fifth');
  expect(changes().map(({ jid: chat, archived }) => ({ chat, archived }))).toEqual([
    { chat: jid, archived: true },
    { chat: jid, archived: false },
  ]);
});
