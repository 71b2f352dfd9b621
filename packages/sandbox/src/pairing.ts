// Linking a client to a phone: registration, QR code, pair-success, verification of the client's signature, restart
// (515).
import { type BinaryNode, getBinaryNodeChild, type proto } from '@whiskeysockets/baileys';
import { isDeviceSigned, signDevice } from './adv.ts';
import type { Devices } from './devices.ts';
import { type Faults, failureNode, streamErrorNode } from './faults.ts';
import type { Clock } from './lib/clock.ts';
import type { Account, Companion, World } from './model.ts';
import { attributeName, childBytes, element, SERVER } from './node.ts';
import { createCodePairing } from './pairing-code.ts';
import { PairingError, type Registration, readRegistration } from './registration.ts';
import type { Answer } from './stanzas/router.ts';
import type { ProtocolViolations } from './violations.ts';
import type { ClientConnection } from './wire/connection.ts';
import { lidJid, pnJid } from './world.ts';

/** Six QR codes are shown for 160 s (60 and five times 20), then clients hang up; ms. */
const REGISTRATION_LIFETIME = 180_000;

export interface Pairing {
  /**
   * The phone of `number` scans the QR text. Throws PairingError, and RangeError when the number is not on the
   * platform.
   */
  scanQr(number: string, qrText: string): Promise<Companion>;
  /** The phone of `number` types the pairing code (dashes and case do not matter). Throws like `scanQr`. */
  linkWithCode(number: string, code: string): Promise<Companion>;
  /** The phone removes a linked device: its client gets 401, now or at the next login. */
  unlink(companion: Companion): void;
}

/** What the server needs beyond the phones' view. */
export interface PairingService extends Pairing {
  register(connection: ClientConnection, data: proto.ClientPayload.IDevicePairingRegistrationData): void;
  /** Serves `md` iqs of a connection that is not logged in; undefined when it is none of ours. */
  answer(connection: ClientConnection, iq: BinaryNode): Answer | undefined;
  forget(connection: ClientConnection): void;
}

export interface PairingOptions {
  world: World;
  devices: Devices;
  faults: Faults;
  violations: ProtocolViolations;
  clock: Clock;
}

export function createPairing({ world, devices, faults, violations, clock }: PairingOptions): PairingService {
  const waiting = new Map<ClientConnection, Registration>();
  const codes = createCodePairing({ world, clock, link, waiting: () => waiting.values() });

  /** pair-success, the client's signature, and the restart it is then asked for. */
  async function link(account: Account, registration: Registration, advSecret: Uint8Array): Promise<Companion> {
    const { connection, identity } = registration;
    // Taken before the first wait: a second phone that scans the same code finds it used. Whatever fails from here ends
    // the connection.
    waiting.delete(connection);
    const device = account.nextDevice++;
    const proof = signDevice(account, { identity, keyIndex: device, advSecret }, world.now(), violations);
    const answer = await connection
      .query(pairSuccess(account, device, proof.encoded, world.now()))
      .catch((error: Error) => {
        connection.close();
        throw new PairingError('refused', `the client did not accept the link: ${error.message}`);
      });
    const signature = childBytes(getBinaryNodeChild(answer, 'pair-device-sign'), 'device-identity');
    if (!signature || !isDeviceSigned(account, identity, proof.details, signature)) {
      connection.close(failureNode(401));
      throw new PairingError('refused', 'the client did not sign its device identity');
    }
    const companion = toCompanion(account, device, registration);
    devices.add(companion);
    connection.close(streamErrorNode(515));
    return companion;
  }

  return {
    register(connection, data) {
      const registration = readRegistration(connection, data);
      if (!registration) return connection.close(failureNode(400));
      waiting.set(connection, registration);
      if (connection.applyFault(faults.takeForLogin())) return;
      const expiry = clock.after(REGISTRATION_LIFETIME, () => connection.close());
      connection.onClose(() => expiry.cancel());
      const refs = registration.refs.map((ref) => element('ref', {}, ref));
      const attrs = { from: SERVER, type: 'set', xmlns: 'md' };
      // The answer says nothing; a client that gives none is none.
      connection.query(element('iq', attrs, [element('pair-device', {}, refs)])).catch(() => connection.close());
    },
    answer: (connection, iq) => {
      const registration = waiting.get(connection);
      return registration && codes.answer(registration, iq);
    },
    forget: (connection) => void waiting.delete(connection),
    async scanQr(number, qrText) {
      const account = world.account(number);
      const [ref = '', noiseKey, identity, advSecret = ''] = qrText.slice(qrText.indexOf('#') + 1).split(',');
      const registration = [...waiting.values()].find(({ refs }) => refs.includes(ref));
      if (!registration) throw new PairingError('stale', 'no client shows this QR code any more');
      const matches =
        registration.connection.clientStatic.toString('base64') === noiseKey &&
        registration.identity.toString('base64') === identity;
      if (!matches)
        throw new PairingError('stale', 'the keys in this QR code are not those of the client that shows it');
      return link(account, registration, Buffer.from(advSecret, 'base64'));
    },
    linkWithCode: (number, code) => codes.link(world.account(number), code),
    unlink: (companion) => devices.remove(companion),
  };
}

function toCompanion(account: Account, device: number, registration: Registration): Companion {
  const { connection, identity, registrationId, clientInfo: shown, signedPreKey } = registration;
  return {
    account,
    device,
    keyIndex: device,
    noiseKey: connection.clientStatic,
    identity,
    registrationId,
    clientInfo: shown,
    signedPreKey,
    preKeys: [],
    claimedPreKeys: 0,
    connection: undefined,
    queue: [],
    synced: false,
  };
}

function pairSuccess(account: Account, device: number, identity: Uint8Array, now: number): BinaryNode {
  const attrs = { from: SERVER, type: 'set', xmlns: 'md', t: String(now) };
  const content = [
    element('device-identity', {}, identity),
    element('biz', { name: attributeName(account.name) }),
    element('device', { jid: pnJid(account, device), lid: lidJid(account, device) }),
    element('platform', { name: 'android' }),
  ];
  return element('iq', attrs, [element('pair-success', {}, content)]);
}
