// What the fuzzer found (npm run fuzz), as cases of their own: each is sent to an instance, which then works as before.
import { proto } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent, startWorld, type World } from '../support/gateway.ts';

const me = '15550019001';
const other = '15550019002';

/** Sends the content from a phone, then a text; resolves with the posted content, after the text arrived as well. */
async function received(world: World, content: proto.IMessage): Promise<unknown> {
  const phone = world.sandbox.handsets.phone(other);
  const id = await phone.send(me, { raw: proto.Message.encode(content).finish() });
  const last = await phone.send(me, { text: 'afterwards' });
  const posted = (wanted: string) =>
    world.receiver.next(({ body }) => isEvent(body, 'messages.upsert', 'shop') && at(body, 'data.key.id') === wanted);
  await posted(last);
  return at((await posted(id)).body, 'data.message');
}

// Posts are held to the contract by startWorld.
it.each<{ what: string; content: proto.IMessage; posted: object }>([
  {
    what: 'a location whose numbers are none',
    content: {
      locationMessage: { degreesLatitude: Number.NaN, degreesLongitude: Number.POSITIVE_INFINITY, name: 'x' },
    },
    posted: { locationMessage: { name: 'x' } },
  },
  {
    what: 'numbers that are none in a quoted message',
    content: {
      extendedTextMessage: {
        text: 'x',
        contextInfo: {
          quotedMessage: { liveLocationMessage: { degreesLatitude: Number.NEGATIVE_INFINITY, caption: 'y' } },
        },
      },
    },
    posted: {
      conversation: 'x',
      extendedTextMessage: { text: 'x', contextInfo: { quotedMessage: { liveLocationMessage: { caption: 'y' } } } },
    },
  },
])('posts $what without them', async ({ content, posted }) => {
  const world = await startWorld();
  await world.link('shop', me);
  expect(await received(world, content)).toEqual(posted);
});
