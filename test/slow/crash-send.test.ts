// A gateway process is killed between a request to send and its answer. Its caller asks again with the same key.
import { expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { link, stage } from '../support/killable.ts';

const mine = '15550017001';
const ada = '15550017002';

it('a request repeated with its key after a crash arrives once, whenever the gateway was killed', async () => {
  const world = await stage({});
  const { sandbox } = world;
  let { program, api } = await world.start();
  await link(world, api, mine);
  const phone = sandbox.phones.phone(ada);
  const shown = (text: string) => phone.messages().filter((one) => one.text === text);
  for (const moment of ['after the request is claimed', 'before the status is stored', 'before the answer is stored']) {
    const body = { number: ada, textMessage: { text: `killed ${moment}` } };
    const send = (query = '') =>
      api('POST', `/message/sendText/shop${query}`, body, {
        'idempotency-key': `order ${moment}`.replaceAll(' ', '-'),
      });
    world.arm(moment);
    await expect(send('?wait=ack')).rejects.toThrow();
    await program.ended;
    // The platform hands the message on right after its ack.
    const isOut = moment !== 'after the request is claimed';
    if (isOut) await phone.waitFor(() => shown(body.textMessage.text).length > 0);
    const before = shown(body.textMessage.text);
    expect(before).toHaveLength(isOut ? 1 : 0);
    ({ program, api } = await world.start());
    // Not the webhook: what the killed process posted last can be posted again.
    await program.line(/"instance":"shop".*"to":"open"/);
    const answer = await send('?wait=ack');
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    const id = textAt(answer.body, 'key.id');
    await phone.waitFor(() => shown(body.textMessage.text).length > 0);
    expect(
      shown(body.textMessage.text).map((one) => one.id),
      moment,
    ).toEqual([id]);
    if (before[0]) expect(before[0].id).toBe(id);
    const again = await send();
    expect(at(again.body, 'key.id')).toBe(id);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  }
  const texts = phone.messages().map((one) => one.text);
  expect(texts).toHaveLength(new Set(texts).size);
});
