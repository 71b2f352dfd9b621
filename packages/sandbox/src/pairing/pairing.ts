// Links a client to a phone: registration, QR code, `<pair-success>` (the server's confirmation), verification of the
// client's signature, and the error 515, after which the client reconnects and logs in.
import { type BinaryNode, getBinaryNodeChild, proto } from '@whiskeysockets/baileys';
import { childBytes, element, SERVER } from '../lib/binary-node.ts';
import type { Clock } from '../lib/clock.ts';
import type { Answer } from '../stanzas/router.ts';
import type { ClientConnection } from '../wire/connection.ts';
import { isDeviceSigned, signDevice } from '../world/adv.ts';
import { type DeviceNumbers, nextDeviceNumbers } from '../world/device-numbers.ts';
import type { Devices } from '../world/devices.ts';
import { type Faults, failureNode, streamErrorNode } from '../world/faults.ts';
import type { Account, Companion, World } from '../world/model.ts';
import { Passkeys } from '../world/passkeys.ts';
import type { ProtocolViolations } from '../world/violations.ts';
import { lidJid, pnJid } from '../world/world.ts';
import { createCodePairing } from './pairing-code.ts';
import { PasskeyPairing } from './passkey-pairing.ts';
import { PairingError, type Registration, readRegistration } from './registration.ts';

/**
 * Time after which the server closes the connection of a client that was not linked. Clients close the connection
 * earlier: after 160 s, when they have shown six QR codes (the first for 60 s, the others for 20 s each).
 */
const REGISTRATION_LIFETIME_MS = 180_000;

export interface ScanOptions {
  /**
   * Called when the account requires a passkey, after the server has requested an assertion (a signature with the
   * passkey) from the client. The link is not complete yet.
   */
  onPasskeyRequest?: () => void;
}

export interface Pairing {
  /**
   * Makes the phone of `number` scan a QR text. Rejects with PairingError, or RangeError when the number is not on
   * WhatsApp.
   */
  scanQr(number: string, qrText: string, options?: ScanOptions): Promise<Companion>;
  /** Makes the phone of `number` enter a pairing code (dashes and case are ignored). Rejects like scanQr(). */
  linkWithCode(number: string, code: string, options?: ScanOptions): Promise<Companion>;
  /** The passkeys of the accounts that require one for linking. */
  readonly passkeys: Passkeys;
  /** The last link of each number with a passkey: viewOf() returns its state, confirmOnPhone() confirms its code. */
  readonly passkeyLinks: Pick<PasskeyPairing, 'viewOf' | 'confirmOnPhone'>;
  /** Unlinks a companion (linked device). Its client gets 401, now or at the next login. */
  unlink(companion: Companion): void;
}

/** Pairing with the functions that only the server uses. */
export interface PairingService extends Pairing {
  /** Starts the registration of a client; closes the connection with 400 when the data are invalid. */
  register(connection: ClientConnection, data: proto.ClientPayload.IDevicePairingRegistrationData): void;
  /**
   * Answers a query of the xmlns `md` (linking) on a connection that is not logged in. Returns undefined for an unknown
   * query.
   */
  answer(connection: ClientConnection, iq: BinaryNode): Answer | undefined;
  /** Removes the registration of a closed connection. */
  forget(connection: ClientConnection): void;
}

export interface PairingOptions {
  world: World;
  devices: Devices;
  faults: Faults;
  violations: ProtocolViolations;
  clock: Clock;
  /**
   * When the client of a new companion asks how many one-time pre-keys are left, the server answers with a number that
   * is too high by `extraReportedPreKeys`. The client then uploads fewer keys.
   */
  extraReportedPreKeys: number;
}

