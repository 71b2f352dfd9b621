import { WA_CERT_DETAILS } from '@whiskeysockets/baileys/lib/Defaults/index.js';
import { expect, it } from 'vitest';
import { installRootKey } from '../../../../src/whatsapp/baileys/patches/root-key.ts';
import { createLightSandbox } from '../../../support/light-sandbox.ts';

it('installRootKey() throws for another root key when the process already trusts the key of a sandbox', async () => {
  // Other tests of this process trust the same key: all sandboxes of a process share it.
  const { rootKey, close } = await createLightSandbox();
  await close();
  installRootKey(rootKey);
  installRootKey(rootKey);
  expect(() => installRootKey(Buffer.alloc(32, 2))).toThrow(/another platform/);
  expect(() => installRootKey(undefined)).toThrow(/another platform/);
  expect(() => installRootKey(Buffer.alloc(31))).toThrow(/32 bytes/);
  expect(WA_CERT_DETAILS.PUBLIC_KEY).toEqual(rootKey);
});
