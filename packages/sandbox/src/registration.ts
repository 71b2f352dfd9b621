// A client that waits to be linked: its registration data, its QR references, and the errors of linking.
import { randomBytes } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import type { Companion } from './model.ts';
import { isValidSignature, KEY_TYPE_BYTE } from './signing.ts';
import type { ClientConnection } from './wire/connection.ts';

const QR_CODE_COUNT = 6;

/**
 * `stale`: no client waits with that QR code or number. `wrong_code`: the pairing code does not open the client's key.
 * `refused`: the client hung up.
 */
export class PairingError extends Error {
  readonly reason: 'stale' | 'wrong_code' | 'refused';
  constructor(reason: PairingError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A client that asked to be linked and waits. */
export interface Registration {
  readonly connection: ClientConnection;
  readonly refs: string[];
  readonly identity: Buffer;
  readonly registrationId: number;
  /** What it wants to be called. */
  readonly clientInfo: Companion['clientInfo'];
  readonly signedPreKey: { id: number; public: Buffer; signature: Buffer };
  /** Set when the client asked for a pairing code. */
  hello: Hello | undefined;
}

/** What the client sent when it asked for a code. */
export interface Hello {
  readonly number: string;
  /** salt 32 | iv 16 | the client's ephemeral key 32, encrypted under the code. */
  readonly wrapped: Buffer;
  readonly ref: Buffer;
  /** Resolves the phone's wait for the client's key bundle. */
  finish: ((bundle: Buffer) => void) | undefined;
}

/** The registration, or undefined when a field is missing or the signed pre-key is not signed by the identity. */
export function readRegistration(
  connection: ClientConnection,
  data: proto.ClientPayload.IDevicePairingRegistrationData,
): Registration | undefined {
  const [id, keyId, identity, value, signature] = [
    [data.eRegid, 4],
    [data.eSkeyId, 3],
    [data.eIdent, 32],
    [data.eSkeyVal, 32],
    [data.eSkeySig, 64],
  ].map(([bytes, size]) => (bytes instanceof Uint8Array && bytes.length === size ? Buffer.from(bytes) : undefined));
  if (!id || !keyId || !identity || !value || !signature) return undefined;
  if (!isValidSignature(identity, Buffer.concat([KEY_TYPE_BYTE, value]), signature)) return undefined;
  return {
    connection,
    refs: Array.from({ length: QR_CODE_COUNT }, () => `2@${randomBytes(60).toString('base64')}`),
    identity,
    registrationId: id.readUInt32BE(0),
    clientInfo: clientInfoOf(data.deviceProps),
    signedPreKey: { id: keyId.readUIntBE(0, 3), public: value, signature },
    hello: undefined,
  };
}

function clientInfoOf(props: Uint8Array | null | undefined): Companion['clientInfo'] {
  if (!props) return undefined;
  const { os, platformType } = proto.DeviceProps.decode(props);
  return { name: os ?? '', platform: proto.DeviceProps.PlatformType[platformType ?? 0] ?? '' };
}
