import { initAuthCreds } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { readRegistration } from '../src/pairing/registration.ts';
import type { ClientConnection } from '../src/wire/connection.ts';

it('readRegistration() rejects a registration with malformed device properties or without a signed pre-key', () => {
  const { signedIdentityKey, signedPreKey } = initAuthCreds();
  const data = {
    eRegid: Buffer.alloc(4, 1),
    eSkeyId: Buffer.alloc(3, 1),
    eIdent: signedIdentityKey.public,
    eSkeyVal: signedPreKey.keyPair.public,
    eSkeySig: signedPreKey.signature,
  };
  // readRegistration() stores the connection and does not use it.
  const connection = {} as ClientConnection;
  expect(readRegistration(connection, data)?.clientInfo).toBeUndefined();
  expect(readRegistration(connection, { ...data, deviceProps: Buffer.of(0x0a, 0xff) })).toBeUndefined();
  expect(readRegistration(connection, { ...data, eSkeyVal: undefined })).toBeUndefined();
});
