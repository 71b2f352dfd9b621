import { describe, expect, it, onTestFinished } from 'vitest';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { type Api, at } from '../support/api.ts';
import { type Frame, malformedFrames, malformedStanzas } from '../support/frames.ts';
import { isEvent, KEY } from '../support/gateway.ts';
import {
  createLinkedStore,
  nameOf,
  numberOf,
  startGatewayProcess,
  waitUntilOpen,
} from '../support/linked-processes.ts';
import type { Program } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const contactNumber = '15550008001';

interface Stage {
  sandbox: Sandbox;
  receiver: Receiver;
  program: Program;
  api: Api;
  /** Stops the gateway and starts it on the same data. */
  restart(): Promise<Stage>;
}

/** Starts a gateway with two open instances in a separate process. The output of the process is its complete log. */
async function startStage(): Promise<Stage> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const provisioned = await createLinkedStore(2, { hook: receiver.url });
  const startGateway = async (): Promise<Stage> => {
    const { program, api } = await startGatewayProcess(provisioned);
    await Promise.all([waitUntilOpen(program, 1), waitUntilOpen(program, 2)]);
    return {
      ...{ sandbox: provisioned.sandbox, receiver, program, api },
      async restart() {
        await program.stop();
        return startGateway();
      },
    };
  };
  return startGateway();
}

/** Sends a text to the instance and waits until the gateway posts it. */
async function expectDelivery({ sandbox, receiver }: Stage, n: number, text: string): Promise<void> {
  await sandbox.phones.phone(contactNumber).send(numberOf(n), { text });
  await receiver.next(({ body }) => isEvent(body, 'messages.upsert', nameOf(n)) && JSON.stringify(body).includes(text));
}

const transitionsOf = ({ lines }: Program, n: number, from = 0) =>
  lines
    .slice(from)
    .filter((line) => line.includes('instance.state.changed') && line.includes(`"instance":"${nameOf(n)}"`));

async function countContainedErrors({ api }: Stage): Promise<number> {
  const response = await fetch(`${api.url}/metrics`, { headers: { apikey: KEY } });
  const values = [...(await response.text()).matchAll(/^gateway_contained_errors_total\{.*\} (\d+)$/gm)];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

describe('malformed frames', { timeout: 180_000 }, () => {
  it('a malformed frame closes only its own session with the cause "malformed", and the session reopens within 10 s', async () => {
    let stage = await startStage();
    for (const [frameName, createFrame] of Object.entries(malformedFrames)) {
      const { as, bytes }: Frame = createFrame();
      const linesBefore = stage.program.lines.length;
      const startedAt = performance.now();
      stage.sandbox.inject(numberOf(1), as, bytes);
      const closeLine = await stage.program.line(/"instance":"n1","from":"open"/, linesBefore);
      expect(at(JSON.parse(closeLine), 'cause'), frameName).toBe('malformed');
      await stage.program.line(/"instance":"n1".*"to":"open"/, linesBefore);
      expect(performance.now() - startedAt, frameName).toBeLessThan(10_000);
      expect(transitionsOf(stage.program, 2, linesBefore), frameName).toEqual([]);
      await expectDelivery(stage, 1, `after ${frameName}`);
      await expectDelivery(stage, 2, `beside ${frameName}`);
    }
    const { body } = await stage.api('GET', `/instance/fetchInstances?instanceName=${nameOf(1)}`);
    expect(at(body, '0.disconnectionReasonCode')).toBe(502);
    expect(await countContainedErrors(stage)).toBe(Object.keys(malformedFrames).length);
    stage = await stage.restart();
    await expectDelivery(stage, 1, 'after the restart');
  });
});

describe('malformed stanzas', () => {
  it('an instance delivers messages within 10 s after a malformed stanza, and no other instance closes', async () => {
    const stage = await startStage();
    for (const [stanzaName, createStanza] of Object.entries(malformedStanzas)) {
      const { as, bytes } = createStanza();
      const linesBefore = stage.program.lines.length;
      const startedAt = performance.now();
      stage.sandbox.inject(numberOf(1), as, bytes);
      await expectDelivery(stage, 1, `after ${stanzaName}`);
      expect(performance.now() - startedAt, stanzaName).toBeLessThan(10_000);
      await expectDelivery(stage, 2, `beside ${stanzaName}`);
      expect(transitionsOf(stage.program, 2, linesBefore), stanzaName).toEqual([]);
    }
    for (const n of [1, 2]) {
      const { body } = await stage.api('GET', `/instance/connectionState/${nameOf(n)}`);
      expect(at(body, 'instance.state')).toBe('open');
    }
    await (await stage.restart()).program.stop();
  });
});
