import { WA_CERT_DETAILS } from '@whiskeysockets/baileys/lib/Defaults/index.js';
import { expect, it } from 'vitest';
import { installRootKey } from '../../../../src/whatsapp/baileys/patches/root-key.ts';

it('a process that trusts a sandbox connects to no other platform, and not to WhatsApp', () => {
  const sandboxKey = Buffer.alloc(32, 1);
  installRootKey(sandboxKey);
  installRootKey(sandboxKey);
  expect(() => installRootKey(Buffer.alloc(32, 2))).toThrow(/another platform/);
  expect(() => installRootKey(undefined)).toThrow(/another platform/);
  expect(() => installRootKey(Buffer.alloc(31))).toThrow(/32 bytes/);
  expect(WA_CERT_DETAILS.PUBLIC_KEY).toEqual(sandboxKey);
});
