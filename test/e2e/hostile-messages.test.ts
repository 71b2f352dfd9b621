import { describe, expect, it, onTestFinished } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent, KEY } from '../support/gateway.ts';
import { nameOf, numberOf, opened, provision, start } from '../support/linked.ts';
import { poison } from '../support/poison.ts';
import { startReceiver } from '../support/receiver.ts';

const theirs = '15550008101';

async function stage() {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const place = await provision(2, { hook: receiver.url });
  const run = async () => {
    const gateway = await start(place);
    await Promise.all([opened(gateway.program, 1), opened(gateway.program, 2)]);
    return gateway;
  };
  const phone = place.sandbox.phones.phone(theirs);
  const arrived = async (n: number, text: string) => {
    await phone.send(numberOf(n), { text });
    await receiver.next(
      ({ body }) => isEvent(body, 'messages.upsert', nameOf(n)) && JSON.stringify(body).includes(`"${text}"`),
    );
  };
  const reported = (id: string) =>
    receiver.next(({ body }) => isEvent(body, 'messages.undecryptable', nameOf(1)) && at(body, 'data.key.id') === id);
  return { receiver, run, phone, arrived, reported };
}

describe('a message that cannot be handled', () => {
  it('is reported once and never tried again; no session ends, and what follows arrives', async () => {
    const { receiver, run, phone, arrived, reported } = await stage();
    const { program, api } = await run();
    const before = program.lines.length;
    for (const [n, [what, { raw, isReported }]] of Object.entries(poison).entries()) {
      const id = `POISON${n}`;
      await phone.send(numberOf(1), { raw: raw() }, { id });
      await arrived(1, `after ${what}`);
      if (isReported) expect(at((await reported(id)).body, 'data.reason'), what).toBeTypeOf('string');
      await arrived(2, `beside ${what}`);
    }
    const moves = program.lines.slice(before).filter((line) => line.includes('instance.state.changed'));
    expect(moves).toEqual([]);
    const metrics = await (await fetch(`${api.url}/metrics`, { headers: { apikey: KEY } })).text();
    expect(metrics).toMatch(/^gateway_contained_errors_total\{scope="message"\} [1-9]/m);
    expect(metrics).toMatch(/^gateway_undecryptable_messages_total [1-9]/m);

    // Killed, so that nothing is tidied on the way out.
    await program.stop('SIGKILL');
    const posts = receiver.posts.length;
    const second = await run();
    await arrived(1, 'after the first start');
    await second.program.stop();
    const third = await run();
    await arrived(1, 'after the second start');
    for (const { lines } of [second.program, third.program]) {
      expect(lines.filter((line) => line.includes('session.item.skipped'))).toEqual([]);
      expect(lines.filter((line) => line.includes('"cause":'))).toEqual([]);
    }
    expect(third.program.lines.filter((line) => line.includes('message.resumed'))).toEqual([]);
    const again = receiver.posts.slice(posts).filter(({ body }) => isEvent(body, 'messages.undecryptable'));
    expect(again).toEqual([]);
  });
});