export function createPairing(options: PairingOptions): PairingService {
  const { world, devices, faults, violations, clock, extraReportedPreKeys } = options;
  const registrations = new Map<ClientConnection, Registration>();
  const codePairing = createCodePairing({ world, clock, registrations: () => registrations.values() });
  const passkeys = new Passkeys();
  const passkeyLinks = new PasskeyPairing({ world, clock, passkeys, addToAccount: link });

  /** Links at once, or asks for a passkey first when the account requires one. */
  function beginLink(
    account: Account,
    registration: Registration,
    advSecret: Uint8Array,
    { onPasskeyRequest }: ScanOptions = {},
  ): Promise<Companion> {
    // The registration is removed before the first await, so that a second scan of the same code fails.
    registrations.delete(registration.connection);
    if (!passkeyLinks.requires(account)) return link(account, registration, advSecret);
    // Linking with a passkey may take longer than REGISTRATION_LIFETIME_MS.
    registration.expiry?.cancel();
    const linked = passkeyLinks.start(account, registration, advSecret);
    onPasskeyRequest?.();
    return linked;
  }

  /**
   * Sends `<pair-success>`, verifies the client's signature, adds the companion and makes the client reconnect. Closes
   * the connection and rejects with PairingError when the client does not accept or sign the link.
   */
  async function link(account: Account, registration: Registration, advSecret: Uint8Array): Promise<Companion> {
    const { connection } = registration;
    const numbers = nextDeviceNumbers(account);
    if (!numbers) {
      connection.close();
      throw new PairingError('refused', `${account.number} cannot have more linked devices`);
    }
    // Reserves the device number while the link is in progress.
    account.linking.add(numbers.device);
    try {
      const signedIdentity = await signLink(account, numbers, registration, advSecret);
      const companion = toCompanion(account, numbers, { registration, signedIdentity, extraReportedPreKeys });
      devices.add(companion);
      connection.close(streamErrorNode(515));
      return companion;
    } finally {
      account.linking.delete(numbers.device);
    }
  }

  /** Sends `<pair-success>` and resolves with the device identity that the client has signed. Rejects like link(). */
  async function signLink(
    account: Account,
    { device, keyIndex }: DeviceNumbers,
    { connection, identity }: Registration,
    advSecret: Uint8Array,
  ): Promise<Buffer> {
    const signed = signDevice(account, { identity, keyIndex, advSecret }, world.now(), violations);
    const answer = await connection
      .query(pairSuccess(account, device, signed.encoded, world.now()))
      .catch((error: Error) => {
        connection.close();
        throw new PairingError('refused', `the client did not accept the link: ${error.message}`);
      });
    const deviceSign = getBinaryNodeChild(answer, 'pair-device-sign');
    const signedIdentity = childBytes(deviceSign, 'device-identity');
    const hasKeyIndex = getBinaryNodeChild(deviceSign, 'device-identity')?.attrs['key-index'] === String(keyIndex);
    if (!signedIdentity || !hasKeyIndex || !isDeviceSigned(account, identity, signed, signedIdentity)) {
      connection.close(failureNode(401));
      throw new PairingError('refused', 'the client did not sign its device identity');
    }
    return signedIdentity;
  }

  return {
    register(connection, data) {
      const registration = readRegistration(connection, data);
      if (!registration) return connection.close(failureNode(400));
      registrations.set(connection, registration);
      // A fault that a test has set can end the registration here.
      if (connection.applyFault(faults.takeForLogin())) return;
      const expiry = clock.after(REGISTRATION_LIFETIME_MS, () => connection.close());
      registration.expiry = expiry;
      connection.onClose(() => expiry.cancel());
      const refs = registration.refs.map((ref) => element('ref', {}, ref));
      const attrs = { from: SERVER, type: 'set', xmlns: 'md' };
      // The client's answer only confirms that it got the references.
      connection.query(element('iq', attrs, [element('pair-device', {}, refs)])).catch(() => connection.close());
    },
    answer: (connection, iq) => {
      const registration = registrations.get(connection);
      // The registration is removed when the link begins. From then on, only a link with a passkey answers queries.
      return registration ? codePairing.answer(registration, iq) : passkeyLinks.answer(connection, iq);
    },
    forget(connection) {
      registrations.delete(connection);
      passkeyLinks.forget(connection);
    },
    passkeys,
    passkeyLinks,
    async scanQr(number, qrText, options) {
      const account = world.account(number);
      // The text is a URL whose fragment contains these values. `ref` identifies the QR code. `advSecret` is the key of
      // the HMAC in `<pair-success>`.
      const [ref = '', noiseKey, identity, advSecret = ''] = qrText.slice(qrText.indexOf('#') + 1).split(',');
      const registration = [...registrations.values()].find(({ refs }) => refs.includes(ref));
      if (!registration) throw new PairingError('stale', 'no client shows this QR code any more');
      const matches =
        registration.connection.clientStatic.toString('base64') === noiseKey &&
        registration.identity.toString('base64') === identity;
      if (!matches)
        throw new PairingError('stale', 'the keys in this QR code are not those of the client that shows it');
      return beginLink(account, registration, Buffer.from(advSecret, 'base64'), options);
    },
    async linkWithCode(number, code, options) {
      const account = world.account(number);
      const { registration, advSecret } = await codePairing.agreeOnSecret(account, code);
      return beginLink(account, registration, advSecret, options);
    },
    unlink: (companion) => devices.remove(companion),
  };
}

/** The data of a new companion, besides its account and its numbers. */
interface LinkData {
  registration: Registration;
  signedIdentity: Uint8Array;
  extraReportedPreKeys: number;
}

function toCompanion(
  account: Account,
  { device, keyIndex }: DeviceNumbers,
  { registration, signedIdentity, extraReportedPreKeys }: LinkData,
): Companion {
  const { connection, identity, registrationId, clientInfo, signedPreKey } = registration;
  return {
    account,
    device,
    keyIndex,
    noiseKey: connection.clientStatic,
    identity,
    signedIdentity,
    registrationId,
    clientInfo,
    signedPreKey,
    preKeys: [],
    extraReportedPreKeys,
    connection: undefined,
    queue: [],
    queuedBytes: 0,
    syncStarted: false,
  };
}

/** `<pair-success>`. `phoneSigned` is the device identity that the phone signed, encoded; `now` is in epoch seconds. */
function pairSuccess(account: Account, device: number, phoneSigned: Uint8Array, now: number): BinaryNode {
  const attrs = { from: SERVER, type: 'set', xmlns: 'md', t: String(now) };
  const content = [
    element('device-identity', {}, phoneSigned),
    element('biz', { name: account.name }),
    element('device', { jid: pnJid(account, device), lid: lidJid(account, device) }),
    element('platform', { name: 'android' }),
  ];
  // Tells the client that chats of this account are addressed by LID (the address without the phone number).
  if (account.migrated) {
    const props = proto.ClientPairingProps.encode({ isChatDbLidMigrated: true }).finish();
    content.push(element('client-props', {}, props));
  }
  return element('iq', attrs, [element('pair-success', {}, content)]);
}
