// Queries as clients send them that are not based on Baileys, and the parts of the answers that only such clients read.
import { type BinaryNode, initAuthCreds } from '@whiskeysockets/baileys';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../src/sandbox.ts';
import { RawClient } from './raw-client.ts';

let sandbox: Sandbox;
let number = 15_550_033_000;
let client: RawClient;

beforeAll(async () => {
  sandbox = await createSandbox({ tlsPort: false });
});
afterAll(async () => {
  expect(sandbox.unanswered).toEqual([]);
  await sandbox.close();
});
beforeEach(async () => {
  client = await RawClient.connect(sandbox.platformUrl, sandbox.provision(String(++number)));
});

const node = (tag: string, attrs: BinaryNode['attrs'] = {}, content?: BinaryNode['content']) => ({
  tag,
  attrs,
  content,
});

describe('a keep-alive without <ping/>', () => {
  it('is answered before and after linking', async () => {
    const keepAlive = { xmlns: 'w:p', type: 'get' };
    expect(await client.ask(keepAlive)).toMatchObject({ attrs: { type: 'result' } });
    const unlinked = await RawClient.connect(sandbox.platformUrl, initAuthCreds());
    expect(await unlinked.ask(keepAlive)).toMatchObject({ attrs: { type: 'result' } });
    expect(await unlinked.ask(keepAlive, [node('ping')])).toMatchObject({ attrs: { type: 'result' } });
  });
});
