// The LID of a phone number, and the phone number of a LID.
import { expect, it } from 'vitest';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { at } from '../support/api.ts';
import { isEvent, startWorld } from '../support/gateway.ts';

const mine = '15550006401';
const ada = '15550006402';
const bob = '15550006403';
const absent = '15550000000';
const jid = (number: string) => `${number}@s.whatsapp.net`;

it('findLids maps numbers to LIDs and known LIDs to numbers, and enforces NUMBER_CHECK_LIMIT', async () => {
  const world = await startWorld({ env: { NUMBER_CHECK_LIMIT: '4' } });
  await world.link('shop', mine);
  const { sandbox, receiver, api } = world;
  const findLids = (numbers: string[]) => api('POST', '/chat/findLids/shop', { numbers });
  const lidOf = (number: string) => lidJid(sandbox.world.account(number));

  expect(await findLids([lidOf(bob), ada, absent])).toMatchObject({
    status: 200,
    body: [
      // The gateway does not know the number of a LID before its owner writes or a lookup by number finds it.
      { number: lidOf(bob), jid: null, lid: lidOf(bob), exists: true },
      { number: ada, jid: jid(ada), lid: lidOf(ada), exists: true },
      { number: absent, jid: jid(absent), lid: null, exists: false },
    ],
  });
  expect((await findLids([lidOf(ada), jid(ada), '999999999999999@lid'])).body).toEqual([
    { number: lidOf(ada), jid: jid(ada), lid: lidOf(ada), exists: true },
    { number: jid(ada), jid: jid(ada), lid: lidOf(ada), exists: true },
    { number: '999999999999999@lid', jid: null, lid: '999999999999999@lid', exists: true },
  ]);

  const id = await sandbox.phones.phone(bob).send(mine, { text: 'hello' }, { addressing: 'lid' });
  await receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === id);
  expect((await findLids([lidOf(bob)])).body).toMatchObject([{ jid: jid(bob), lid: lidOf(bob) }]);
  expect((await findLids([bob])).body).toMatchObject([{ jid: jid(bob), lid: lidOf(bob) }]);

  const tooMany = await findLids(['15550006411', '15550006412', '15550006413', '15550006414']);
  expect(tooMany).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
});

it('findLids rejects JIDs that do not belong to a person, and invalid numbers', async () => {
  const world = await startWorld();
  await world.link('shop', mine);
  for (const number of ['120363025246125486@g.us', 'status@broadcast', '120363000000000001@newsletter', 'x']) {
    const refused = await world.api('POST', '/chat/findLids/shop', { numbers: [ada, number] });
    expect(refused, number).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(JSON.stringify(refused.body)).toContain('numbers[1]');
  }
});
