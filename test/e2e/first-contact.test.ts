// Tokens that WhatsApp requires for messages to contacts without an earlier chat.
import { expect, it } from 'vitest';
import { textAt } from '../support/api.ts';
import { isEvent, isState, startWorld, type World } from '../support/gateway.ts';

const mine = '15550006301';
const newContact = (n: number) => `1555000631${n}`;

/** Sends a text and resolves with its first status after PENDING. */
async function statusOf(world: World, number: string): Promise<unknown> {
  const sent = await world.api('POST', '/message/sendText/shop', { number, text: 'hello' });
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  const id = textAt(sent.body, 'key.id');
  const update = await world.receiver.next(
    ({ body }) => isEvent(body, 'messages.update') && textAt(body, 'data.keyId') === id,
  );
  return textAt(update.body, 'data.status');
}

async function startLinked(hasSalt = true): Promise<World> {
  const world = await startWorld();
  const account = world.sandbox.world.account(mine);
  if (!hasSalt) account.nctSalt = undefined;
  await world.link('shop', mine);
  await world.receiver.next(({ body }) => isEvent(body, 'history.progress') || isEvent(body, 'contacts.upsert'));
  // The platform refuses messages to new contacts without a token.
  world.sandbox.faults.add({ kind: 'noToken', number: mine, times: 0 });
  return world;
}

it('a message to a new contact has a token, also after a restart', { timeout: 60_000 }, async () => {
  const world = await startLinked();
  expect(await statusOf(world, newContact(1))).not.toBe('ERROR');
  const postsBefore = world.receiver.posts.length;
  await world.restart();
  await world.receiver.next(({ body }) => isState(body, 'shop', 'open'), { after: postsBefore });
  expect(await statusOf(world, newContact(2))).not.toBe('ERROR');
  const phone = world.sandbox.phones.phone(newContact(2));
  await phone.waitFor(() => phone.messages().some(({ text }) => text === 'hello'));
});

it('a message to a new contact has a valid token after each change of the salt, and none without a salt', {
  timeout: 60_000,
}, async () => {
  const world = await startLinked(false);
  const { world: platform, phones } = world.sandbox;
  const account = platform.account(mine);
  expect(await statusOf(world, newContact(1))).toBe('ERROR');
  for (const [n, salt] of [Buffer.alloc(32, 1), Buffer.alloc(32, 2)].entries()) {
    await phones.phoneAppState.setNctSalt(account, salt);
    await expect.poll(() => statusOf(world, newContact(n + 2))).not.toBe('ERROR');
  }
  await phones.phoneAppState.setNctSalt(account, undefined);
  await expect.poll(() => statusOf(world, newContact(4))).toBe('ERROR');
});
