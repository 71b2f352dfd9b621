// Resuming with the server key that a client knows: IK in one round trip, and XXfallback when the server cannot decrypt
// it.
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

describe('a client that knows the key of the server', () => {
  it('logs in with one round trip', async () => {
    const creds = sandbox.provision(String(++number));
    const first = await RawClient.connect(sandbox.platformUrl, creds);
    expect(first.noise.pattern).toBe('XX');
    first.hangUp();
    await first.until(() => first.closed);
    const again = await RawClient.connect(sandbox.platformUrl, creds, first.noise.serverKey);
    expect(again.noise.pattern).toBe('IK');
    await again.received('success');
    await again.goLive();
  });

  it('is refused like any other when its key is not that of its device', async () => {
    const { noise } = await RawClient.connect(sandbox.platformUrl, initAuthCreds());
    const creds = { ...sandbox.provision(String(++number)), noiseKey: Curve.generateKeyPair() };
    const client = await RawClient.connect(sandbox.platformUrl, creds, noise.serverKey);
    expect(await client.received('failure')).toMatchObject({ attrs: { reason: '401' } });
  });

  it('continues with the key that the server has now when it knows an old one', async () => {
    const creds = sandbox.provision(String(++number));
    const old = Curve.generateKeyPair().public;
    const client = await RawClient.connect(sandbox.platformUrl, creds, old);
    expect(client.noise.pattern).toBe('XXfallback');
    await client.goLive();
    const again = await RawClient.connect(sandbox.platformUrl, creds, client.noise.serverKey);
    expect(again.noise.pattern).toBe('IK');
    await again.goLive();
  });

  it('is disconnected when it sends half of what resuming needs', async () => {
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
