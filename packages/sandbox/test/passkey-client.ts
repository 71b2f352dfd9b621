// A client that links with a passkey step by step, so that a test can change any step. It uses no code of the gateway
// for these steps.
import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { type BinaryNode, bytesToCrockford, Curve, getBinaryNodeChild, proto } from '@whiskeysockets/baileys';
import type { AssertionJson } from '../../../test/support/authenticator.ts';
import { type Client, connect } from '../../../test/support/client.ts';
import type { Sandbox } from '../src/sandbox.ts';

const CHROME = proto.DeviceProps.PlatformType.CHROME;
const bytesOf = (node: BinaryNode | undefined, tag: string) =>
  Buffer.from(getBinaryNodeChild(node, tag)?.content as Uint8Array);

export class PasskeyClient {
  readonly client: Client;
  readonly notifications: BinaryNode[] = [];
  readonly #sandbox: Sandbox;
  readonly #ephemeral = Curve.generateKeyPair();
  readonly #nonce = randomBytes(32);
  #secret = Buffer.alloc(0);
  #ref = '';
  #identity: Uint8Array = Buffer.alloc(0);
  #watcher: (() => void) | undefined;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
    this.client = connect(sandbox);
    this.client.socket.ws.on('CB:notification', (node: BinaryNode) => {
      this.notifications.push(node);
      this.#watcher?.();
    });
  }

  /** Shows a QR code, which the phone of `number` scans. Resolves with an array with the promise of the link. */
  async scan(number: string): Promise<Promise<unknown>[]> {
    const { qr = '' } = await this.client.update((update) => Boolean(update.qr));
    this.#secret = Buffer.from(this.client.auth.creds.advSecretKey, 'base64');
    const { promise, resolve } = Promise.withResolvers<void>();
    const linked = this.#sandbox.pairing.scanQr(number, qr, { onPasskeyRequest: resolve });
    linked.catch(() => undefined);
    await Promise.race([promise, linked]);
    // Without the array, `await` would also wait for the promise of the link.
    return [linked];
  }

  notification(type: string): Promise<BinaryNode> {
    return new Promise((resolve) => {
      this.#watcher = () => {
        const found = this.notifications.find(({ attrs }) => attrs.type === type);
        if (found) resolve(found);
      };
      this.#watcher();
    });
  }

  async options(): Promise<{ challenge: string; rpId: string; allowCredentials: { id: string }[] }> {
    const node = await this.notification('passkey_prologue_request');
    return JSON.parse(bytesOf(node, 'passkey_request_options').toString());
  }

  ask(type: 'get' | 'set', content: BinaryNode): Promise<BinaryNode> {
    const attrs = { to: '@s.whatsapp.net', type, xmlns: 'md' };
    return this.client.socket.query({ tag: 'iq', attrs, content: [content] });
  }

  async sendPrologue(
    assertion: AssertionJson,
    changes: { proof?: Buffer | null; ref?: string; deviceType?: number; credentialId?: Buffer } = {},
  ): Promise<void> {
    const answer = await this.ask('get', { tag: 'ref', attrs: {} });
    this.#ref = changes.ref ?? bytesOf(answer, 'ref').toString();
    const deviceType = changes.deviceType ?? CHROME;
    const identity = { publicKey: this.#ephemeral.public, deviceType, ref: this.#ref };
    this.#identity = proto.CompanionEphemeralIdentity.encode(identity).finish();
    const hash = createHash('sha256').update(this.#identity).update(this.#nonce).digest();
    const payload = proto.ProloguePayload.encode({
      companionEphemeralIdentity: this.#identity,
      commitment: { hash },
    }).finish();
    const handoff = Buffer.from(hkdfSync('sha256', this.#secret, '', 'shortcake-passkey-handoff-v1', 32));
    const proof = changes.proof ?? createHmac('sha256', handoff).update(payload).digest();
    const { clientDataJSON, authenticatorData, signature, userHandle } = assertion.response;
    const response = { clientDataJSON, authenticatorData, signature, userHandle };
    const json = { id: assertion.id, rawId: assertion.rawId, type: assertion.type, response };
    const child = (tag: string, content: Uint8Array) => ({ tag, attrs: {}, content });
    const content = [
      child('credential_id', changes.credentialId ?? Buffer.from(assertion.rawId, 'base64url')),
      child('webauthn_assertion', Buffer.from(JSON.stringify(json))),
      child('prologue_payload', payload),
      ...(changes.proof === null ? [] : [child('pairing_handoff_proof', proof)]),
    ];
    await this.ask('set', { tag: 'passkey_prologue', attrs: {}, content });
  }

  /** Sends the nonce to the phone, and resolves with the code that the user compares. */
  async reveal(nonce = this.#nonce): Promise<string> {
    const primary = await this.#primary();
    await this.ask('set', { tag: 'companion_nonce', attrs: {}, content: nonce });
    const digest = createHash('sha256').update(nonce).update(primary.publicKey).digest();
    const code = bytesToCrockford(
      Buffer.from([0, 1, 2, 3, 4].map((at) => (primary.nonce[at] ?? 0) ^ (digest[at] ?? 0))),
    );
    return `${code.slice(0, 4)}-${code.slice(4)}`;
  }

  async sendPairingRequest(changes: { advSecret?: Buffer; identity?: Buffer; ref?: string } = {}): Promise<void> {
    const { creds } = this.client.auth;
    const advSecret = changes.advSecret ?? randomBytes(32);
    creds.advSecretKey = advSecret.toString('base64');
    const request = proto.PairingRequest.encode({
      companionPublicKey: creds.noiseKey.public,
      companionIdentityKey: changes.identity ?? creds.signedIdentityKey.public,
      advSecret,
    }).finish();
    const shared = Curve.sharedKey(this.#ephemeral.private, (await this.#primary()).publicKey);
    const salt = `Companion Pairing ${CHROME} with ref ${changes.ref ?? this.#ref}`;
    const key = Buffer.from(hkdfSync('sha256', shared, salt, 'Pairing Information Encryption Key', 32));
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, iv);
    const encryptedPayload = Buffer.concat([cipher.update(request), cipher.final(), cipher.getAuthTag()]);
    const content = proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish();
    await this.ask('set', { tag: 'encrypted_pairing_request', attrs: {}, content });
  }

  async #primary(): Promise<{ publicKey: Uint8Array; nonce: Uint8Array }> {
    const node = await this.notification('crsc_continuation');
    const { publicKey, nonce } = proto.PrimaryEphemeralIdentity.decode(bytesOf(node, 'primary_ephemeral_identity'));
    if (!publicKey || !nonce) throw new Error('the phone sent no key or no nonce');
    return { publicKey, nonce };
  }
}
