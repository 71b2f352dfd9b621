// A later session stores the history that an earlier session could not store.
import { expect, it } from 'vitest';
import { createEventRecorder } from '../../src/events/recorder.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silent } from '../support/session-fakes.ts';
import { contact, instanceId, ownNumber, useStage } from './session-stage.ts';

const stage = useStage();

it('history that a later session stores does not overwrite changes made after the phone sent it', async () => {
  const chat = `${contact}@s.whatsapp.net`;
  const deletedContact = '15550009003';
  for (const number of [contact, deletedContact])
    await stage.phone(number).send(ownNumber, { text: 'before the link' });
  const pairing = await stage.open();
  await stage.sandbox.pairing.scanQr(ownNumber, (await pairing.signal('qr')).code);
  await pairing.signal('closed');
  stage.ingestFailure = new Error('storage fails');
  await (await stage.open()).signal('closed');
  stage.ingestFailure = undefined;
  const recorder = createEventRecorder({
    store: stage.storage.messages,
    publish: () => [],
    clock: systemClock,
    log: silent,
  });
  await recorder.record(instanceId, [
    { type: 'chats.update', chats: [{ jid: chat, archived: true, ephemeral: 86_400, unread: 0 }] },
    { type: 'chats.delete', jids: [`${deletedContact}@s.whatsapp.net`] },
  ]);
  const line = await stage.open();
  await line.until(() => line.events.find((event) => event.type === 'history.progress' && event.done));
  expect(line.events).toContainEqual(expect.objectContaining({ type: 'chats.set' }));
  const { chats } = stage.storage;
  expect(await chats.list(instanceId)).toMatchObject([{ jid: chat, archived: true, ephemeral: 86_400 }]);
  expect(await chats.countUnread(instanceId, [chat])).toBe(0);
});
