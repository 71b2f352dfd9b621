// The linking of one device with a passkey: the steps of the server and the phone. The server requests an assertion (a
// signature with the passkey). The client answers with the prologue: the assertion, a commitment to a nonce, its
// ephemeral identity, and optionally the handoff proof, which shows that the client knows the secret in the scanned QR
// code. The phone answers with its ephemeral key. The client reveals the nonce, and both show a code. Last, the client
// sends its pairing request, which contains a new secret.
import { randomBytes } from 'node:crypto';
import { type BinaryNode, Curve, proto } from '@whiskeysockets/baileys';
import { confirmationCode, decryptPairingRequest, isCommitment, isHandoffProof } from '../crypto/passkey-linking.ts';
import { readAssertion, verifyAssertion } from '../crypto/web-authn.ts';
import { bytesOfSize, childBytes, element, SERVER } from '../lib/binary-node.ts';
import type { Clock } from '../lib/clock.ts';
import { type Answer, requestOf, StanzaError } from '../stanzas/router.ts';
import type { Account, World } from '../world/model.ts';
import type { Passkeys } from '../world/passkeys.ts';
import { PairingError, type Registration } from './registration.ts';

/** The domain of the passkeys, and the origin of the only web page that can use them. */
const RELYING_PARTY = { rpId: 'whatsapp.com', origin: 'https://web.whatsapp.com' } as const;
/** Time after the start of the link during which the server accepts a prologue. */
const PROLOGUE_TIMEOUT_MS = 5 * 60_000;
/** Time for the owner to use the passkey, as the request for an assertion states it. The server does not enforce it. */
const ASSERTION_TIMEOUT_MS = 600_000;

/**
 * `requested`: the client has the request. `verified`: the assertion is valid. `compare`: phone and client show the
 * code. `linking`: the client's pairing request arrived. `linked`: the device belongs to the account. `failed`: the
 * field `problem` contains the reason.
 */
export type PasskeyStage = 'requested' | 'verified' | 'compare' | 'linking' | 'linked' | 'failed';

export interface PasskeyLinkView {
  stage: PasskeyStage;
  /** The code on the phone's screen. */
  code?: string | undefined;
  /** False when the owner must confirm the code on the phone, because the client sent no handoff proof. */
  hasHandoffProof?: boolean;
  problem?: string | undefined;
}

export interface PasskeyLinkDeps {
  world: World;
  clock: Clock;
  passkeys: Passkeys;
  account: Account;
  registration: Registration;
  /** The secret in the scanned QR code, or the secret that phone and client agreed on with the pairing code. */
  advSecret: Uint8Array;
  /** Completes the link with the client's new secret. */
  link(advSecret: Uint8Array): Promise<unknown>;
  onFailure(error: PairingError): void;
}

/** What the client sent in its prologue. */
interface Prologue {
  /** CompanionEphemeralIdentity, encoded. */
  ephemeralIdentity: Uint8Array;
  publicKey: Uint8Array;
  deviceType: number;
  ref: string;
  commitment: Uint8Array;
}

export class PasskeyLink {
  readonly #deps: PasskeyLinkDeps;
  readonly #startedAt: number;
  /** The phone's ephemeral key. The code is computed from this key, #nonce and the client's nonce. */
  readonly #ephemeral = Curve.generateKeyPair();
  readonly #nonce = randomBytes(32);
  /** The challenge that the assertion must sign. Undefined when a prologue has used it. */
  #challenge: Buffer | undefined;
  /** Reference that the client requests and must repeat in its prologue. It begins with the version `3@`. */
  #ref: string | undefined;
  #prologue: Prologue | undefined;
  /** The new secret in the client's pairing request. */
  #pairingSecret: Uint8Array | undefined;
  #isConfirmedOnPhone = false;
  #isCompleting = false;
  #view: PasskeyLinkView = { stage: 'requested' };

  constructor(deps: PasskeyLinkDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock.now();
  }

  get view(): PasskeyLinkView {
    return this.#view;
  }

  /** Whether all steps of client and owner are done, so that the client is being added to the account. */
  get isCompleting(): boolean {
    return this.#isCompleting;
  }

