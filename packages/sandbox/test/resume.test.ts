// Resumption of a client that knows the key of the server: IK in one round trip, and XXfallback when the server cannot
// decrypt the client hello.
import { Curve, initAuthCreds, proto } from '@whiskeysockets/baileys';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createSandbox, type Sandbox } from '../src/sandbox.ts';
import { RawClient } from './raw-client.ts';

const INTRO = Buffer.from([0x57, 0x41, 6, 3]);

let sandbox: Sandbox;
let number = 15_550_031_000;

beforeAll(async () => {
  sandbox = await createSandbox({ tlsPort: false });
});
afterAll(() => sandbox.close());

describe('resumption with the key of the server', () => {
  it('a client that knows the key of the server logs in with one round trip', async () => {
    const creds = sandbox.provision(String(++number));
    const first = await RawClient.connect(sandbox.platformUrl, creds);
    expect(first.noise.pattern).toBe('XX');
    first.hangUp();
    await first.until(() => first.closed);
    const resumed = await RawClient.connect(sandbox.platformUrl, creds, first.noise.serverKey);
    expect(resumed.noise.pattern).toBe('IK');
    await resumed.received('success');
    await resumed.goLive();
  });

  it('a client that knows the key of the server gets 401 when its own key is not that of its device', async () => {
    const { noise } = await RawClient.connect(sandbox.platformUrl, initAuthCreds());
    const creds = { ...sandbox.provision(String(++number)), noiseKey: Curve.generateKeyPair() };
    const client = await RawClient.connect(sandbox.platformUrl, creds, noise.serverKey);
    expect(await client.received('failure')).toMatchObject({ attrs: { reason: '401' } });
  });

  it('a client that knows an old key of the server continues with the current key', async () => {
    const creds = sandbox.provision(String(++number));
    const oldKey = Curve.generateKeyPair().public;
    const client = await RawClient.connect(sandbox.platformUrl, creds, oldKey);
    expect(client.noise.pattern).toBe('XXfallback');
    await client.goLive();
    const resumed = await RawClient.connect(sandbox.platformUrl, creds, client.noise.serverKey);
    expect(resumed.noise.pattern).toBe('IK');
    await resumed.goLive();
  });

  it('the server disconnects a client whose hello contains only one of the two fields for resumption', async () => {
    const [ephemeral, rest] = [Curve.generateKeyPair().public, Buffer.alloc(48)];
    for (const clientHello of [
      { ephemeral, static: rest },
      { ephemeral, payload: rest },
    ]) {
      const hello = proto.HandshakeMessage.encode({ clientHello }).finish();
      const socket = new WebSocket(sandbox.platformUrl);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.once('open', () => socket.send(Buffer.concat([INTRO, Buffer.from([0, 0, hello.length]), hello])));
      await closed;
    }
  });
});
