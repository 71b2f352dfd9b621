// Creates sessions to import: the state of Baileys clients that have exchanged messages with a contact and in a group.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { type Make, OldClient, type OldState } from './old-clients.ts';

/** The number of the contact of every client. */
const FRIEND = '15550004999';

/** Links a client, exchanges messages, stops the client and returns its state. */
export async function createOldState(sandbox: Sandbox, make: Make, number: string): Promise<OldState> {
  const folder = mkdtempSync(join(tmpdir(), 'old-client-'));
  const client = new OldClient(sandbox, { make, number, folder });
  await client.link();
  const friend = sandbox.phones.phone(FRIEND);
  await client.receivedText(await friend.send(number, { text: 'hello' }));
  await client.send(FRIEND, 'hello');
  const group = friend.createGroup('team', [number]);
  await client.receivedText(await friend.send(group.id, { text: 'hello' }));
  await client.send(group.id, 'hello');
  await client.stop();
  rmSync(folder, { recursive: true });
  return client.state();
}
