// The sandbox with one real client. Each test gets a new client, which is linked to the phone of `ownNumber`, and a new
// `peer`, the phone of another account.
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { silenceConsole } from '../../../test/support/console.ts';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import type { Phone } from '../src/phone/phone.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { RealClient } from './real-client.ts';

export let sandbox: Sandbox;
export let ownNumber: string;
export let peer: Phone;
export let client: RealClient;
let nextNumber = 15_550_006_001;

/** Starts the sandbox for the tests of the calling file, and connects a new client before each test. */
export function setUpClient(): void {
  silenceConsole();
  beforeAll(async () => {
    sandbox = await createLightSandbox();
  });
  afterAll(() => sandbox.close());
  beforeEach(async () => {
    ownNumber = String(nextNumber++);
    peer = sandbox.phones.phone(String(nextNumber++));
    client = new RealClient(sandbox, { creds: sandbox.provision(ownNumber), keys: new Map() });
    await client.open();
  });
  afterEach(async () => {
    await client.sock.end(undefined);
    expect(sandbox.unanswered).toEqual([]);
  });
}
