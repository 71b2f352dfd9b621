// More sends than the gateway can handle: it refuses some of them, and only the others reach the phone and the store.
import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { startWorld, type World } from '../support/gateway.ts';

const mine = '15550023001';
const CALLERS = 256;
const numbers = Array.from({ length: 16 }, (_, n) => String(15550023100 + n));

const send = (world: World, n: number) =>
  world.api('POST', '/message/sendText/shop', {
    number: numbers[n % numbers.length],
    textMessage: { text: `text ${n}` },
  });

/**
 * Sends texts, many at a time, until the first is refused. Resolves with the numbers of the accepted and the refused
 * ones.
 */
async function sendUntilRefused(world: World): Promise<{ accepted: number[]; refused: number[] }> {
  const accepted: number[] = [];
  const refused: number[] = [];
  let next = 0;
  const caller = async () => {
    while (refused.length === 0) {
      const n = next++;
      const { status, body } = await send(world, n);
      if (status === 201) accepted.push(n);
      else {
        expect({ status, body }).toMatchObject({ status: 503, body: { code: 'OVERLOADED', certain: true } });
        refused.push(n);
      }
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return { accepted, refused };
}

const textsOf = (numbersOfTexts: readonly number[]) => numbersOfTexts.map((n) => `text ${n}`).sort();

function receivedTexts(world: World): string[] {
  const messages = numbers.flatMap((number) => world.sandbox.phones.phone(number).messages());
  return messages
    .filter(({ fromMe }) => !fromMe)
    .map(({ text }) => String(text))
    .sort();
}

describe('sends that an overloaded gateway refuses', () => {
  it('a send that an overloaded gateway refuses reaches no phone, is not stored, and can be repeated', async () => {
    const world = await startWorld({ env: { OVERLOAD_SEND_TIME: '100' } });
    await world.link('shop', mine);
    const { accepted, refused } = await sendUntilRefused(world);
    await expect.poll(() => receivedTexts(world)).toEqual(textsOf(accepted));
    const found = await world.api('POST', '/chat/findMessages/shop', { where: {}, offset: 1 });
    expect(at(found.body, 'messages.total')).toBe(accepted.length);
    const [first = 0] = refused;
    const repeated = await send(world, first);
    expect(repeated.status).toBe(201);
    expect(textAt(repeated.body, 'key.id')).not.toBe('');
    await expect.poll(() => receivedTexts(world)).toEqual(textsOf([...accepted, first]));
  });
});