  /** Sends the request for an assertion. */
  start(): void {
    const { world, registration } = this.#deps;
    const attrs = { from: SERVER, type: 'passkey_prologue_request', id: world.nextId(), t: String(world.now()) };
    registration.connection.send(element('notification', attrs, [this.#createOptions()]));
  }

  /** Answers a query of the client with the xmlns `md`; undefined for an unknown query. */
  answer(iq: BinaryNode): Answer | undefined {
    const request = requestOf(iq);
    const content = request && childBytes(iq, request.tag);
    if (iq.attrs.type === 'get') {
      if (request?.tag === 'passkey_request_options') return { content: [this.#createOptions()] };
      if (request?.tag !== 'ref') return undefined;
      this.#ref = `3@${randomBytes(32).toString('base64')}`;
      return { content: [element('ref', {}, this.#ref)] };
    }
    if (request?.tag === 'passkey_prologue') return this.#acceptPrologue(request);
    if (request?.tag === 'companion_nonce') return this.#acceptNonce(bytesOfSize(content, 32));
    if (request?.tag === 'encrypted_pairing_request') return this.#acceptPairingRequest(content);
    return undefined;
  }

  /**
   * Confirms the code on the phone, as the owner does after comparing the codes of phone and client. Throws
   * PairingError when the phone shows another code or no code.
   */
  confirmOnPhone(code: string): void {
    const { code: shown } = this.#view;
    if (!shown) throw new PairingError('stale', 'the phone shows no code');
    if (code.replaceAll('-', '').toUpperCase() !== shown.replaceAll('-', ''))
      throw new PairingError('wrong_code', 'this is not the code that the phone shows');
    this.#isConfirmedOnPhone = true;
    this.#completeIfConfirmed();
  }

  markLinked(): void {
    this.#view = { ...this.#view, stage: 'linked' };
  }

  /** Marks the linking as failed. Does nothing when the linking has ended already. */
  fail(problem: string): void {
    if (this.#view.stage === 'failed' || this.#view.stage === 'linked') return;
    this.#view = { stage: 'failed', problem };
    this.#deps.onFailure(new PairingError('refused', problem));
  }

  /** Creates a request for an assertion, with a new challenge. */
  #createOptions(): BinaryNode {
    this.#challenge = randomBytes(32);
    const ids = [...(this.#deps.passkeys.get(this.#deps.account.number)?.keys() ?? [])];
    const options = {
      challenge: this.#challenge.toString('base64url'),
      timeout: ASSERTION_TIMEOUT_MS,
      rpId: RELYING_PARTY.rpId,
      allowCredentials: ids.map((id) => ({ id, type: 'public-key', transports: ['internal', 'hybrid'] })),
      userVerification: 'required',
      extensions: { uvm: true },
    };
    return element('passkey_request_options', {}, JSON.stringify(options));
  }

  /** Verifies the prologue. Throws StanzaError when it is invalid, late or repeated. */
  #acceptPrologue(request: BinaryNode): Answer {
    if (this.#view.stage !== 'requested') throw new StanzaError(409);
    const challenge = this.#challenge;
    this.#challenge = undefined;
    if (!challenge) throw new StanzaError(409);
    const isExpired = this.#deps.clock.now() - this.#startedAt >= PROLOGUE_TIMEOUT_MS;
    if (isExpired) throw new StanzaError(401);
    const payload = childBytes(request, 'prologue_payload');
    const prologue = payload && this.#readPrologue(payload);
    if (!payload || !prologue) throw new StanzaError(400);
    this.#verifyAssertion(request, challenge);
    const proof = childBytes(request, 'pairing_handoff_proof');
    if (proof && !isHandoffProof(this.#deps.advSecret, payload, proof)) throw new StanzaError(401);
    this.#prologue = prologue;
    this.#view = { stage: 'verified', hasHandoffProof: proof !== undefined };
    return { after: () => this.#sendContinuation() };
  }

  #verifyAssertion(request: BinaryNode, challenge: Buffer): void {
    const json = childBytes(request, 'webauthn_assertion');
    const assertion = json && readAssertion(json);
    if (!assertion || childBytes(request, 'credential_id')?.toString('base64url') !== assertion.id)
      throw new StanzaError(400);
    const passkey = this.#deps.passkeys.get(this.#deps.account.number)?.get(assertion.id);
    if (!passkey) throw new StanzaError(404);
    const result = verifyAssertion(assertion, { ...RELYING_PARTY, challenge }, passkey.publicKey);
    if ('problem' in result) throw new StanzaError(401);
    // Authenticators that count signatures raise the number with each signature. Others always report 0.
    const isReplay = passkey.signCount > 0 && result.signCount <= passkey.signCount;
    if (isReplay) throw new StanzaError(401);
    passkey.signCount = result.signCount;
  }

  #readPrologue(payload: Buffer): Prologue | undefined {
    const decoded = tryDecode(() => proto.ProloguePayload.decode(payload));
    const ephemeralIdentity = decoded?.companionEphemeralIdentity;
    const commitment = decoded?.commitment?.hash;
    const companion = ephemeralIdentity && tryDecode(() => proto.CompanionEphemeralIdentity.decode(ephemeralIdentity));
    const { publicKey, ref, deviceType } = companion ?? {};
    if (!ephemeralIdentity || commitment?.length !== 32 || publicKey?.length !== 32 || !ref || ref !== this.#ref)
      return undefined;
    if (typeof deviceType !== 'number') return undefined;
    const { clientInfo } = this.#deps.registration;
    if (proto.DeviceProps.PlatformType[deviceType] !== clientInfo?.platform) return undefined;
    return { ephemeralIdentity, publicKey, deviceType, ref, commitment };
  }

  /** Sends the phone's answer to a valid prologue: its ephemeral key and its nonce. */
  #sendContinuation(): void {
    const { world, registration } = this.#deps;
    const primary = { publicKey: this.#ephemeral.public, nonce: this.#nonce };
    const content = element('primary_ephemeral_identity', {}, proto.PrimaryEphemeralIdentity.encode(primary).finish());
    const attrs = { from: SERVER, type: 'crsc_continuation', id: world.nextId(), t: String(world.now()) };
    registration.connection.send(element('notification', attrs, [content]));
  }

  /** Verifies the nonce that the client committed to, and shows the code. */
  #acceptNonce(nonce: Buffer | undefined): Answer {
    const prologue = this.#prologue;
    if (!prologue || this.#view.stage !== 'verified') throw new StanzaError(409);
    if (!nonce || !isCommitment(prologue.commitment, prologue.ephemeralIdentity, nonce)) return this.#refuse('nonce');
    const code = confirmationCode({ publicKey: this.#ephemeral.public, nonce: this.#nonce }, nonce);
    this.#view = { ...this.#view, stage: 'compare', code };
    return {};
  }

  #acceptPairingRequest(content: Buffer | undefined): Answer {
    const prologue = this.#prologue;
    if (!prologue || this.#view.stage !== 'compare') throw new StanzaError(409);
    const secret = content && this.#readPairingRequest(content, prologue);
    if (!secret) return this.#refuse('pairing request');
    this.#pairingSecret = secret;
    this.#view = { ...this.#view, stage: 'linking' };
    return { after: () => this.#completeIfConfirmed() };
  }

  /**
   * Returns the client's new secret. Undefined when the request is malformed, comes from another client, or repeats the
   * old secret.
   */
  #readPairingRequest(content: Buffer, { deviceType, ref, publicKey }: Prologue): Uint8Array | undefined {
    const { registration, advSecret } = this.#deps;
    const sealed = tryDecode(() => proto.EncryptedPairingRequest.decode(content));
    if (!sealed?.encryptedPayload || sealed.iv?.length !== 12) return undefined;
    const agreement = { privateKey: this.#ephemeral.private, companionKey: publicKey, deviceType, ref };
    const plain = decryptPairingRequest(agreement, sealed.iv, sealed.encryptedPayload);
    const request = plain && tryDecode(() => proto.PairingRequest.decode(plain));
    if (!request?.companionPublicKey || !request.companionIdentityKey) return undefined;
    if (!registration.connection.clientStatic.equals(request.companionPublicKey)) return undefined;
    if (!registration.identity.equals(request.companionIdentityKey)) return undefined;
    const isNew = request.advSecret?.length === 32 && Buffer.compare(request.advSecret, advSecret) !== 0;
    return isNew ? (request.advSecret ?? undefined) : undefined;
  }

  /**
   * Completes the link once the pairing request has arrived and the link is confirmed: by the client's handoff proof or
   * by the owner on the phone.
   */
  #completeIfConfirmed(): void {
    const secret = this.#pairingSecret;
    if (!secret || !(this.#view.hasHandoffProof || this.#isConfirmedOnPhone)) return;
    this.#pairingSecret = undefined;
    this.#isCompleting = true;
    // A failure is ignored here, because link() reports it to the caller that scanned the code.
    this.#deps.link(secret).catch(() => undefined);
  }

  /** Ends the linking and answers the query with an error. */
  #refuse(problem: string): never {
    this.fail(`the client sent a wrong ${problem}`);
    throw new StanzaError(400);
  }
}

function tryDecode<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
