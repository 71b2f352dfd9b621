import { describe, expect, it, onTestFinished } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent, KEY } from '../support/gateway.ts';
import {
  createLinkedStore,
  nameOf,
  numberOf,
  startGatewayProcess,
  waitUntilOpen,
} from '../support/linked-processes.ts';
import { startReceiver } from '../support/receiver.ts';
import { undecodableMessages } from '../support/undecodable-messages.ts';

const contact = '15550008101';

async function startStage() {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const place = await createLinkedStore(2, { hook: receiver.url });
  const run = async () => {
    const gateway = await startGatewayProcess(place);
    await Promise.all([waitUntilOpen(gateway.program, 1), waitUntilOpen(gateway.program, 2)]);
    return gateway;
  };
  const phone = place.sandbox.phones.phone(contact);
  const sendAndReceive = async (n: number, text: string) => {
    await phone.send(numberOf(n), { text });
    await receiver.next(
      ({ body }) => isEvent(body, 'messages.upsert', nameOf(n)) && JSON.stringify(body).includes(`"${text}"`),
    );
  };
  const waitForReport = (id: string) =>
    receiver.next(({ body }) => isEvent(body, 'messages.undecryptable', nameOf(1)) && at(body, 'data.key.id') === id);
  return { receiver, run, phone, sendAndReceive, waitForReport };
}

describe('messages that the gateway cannot process', () => {
  it('a message that the gateway cannot process is reported once and not retried, and later messages arrive', async () => {
    const { receiver, run, phone, sendAndReceive, waitForReport } = await startStage();
    const { program, api } = await run();
    const linesBefore = program.lines.length;
    for (const [n, [kind, { raw, isReported }]] of Object.entries(undecodableMessages).entries()) {
      const id = `POISON${n}`;
      await phone.send(numberOf(1), { raw: raw() }, { id });
      await sendAndReceive(1, `after ${kind}`);
      if (isReported) expect(at((await waitForReport(id)).body, 'data.reason'), kind).toBeTypeOf('string');
      await sendAndReceive(2, `beside ${kind}`);
    }
    const stateChanges = program.lines.slice(linesBefore).filter((line) => line.includes('instance.state.changed'));
    expect(stateChanges).toEqual([]);
    const metrics = await (await fetch(`${api.url}/metrics`, { headers: { apikey: KEY } })).text();
    expect(metrics).toMatch(/^gateway_contained_errors_total\{scope="message"\} [1-9]/m);
    expect(metrics).toMatch(/^gateway_undecryptable_messages_total [1-9]/m);

    // SIGKILL leaves the process no time to clean up.
    await program.stop('SIGKILL');
    const postsBefore = receiver.posts.length;
    const second = await run();
    await sendAndReceive(1, 'after the first start');
    await second.program.stop();
    const third = await run();
    await sendAndReceive(1, 'after the second start');
    for (const { lines } of [second.program, third.program]) {
      expect(lines.filter((line) => line.includes('session.item.skipped'))).toEqual([]);
      expect(lines.filter((line) => line.includes('"cause":'))).toEqual([]);
    }
    expect(third.program.lines.filter((line) => line.includes('message.resumed'))).toEqual([]);
    const repeatedReports = receiver.posts
      .slice(postsBefore)
      .filter(({ body }) => isEvent(body, 'messages.undecryptable'));
    expect(repeatedReports).toEqual([]);
  });
});
