// What a link with a passkey leaves in the store: the phone gets a new secret, and the stored credentials have the same one.
import { expect, it } from 'vitest';
import { decodeCreds } from '../../src/whatsapp/baileys/auth/codec.ts';
import type { SessionSignal } from '../../src/whatsapp/session.ts';
import { requirePasskey } from '../support/passkey.ts';
import { type Line, mine, useStage } from './stage.ts';

const stage = useStage();

const passkeyAt = (line: Line, wanted: string) =>
  line.until(() =>
    line.signals.find((each: SessionSignal) => each.type === 'passkey' && each.status?.stage === wanted),
  );

const storedSecret = () => stage.keys.credsRow && decodeCreds(stage.keys.credsRow).advSecretKey;

it('the stored credentials never have the secret of the QR code once a phone has scanned it', {
  timeout: 20_000,
}, async () => {
  const owner = requirePasskey(stage.sandbox, mine);
  const line = await stage.open({ passkeyLinking: true });
  const { code } = await line.signal('qr');
  const scanned = code.split(',')[3];
  const linked = stage.sandbox.pairing.scanQr(mine, code);
  await passkeyAt(line, 'required');
  const { passkey } = line.session;
  const request = passkey.status()?.request;
  await passkey.answer(owner.assert(request ?? { challenge: '', rpId: '' }));
  await passkeyAt(line, 'confirm');
  const secret = storedSecret();
  expect(Buffer.from(secret ?? '', 'base64')).toHaveLength(32);
  expect(secret).not.toBe(scanned);
  await passkey.confirm(passkey.status()?.code ?? '');
  await linked;
  expect(await line.signal('closed')).toMatchObject({ code: 515 });
  expect(storedSecret()).toBe(secret);
  const again = await stage.open();
  await again.signal('open');
});
