// A gateway in a process of its own that can be killed at exact moments (kill-at-moment.ts). The platform and a receiver run in
// the process of the test.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { type Api, textAt } from './api.ts';
import { emptyFolder } from './folder.ts';
import { isState } from './gateway.ts';
import { createLightSandbox } from './light-sandbox.ts';
import { startGatewayProcess } from './linked-processes.ts';
import type { Program } from './process.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const KILLER = './test/support/kill-at-moment.ts';

export interface Stage {
  sandbox: Sandbox;
  receiver: Receiver;
  /** Starts the gateway on the same data. Removes the effect of arm(). */
  start(): Promise<{ program: Program; api: Api }>;
  /** Kills the gateway the next time it reaches this moment, which is a key of `MOMENTS` in kill-at-moment.ts. */
  arm(moment: string): void;
}

/** Starts the platform and the receiver. `env` is the environment of the gateway. */
export async function startStage(env: Record<string, string>): Promise<Stage> {
  const dataDir = emptyFolder();
  const sandbox = await createLightSandbox();
  onTestFinished(() => sandbox.close());
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const killFile = join(dataDir, 'kill');
  return {
    sandbox,
    receiver,
    async start() {
      rmSync(killFile, { force: true });
      const gateway = await startGatewayProcess({ sandbox, dataDir }, { KILL_FILE: killFile, ...env }, [
        '--import',
        KILLER,
      ]);
      await gateway.program.line(/gateway.ready/);
      return gateway;
    },
    arm: (moment) => writeFileSync(killFile, moment),
  };
}

/** Creates the instance `shop` and links it to the phone `number`. */
export async function link({ sandbox, receiver }: Stage, api: Api, number: string): Promise<void> {
  const instance = { instanceName: 'shop', qrcode: true, webhook: receiver.url };
  const created = await api('POST', '/instance/create', instance);
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  await sandbox.pairing.scanQr(number, textAt(created.body, 'qrcode.code'));
  await receiver.next(({ body }) => isState(body, 'shop', 'open'));
}
