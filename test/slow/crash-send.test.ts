// A gateway process is killed between a send request and its response. The client repeats the request with the same
// key.
import { expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { isEvent } from '../support/gateway.ts';
import { link, startStage } from '../support/killable-gateway.ts';

const ownNumber = '15550017001';
const contactNumber = '15550017002';

it('a send request that is repeated with its idempotency key after a crash sends its message exactly once', async () => {
  const world = await startStage({});
  const { sandbox } = world;
  let { program, api } = await world.start();
  await link(world, api, ownNumber);
  const phone = sandbox.phones.phone(contactNumber);
  const isDelivered = (id: string) => (post: { body: unknown }) =>
    isEvent(post.body, 'messages.update') &&
    at(post.body, 'data.keyId') === id &&
    at(post.body, 'data.status') === 'DELIVERY_ACK';
  const messagesWith = (text: string) => phone.messages().filter((message) => message.text === text);
  for (const moment of ['after the request is claimed', 'before the status is stored', 'before the answer is stored']) {
    const body = { number: contactNumber, textMessage: { text: `killed ${moment}` } };
    const send = (query = '') =>
      api('POST', `/message/sendText/shop${query}`, body, {
        'idempotency-key': `order ${moment}`.replaceAll(' ', '-'),
      });
    world.arm(moment);
    await expect(send('?wait=ack')).rejects.toThrow();
    await program.ended;
    // The platform delivers the message right after its ack.
    const isSent = moment !== 'after the request is claimed';
    if (isSent) await phone.waitFor(() => messagesWith(body.textMessage.text).length > 0);
    const shownBefore = messagesWith(body.textMessage.text);
    expect(shownBefore).toHaveLength(isSent ? 1 : 0);
    ({ program, api } = await world.start());
    // The log, not the webhook: the gateway can repeat the last post of the killed process.
    await program.line(/"instance":"shop".*"to":"open"/);
    const answer = await send('?wait=ack');
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    const id = textAt(answer.body, 'key.id');
    await phone.waitFor(() => messagesWith(body.textMessage.text).length > 0);
    expect(
      messagesWith(body.textMessage.text).map((message) => message.id),
      moment,
    ).toEqual([id]);
    if (shownBefore[0]) expect(shownBefore[0].id).toBe(id);
    const repeated = await send();
    expect(at(repeated.body, 'key.id')).toBe(id);
    expect(repeated.headers.get('idempotency-replayed')).toBe('true');
    // Storing a late status of this message would kill the gateway before the next message is sent.
    await world.receiver.next(isDelivered(id));
  }
  const texts = phone.messages().map((message) => message.text);
  expect(texts).toHaveLength(new Set(texts).size);
});
