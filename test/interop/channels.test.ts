// Channels of the sandbox, as a client of another make uses them.
import { expect, it } from 'vitest';
import { textAt } from '../support/api.ts';
import { control, createAccount } from './support/phones.ts';
import { useStage } from './support/stage.ts';

const stage = useStage();

it('a client follows, mutes and leaves a channel, and creates one', async () => {
  const { engine } = stage.client;
  const bob = await createAccount(stage.platform, 'Bob');
  const created = await control(stage.platform, 'POST', `/phones/${bob.number}/channels`, { name: 'News' });
  const id = textAt(created, 'id');
  const own = async () => control(stage.platform, 'GET', `/phones/${stage.ada.number}/channels`);
  expect(await engine.newsletterMetadata(id)).toMatchObject({ jid: id, name: 'News' });
  expect(await engine.newsletterSubscribe(id)).toMatchObject({ name: 'News', subscriberCount: 1 });
  await engine.newsletterMute(id, true);
  expect(await own()).toMatchObject([{ id, muted: true, role: 'SUBSCRIBER' }]);
  await engine.newsletterMute(id, false);
  expect(await own()).toMatchObject([{ id, muted: false }]);
  await engine.newsletterUnsubscribe(id);
  expect(await own()).toEqual([]);
  const mine = await engine.newsletterCreate('Mine', 'what I write');
  expect(mine).toMatchObject({ name: 'Mine', description: 'what I write' });
  expect(await own()).toMatchObject([{ id: mine.jid, role: 'OWNER' }]);
});
