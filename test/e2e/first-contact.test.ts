// Tokens with which a message to a person who does not know this account is accepted.
import { expect, it } from 'vitest';
import { textAt } from '../support/api.ts';
import { isEvent, isState, startWorld, type World } from '../support/gateway.ts';

const mine = '15550006301';
const stranger = (n: number) => `1555000631${n}`;

/** Sends a text and resolves with the first status that is more than PENDING. */
async function statusOf(world: World, number: string): Promise<unknown> {
  const sent = await world.api('POST', '/message/sendText/shop', { number, text: 'hello' });
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  const id = textAt(sent.body, 'key.id');
  const update = await world.receiver.next(
    ({ body }) => isEvent(body, 'messages.update') && textAt(body, 'data.keyId') === id,
  );
  return textAt(update.body, 'data.status');
}

async function linked(hasSalt = true): Promise<World> {
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
  const world = await linked();
  expect(await statusOf(world, stranger(1))).not.toBe('ERROR');
  const stopped = world.receiver.posts.length;
  await world.restart();
  await world.receiver.next(({ body }) => isState(body, 'shop', 'open'), { after: stopped });
  expect(await statusOf(world, stranger(2))).not.toBe('ERROR');
  const phone = world.sandbox.phones.phone(stranger(2));
  await phone.waitFor(() => phone.messages().some(({ text }) => text === 'hello'));
});

it('the token follows changes of the salt, and none is sent without a salt', { timeout: 60_000 }, async () => {
  const world = await linked(false);
  const { world: platform, phones } = world.sandbox;
  const account = platform.account(mine);
  expect(await statusOf(world, stranger(1))).toBe('ERROR');
  for (const [n, salt] of [Buffer.alloc(32, 1), Buffer.alloc(32, 2)].entries()) {
    await phones.phoneAppState.setNctSalt(account, salt);
    await expect.poll(() => statusOf(world, stranger(n + 2))).not.toBe('ERROR');
  }
  await phones.phoneAppState.setNctSalt(account, undefined);
  await expect.poll(() => statusOf(world, stranger(4))).toBe('ERROR');
});
