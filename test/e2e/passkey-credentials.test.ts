// Stored credentials after a link with a passkey: they contain the new secret that the phone received.
import { expect, it } from 'vitest';
import { decodeCreds } from '../../src/whatsapp/baileys/auth/codec.ts';
import type { SessionSignal } from '../../src/whatsapp/session.ts';
import { requirePasskey } from '../support/passkey.ts';
import { ownNumber, type SessionProbe, useStage } from './session-stage.ts';

const stage = useStage();

const waitForPasskeyStage = (line: SessionProbe, expectedStage: string) =>
  line.until(() =>
    line.signals.find((signal: SessionSignal) => signal.type === 'passkey' && signal.status?.stage === expectedStage),
  );

const storedSecret = () => stage.keys.credsRow && decodeCreds(stage.keys.credsRow).advSecretKey;

it('stored credentials do not contain the secret of the QR code once a phone has scanned it', {
  timeout: 20_000,
}, async () => {
  const owner = requirePasskey(stage.sandbox, ownNumber);
  const line = await stage.open({ passkeyLinking: true });
  const { code } = await line.signal('qr');
  const scannedSecret = code.split(',')[3];
  const linking = stage.sandbox.pairing.scanQr(ownNumber, code);
  await waitForPasskeyStage(line, 'required');
  const { passkey } = line.session;
  const request = passkey.status()?.request;
  await passkey.answer(owner.assert(request ?? { challenge: '', rpId: '' }));
  await waitForPasskeyStage(line, 'confirm');
  const secret = storedSecret();
  expect(Buffer.from(secret ?? '', 'base64')).toHaveLength(32);
  expect(secret).not.toBe(scannedSecret);
  await passkey.confirm(passkey.status()?.code ?? '');
  await linking;
  expect(await line.signal('closed')).toMatchObject({ code: 515 });
  expect(storedSecret()).toBe(secret);
  const secondLine = await stage.open();
  await secondLine.signal('open');
});
