// Reads and holds the data of a client that waits to be linked: its registration, and the references in its QR codes.
// Also defines PairingError, which is thrown when linking fails.
import { randomBytes } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import { isValidSignature, KEY_TYPE_BYTE } from '../crypto/signing.ts';
import type { Timer } from '../lib/clock.ts';
import type { ClientConnection } from '../wire/connection.ts';
import type { Companion } from '../world/model.ts';

/**
 * Number of QR codes that a client shows, one after another. Each contains a reference, the text by which the server
 * finds the client when a phone has scanned the code.
 */
const QR_CODE_COUNT = 6;

/**
 * Why linking failed. `stale`: no client that waits to be linked shows the scanned QR code, or a pairing code for the
 * number of the phone. `wrong_code`: the entered code is not the code that the client or the phone shows. `refused`:
 * the client did not answer or did not accept the link.
 */
export class PairingError extends Error {
  readonly reason: 'stale' | 'wrong_code' | 'refused';
  constructor(reason: PairingError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A client that waits to be linked. */
export interface Registration {
  readonly connection: ClientConnection;
  /** The references in the client's QR codes. */
  readonly refs: string[];
  /** Public Signal identity key. */
  readonly identity: Buffer;
  /** Signal registration id. */
  readonly registrationId: number;
  /** Name and platform for the phone's list of linked devices. */
  readonly clientInfo: Companion['clientInfo'];
  readonly signedPreKey: { id: number; public: Buffer; signature: Buffer };
  /** Set when the client requested linking by pairing code. */
  hello: Hello | undefined;
  /** Timer that closes the connection when no phone links the client in time. */
  expiry: Timer | undefined;
}

/** The client's `companion_hello`, which begins linking by pairing code. */
export interface Hello {
  /** The number of the phone for which the client shows the code. */
  readonly number: string;
  /** Salt (32 bytes), IV (16 bytes), and the client's ephemeral key (32 bytes). The pairing code encrypts the key. */
  readonly wrappedKey: Buffer;
  /** Random id of this request. The later steps of the linking contain it. */
  readonly ref: Buffer;
  /** Callback for the client's key bundle; set when the phone has sent its keys. */
  onKeyBundle: ((bundle: Buffer) => void) | undefined;
}

/**
 * Reads a registration. Returns undefined when a field is missing or has a wrong size, when the signature of the signed
 * pre-key is wrong, or when the name and platform of the client are not valid protobuf.
 */
export function readRegistration(
  connection: ClientConnection,
  data: proto.ClientPayload.IDevicePairingRegistrationData,
): Registration | undefined {
  // Field names of the protobuf: `Skey` is the signed pre-key, `Regid` the registration id, `Ident` the identity key.
  const registrationId = toBytesOfSize(data.eRegid, 4);
  const preKeyId = toBytesOfSize(data.eSkeyId, 3);
  const identity = toBytesOfSize(data.eIdent, 32);
  const preKey = toBytesOfSize(data.eSkeyVal, 32);
  const signature = toBytesOfSize(data.eSkeySig, 64);
  if (!registrationId || !preKeyId || !identity || !preKey || !signature) return undefined;
  if (!isValidSignature(identity, Buffer.concat([KEY_TYPE_BYTE, preKey]), signature)) return undefined;
  const clientInfo = clientInfoOf(data.deviceProps);
  if (clientInfo === 'invalid') return undefined;
  return {
    connection,
    refs: Array.from({ length: QR_CODE_COUNT }, () => `2@${randomBytes(60).toString('base64')}`),
    identity,
    registrationId: registrationId.readUInt32BE(0),
    clientInfo,
    signedPreKey: { id: preKeyId.readUIntBE(0, 3), public: preKey, signature },
    hello: undefined,
    expiry: undefined,
  };
}

const toBytesOfSize = (bytes: Uint8Array | null | undefined, size: number): Buffer | undefined =>
  bytes?.length === size ? Buffer.from(bytes) : undefined;

/** Name and platform of the client; undefined when it sent none, `invalid` when they are not valid protobuf. */
function clientInfoOf(props: Uint8Array | null | undefined): Companion['clientInfo'] | 'invalid' {
  if (!props) return undefined;
  try {
    const { os, platformType } = proto.DeviceProps.decode(props);
    return { name: os ?? '', platform: proto.DeviceProps.PlatformType[platformType ?? 0] ?? '' };
  } catch {
    return 'invalid';
  }
}
