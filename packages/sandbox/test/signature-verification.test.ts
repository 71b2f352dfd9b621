import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { installSignatureVerification } from '../../../src/whatsapp/baileys/patches/signature-verification.ts';
import { connect, createAuth } from '../../../test/support/client.ts';
import { createSandbox, type Sandbox } from '../src/sandbox.ts';
import { noViolations } from '../src/world/violations.ts';

const NUMBER = '491700700001';

let sandbox: Sandbox;

beforeAll(async () => {
  installSignatureVerification({ verify: 'strict', log: pino({ level: 'silent' }) });
  sandbox = await createSandbox({ tlsPort: false });
});
afterEach(() => Object.assign(sandbox.violations, noViolations()));
afterAll(() => sandbox.close());

describe('clients that verify signatures', () => {
  it('a client that verifies signatures connects to a server without violations', async () => {
    await connect(sandbox, createAuth(sandbox.provision(NUMBER))).open();
  });

  it('a client that verifies signatures disconnects when the certificate chain has another root', async () => {
    sandbox.violations.certificate = true;
    const client = connect(sandbox, createAuth(sandbox.provision(NUMBER)));
    expect(await client.closed()).toBe(400);
  });

  it('a client that verifies signatures refuses to be linked with a wrong account signature', async () => {
    const client = connect(sandbox);
    const { qr = '' } = await client.update((update) => Boolean(update.qr));
    const before = sandbox.world.account(NUMBER).companions.size;
    sandbox.violations.accountSignature = true;
    await expect(sandbox.pairing.scanQr(NUMBER, qr)).rejects.toMatchObject({ reason: 'refused' });
    await client.closed();
    expect(client.auth.creds.account).toBeUndefined();
    expect(sandbox.world.account(NUMBER).companions.size).toBe(before);
  });

  it('a client that verifies signatures opens no session with a device whose pre-key has a wrong signature', async () => {
    const client = connect(sandbox, createAuth(sandbox.provision(NUMBER)));
    await client.open();
    const contact = '491700700002@s.whatsapp.net';
    const { signalRepository } = client.socket;
    await signalRepository.lidMapping.getLIDForPN(contact);
    sandbox.violations.preKeySignature = true;
    await expect(client.socket.assertSessions([contact], true)).rejects.toThrow();
    expect(await signalRepository.validateSession(contact)).toMatchObject({ exists: false });
    sandbox.violations.preKeySignature = false;
    await client.socket.assertSessions([contact], true);
    expect(await signalRepository.validateSession(contact)).toMatchObject({ exists: true });
  });
});
