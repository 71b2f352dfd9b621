// The simulated platform with one real client: `mine` is linked again for each test, `peer` is another person's
// phone.
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { silenceConsole } from '../../../test/support/console.ts';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import type { Phone } from '../src/phone/phone.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { RealClient } from './real-client.ts';

export let sandbox: Sandbox;
export let mine: string;
export let peer: Phone;
export let client: RealClient;
let nextNumber = 15_550_006_001;

/** Sets the stage for the tests of the file that calls it. */
export function onStage(): void {
  silenceConsole();
  beforeAll(async () => {
    sandbox = await createLightSandbox();
  });
  afterAll(() => sandbox.close());
  beforeEach(async () => {
    mine = String(nextNumber++);
    peer = sandbox.phones.phone(String(nextNumber++));
    client = new RealClient(sandbox, { creds: sandbox.provision(mine), keys: new Map() });
    await client.open();
  });
  afterEach(async () => {
    await client.sock.end(undefined);
    expect(sandbox.unanswered).toEqual([]);
  });
}
