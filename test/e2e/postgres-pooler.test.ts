// The gateway behind a pooler in transaction mode, which runs each transaction on one of two connections to the server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent, isState, startWorld } from '../support/gateway.ts';
import { type Pooler, startPooler } from '../support/pooler.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const mine = '15550007201';
const contact = '15550007202';

const server = sharedPostgres();
let pooler: Pooler;
beforeAll(async () => {
  pooler = await startPooler(2);
});
afterAll(async () => {
  await pooler.close();
});

describe('the gateway behind a pooler', () => {
  it('the gateway links, sends and receives behind a pooler in transaction mode, also after a restart', async () => {
    const url = pooler.urlOf(await server.createDatabase());
    const world = await startWorld({ env: { DATABASE_URL: url, DATABASE_POOL_SIZE: '5' } });
    await world.link('shop', mine);
    const phone = world.sandbox.phones.phone(contact);
    const texts = ['one', 'two', 'three', 'four', 'five', 'six'];
    const exchange = async (round: string) => {
      const after = world.receiver.posts.length;
      const sent = await Promise.all(
        texts.map((text) =>
          world.api('POST', '/message/sendText/shop', { number: contact, textMessage: { text: `${round} ${text}` } }),
        ),
      );
      expect(sent.map(({ status }) => status)).toEqual(texts.map(() => 201));
      for (const text of texts) await phone.send(mine, { text: `${round} ${text}` });
      const isOf = (text: string) => (body: unknown) =>
        isEvent(body, 'messages.upsert', 'shop') && at(body, 'data.message.conversation') === `${round} ${text}`;
      await Promise.all(texts.map((text) => world.receiver.next(({ body }) => isOf(text)(body), { after })));
      const messagesOfRound = () => phone.messages().filter(({ text }) => text?.startsWith(round));
      // A send is answered before its message reaches the phone.
      await phone.waitFor(() => messagesOfRound().length >= 2 * texts.length);
      expect(messagesOfRound()).toHaveLength(2 * texts.length);
    };
    await exchange('before');
    const after = world.receiver.posts.length;
    await world.restart();
    await world.receiver.next(({ body }) => isState(body, 'shop', 'open'), { after });
    await exchange('after');
    expect(pooler.switches).toBeGreaterThan(20);
    expect(world.receiver.posts.slice(after).some(({ body }) => isEvent(body, 'qrcode.updated'))).toBe(false);
  });
});
