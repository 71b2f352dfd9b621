import { describe, expect, it, onTestFinished } from 'vitest';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { type Api, at } from '../support/api.ts';
import { type Frame, malformedFrames, malformedStanzas } from '../support/frames.ts';
import { isEvent, KEY } from '../support/gateway.ts';
import { nameOf, numberOf, opened, provision, start } from '../support/linked.ts';
import type { Program } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const theirs = '15550008001';

interface Stage {
  sandbox: Sandbox;
  receiver: Receiver;
  program: Program;
  api: Api;
  /** Stops the gateway and starts it on the same data. */
  restart(): Promise<Stage>;
}

/** A gateway in a process of its own with two open instances; all of its log is the process's output. */
async function stage(): Promise<Stage> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const place = await provision(2, { hook: receiver.url });
  const begin = async (): Promise<Stage> => {
    const { program, api } = await start(place);
    await Promise.all([opened(program, 1), opened(program, 2)]);
    return {
      ...{ sandbox: place.sandbox, receiver, program, api },
      async restart() {
        await program.stop();
        return begin();
      },
    };
  };
  return begin();
}

/** Sends a text to the instance and waits until it is posted. */
async function expectDelivery({ sandbox, receiver }: Stage, n: number, text: string): Promise<void> {
  await sandbox.phones.phone(theirs).send(numberOf(n), { text });
  await receiver.next(({ body }) => isEvent(body, 'messages.upsert', nameOf(n)) && JSON.stringify(body).includes(text));
}

const transitions = ({ lines }: Program, n: number, from = 0) =>
  lines
    .slice(from)
    .filter((line) => line.includes('instance.state.changed') && line.includes(`"instance":"${nameOf(n)}"`));

async function counted({ api }: Stage): Promise<number> {
  const response = await fetch(`${api.url}/metrics`, { headers: { apikey: KEY } });
  const values = [...(await response.text()).matchAll(/^gateway_contained_errors_total\{.*\} (\d+)$/gm)];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

describe('a malformed frame', { timeout: 180_000 }, () => {
  it('ends the session that it came in and nothing else, with a cause, for at most 10 s', async () => {
    let world = await stage();
    for (const [what, make] of Object.entries(malformedFrames)) {
      const { as, bytes }: Frame = make();
      const before = world.program.lines.length;
      const begin = performance.now();
      world.sandbox.inject(numberOf(1), as, bytes);
      const end = await world.program.line(/"instance":"n1","from":"open"/, before);
      expect(at(JSON.parse(end), 'cause'), what).toBe('malformed');
      await world.program.line(/"instance":"n1".*"to":"open"/, before);
      expect(performance.now() - begin, what).toBeLessThan(10_000);
      expect(transitions(world.program, 2, before), what).toEqual([]);
      await expectDelivery(world, 1, `after ${what}`);
      await expectDelivery(world, 2, `beside ${what}`);
    }
    const { body } = await world.api('GET', `/instance/fetchInstances?instanceName=${nameOf(1)}`);
    expect(at(body, '0.disconnectionReasonCode')).toBe(502);
    expect(await counted(world)).toBe(Object.keys(malformedFrames).length);
    world = await world.restart();
    await expectDelivery(world, 1, 'after the restart');
  });
});

describe('a malformed stanza', () => {
  it('leaves every instance open, or open again within 10 s, and later messages arrive', async () => {
    const world = await stage();
    for (const [what, make] of Object.entries(malformedStanzas)) {
      const { as, bytes } = make();
      const before = world.program.lines.length;
      const begin = performance.now();
      world.sandbox.inject(numberOf(1), as, bytes);
      await expectDelivery(world, 1, `after ${what}`);
      expect(performance.now() - begin, what).toBeLessThan(10_000);
      await expectDelivery(world, 2, `beside ${what}`);
      expect(transitions(world.program, 2, before), what).toEqual([]);
    }
    for (const n of [1, 2]) {
      const { body } = await world.api('GET', `/instance/connectionState/${nameOf(n)}`);
      expect(at(body, 'instance.state')).toBe('open');
    }
    await (await world.restart()).program.stop();
  });
});
