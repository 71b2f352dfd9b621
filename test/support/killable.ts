// A gateway in a process of its own that can be killed at exact moments (killer.ts), the platform and a receiver beside it.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { type Api, textAt } from './api.ts';
import { emptyFolder } from './folder.ts';
import { isState } from './gateway.ts';
import { createLightSandbox } from './light-sandbox.ts';
import { start } from './linked.ts';
import type { Program } from './process.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const killer = './test/support/killer.ts';

export interface Stage {
  sandbox: Sandbox;
  receiver: Receiver;
  /** Starts the gateway on the same data again, with nothing that would kill it. */
  start(): Promise<{ program: Program; api: Api }>;
  /** From now on the gateway dies at this point. */
  arm(moment: string): void;
}

/** Starts platform and receiver; `env` is the gateway's. */
export async function stage(env: Record<string, string>): Promise<Stage> {
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
      const gateway = await start({ sandbox, dataDir }, { KILL_FILE: killFile, ...env }, ['--import', killer]);
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
