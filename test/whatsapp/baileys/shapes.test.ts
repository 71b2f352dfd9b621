import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { Inflate } from 'node:zlib';
import * as baileys from '@whiskeysockets/baileys';
import * as defaults from '@whiskeysockets/baileys/lib/Defaults/index.js';
import { WebSocketClient } from '@whiskeysockets/baileys/lib/Socket/Client/websocket.js';
import { Curve } from '@whiskeysockets/baileys/lib/Utils/crypto.js';
import { makeEventBuffer } from '@whiskeysockets/baileys/lib/Utils/event-buffer.js';
import { makeMutex } from '@whiskeysockets/baileys/lib/Utils/make-mutex.js';
import * as processMessage from '@whiskeysockets/baileys/lib/Utils/process-message.js';
import * as reportingUtils from '@whiskeysockets/baileys/lib/Utils/reporting-utils.js';
import * as tokenUtils from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js';
import { TAGS, TOKEN_MAP } from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import { expect, it } from 'vitest';
import { silent } from '../../support/session-fakes.ts';
import { withSocket } from './unconnected-socket.ts';

const requireFromBaileys = createRequire(import.meta.resolve('@whiskeysockets/baileys'));
const requireFromLibsignal = createRequire(requireFromBaileys.resolve('libsignal'));
const { prototype: cipher } = requireFromBaileys('libsignal/src/session_cipher.js');
const curve = requireFromBaileys('libsignal/src/curve.js');
const curve25519 = requireFromLibsignal('curve25519-js');
const libsignal = requireFromBaileys('libsignal');
const { Message } = baileys.proto;

/** A function, and its expected number of parameters. */
type Shape = [name: string, actual: unknown, arity: number];

/**
 * Functions that the gateway replaces or calls. After an upgrade of Baileys, the failing tests name the patches to
 * check (src/whatsapp/baileys/README.md).
 */
const FUNCTIONS: Shape[] = [
  ['signature-verification: Curve.verify', Curve.verify, 3],
  ['signature-verification: Curve.sign', Curve.sign, 2],
  ['signature-verification: generateSignalPubKey', baileys.generateSignalPubKey, 1],
  ['signature-verification: makeSignalRepository', defaults.DEFAULT_CONNECTION_CONFIG.makeSignalRepository, 3],
  ['signature-verification: libsignal curve.verifySignature', curve.verifySignature, 4],
  ['signature-verification: libsignal SessionBuilder.initOutgoing', libsignal.SessionBuilder.prototype.initOutgoing, 1],
  ['key-agreement: libsignal curve.calculateAgreement', curve.calculateAgreement, 2],
  ['key-agreement: libsignal curve.generateKeyPair', curve.generateKeyPair, 0],
  ['key-derivation: libsignal crypto.deriveSecrets', requireFromBaileys('libsignal/src/crypto.js').deriveSecrets, 4],
  ['xeddsa: curve25519-js sign', curve25519.sign, 3],
  ['xeddsa: curve25519-js verify', curve25519.verify, 3],
  ['session-decryption: SessionCipher.decryptWhisperMessage', cipher.decryptWhisperMessage, 1],
  ['session-queue: libsignal SessionBuilder.initOutgoing', libsignal.SessionBuilder.prototype.initOutgoing, 1],
  ['session-queue: SessionCipher.queueJob', cipher.queueJob, 1],
  ['session-rollback: SessionCipher.doDecryptWhisperMessage', cipher.doDecryptWhisperMessage, 2],
  ['session-rollback: SessionCipher.decryptWithSessions', cipher.decryptWithSessions, 2],
  ['session-rollback: libsignal SessionEntry.getChain', libsignal.SessionRecord.createEntry().getChain, 1],
  [
    'session-rollback: WhisperMessage.decode',
    requireFromBaileys('libsignal/src/protobufs.js').WhisperMessage.decode,
    2,
  ],
  ['inflate-limit: Inflate.push', Reflect.get(Inflate.prototype, 'push'), 2],
  ['qr-codes: buildPairingQRData', baileys.buildPairingQRData, 5],
  ['passkey-stanzas: bytesToCrockford', baileys.bytesToCrockford, 1],
  ['query-timeout, app-state-answers: EventEmitter.once', EventEmitter.prototype.once, 2],
  ['socket-close: WebSocketClient.close', WebSocketClient.prototype.close, 0],
  ['receipt-order, notification-acks, message-turns: makeMutex().mutex', makeMutex().mutex, 1],
  ['edits-and-deletions: normalizeMessageContent', baileys.normalizeMessageContent, 1],
  ['event-buffer: emit', makeEventBuffer(silent).emit, 2],
  ['event-buffer: flush', makeEventBuffer(silent).flush, 0],
  ['event-buffer: isBuffering', makeEventBuffer(silent).isBuffering, 0],
  ['error-containment: process', makeEventBuffer(silent).process, 1],
  ['nct-salt: HistorySync.decode', baileys.proto.HistorySync.decode, 3],
  ['nct-salt: SyncActionData.decode', baileys.proto.SyncActionData.decode, 3],
  ['retry-cache: addRecentMessage', baileys.MessageRetryManager.prototype.addRecentMessage, 3],
  ['inbound/resume: decryptMessageNode', baileys.decryptMessageNode, 5],
  ['inbound/resume: cleanMessage', processMessage.cleanMessage, 3],
  ['direct-relay: getMessageReportingToken', reportingUtils.getMessageReportingToken, 3],
  ['direct-relay: shouldIncludeReportingToken', reportingUtils.shouldIncludeReportingToken, 1],
  ['direct-relay: encodeSignedDeviceIdentity', baileys.encodeSignedDeviceIdentity, 2],
  ['privacy-tokens: resolveTcTokenJid', tokenUtils.resolveTcTokenJid, 2],
  ['privacy-tokens: resolveIssuanceJid', tokenUtils.resolveIssuanceJid, 4],
  ['privacy-tokens: shouldSendNewTcToken', tokenUtils.shouldSendNewTcToken, 1],
  ['privacy-tokens: buildMergedTcTokenIndexWrite', tokenUtils.buildMergedTcTokenIndexWrite, 2],
  ['privacy-tokens: storeTcTokensFromIqResult', tokenUtils.storeTcTokensFromIqResult, 1],
  ['session-encryption: libsignal SessionRecord.serialize', libsignal.SessionRecord.prototype.serialize, 0],
  ['placeholder-requests: schedulePhoneRequest', baileys.MessageRetryManager.prototype.schedulePhoneRequest, 2],
  ['newsletter-messages, message-receipts: buildAckStanza', baileys.buildAckStanza, 3],
  ['message-receipts: getStatusFromReceiptType', baileys.getStatusFromReceiptType, 1],
  ['auth/codec: BufferJSON.reviver', baileys.BufferJSON.reviver, 2],
  ['profile/contact: isTcTokenExpired', tokenUtils.isTcTokenExpired, 1],
  ['outbound/app-state: chatModificationToAppPatch', baileys.chatModificationToAppPatch, 2],
];

it.each(FUNCTIONS)('%s is a function with the expected number of parameters', (_, actual, arity) => {
  expect(actual).toBeTypeOf('function');
  expect(actual).toHaveLength(arity);
});

const CONSTANTS: [name: string, actual: unknown, expected: unknown][] = [
  ['root-key: length of the root key', defaults.WA_CERT_DETAILS.PUBLIC_KEY.length, 32],
  ['inflate-limit: tags of lists', [TAGS.LIST_8, TAGS.LIST_16], [248, 249]],
  ['token-dictionary: index of a token', TOKEN_MAP.receipt?.index, 7],
  ['edits-and-deletions: REVOKE', Message.ProtocolMessage.Type.REVOKE, 0],
  ['edits-and-deletions: MESSAGE_EDIT', Message.ProtocolMessage.Type.MESSAGE_EDIT, 14],
  ['edits-and-deletions: EPHEMERAL_SETTING', Message.ProtocolMessage.Type.EPHEMERAL_SETTING, 3],
  ['session-encryption: version of session records', new libsignal.SessionRecord().serialize().version, 'v1'],
  ['newsletter-messages: StubType.CIPHERTEXT', baileys.proto.WebMessageInfo.StubType.CIPHERTEXT, 2],
  ['newsletter-messages: StubType.REVOKE', baileys.proto.WebMessageInfo.StubType.REVOKE, 1],
  ['nct-salt: the definitions lack the salt', 'nctSalt' in baileys.proto.HistorySync.prototype, false],
  ['history-on-demand: ON_DEMAND', baileys.proto.HistorySync.HistorySyncType.ON_DEMAND, 6],
  ['options: history type FULL', baileys.proto.HistorySync.HistorySyncType.FULL, 2],
  [
    'auth/sender-key-memory: jidDecode',
    baileys.jidDecode('1_1:2@lid'),
    {
      user: '1',
      server: 'lid',
      device: 2,
      domainType: 1,
    },
  ],
];

it.each(CONSTANTS)('%s has the expected value', (_, actual, expected) => {
  expect(actual).toEqual(expected);
});

it('a Baileys socket has the members that the patches replace', async () => {
  await withSocket(({ ev, ws, authState, messageMutex, notificationMutex, receiptMutex, signalRepository }) => {
    expect(Object.keys(messageMutex)).toEqual(['mutex']);
    expect(Object.keys(receiptMutex)).toEqual(['mutex']);
    expect(Object.keys(notificationMutex)).toEqual(['mutex']);
    for (const name of ['emit', 'on', 'off', 'flush', 'process', 'isBuffering']) {
      expect(Object.hasOwn(ev, name), `ev.${name} is an own member`).toBe(true);
    }
    expect(signalRepository.encryptMessage, 'session-encryption: encryptMessage').toBeTypeOf('function');
    expect(authState.keys.set, 'privacy-tokens: keys.set').toBeTypeOf('function');
    expect(signalRepository.decryptMessage, 'decryption-hook: decryptMessage').toBeTypeOf('function');
    expect(signalRepository.decryptGroupMessage, 'decryption-hook: decryptGroupMessage').toBeTypeOf('function');
    const { processSenderKeyDistributionMessage } = signalRepository;
    expect(processSenderKeyDistributionMessage, 'sender-key-chats').toBeTypeOf('function');
    expect(signalRepository.jidToSignalProtocolAddress('1:2@lid'), 'session-decryption: addresses').toBe('1_1.2');
    expect(signalRepository.injectE2ESession, 'signature-verification: injectE2ESession').toBeTypeOf('function');
    expect(signalRepository.migrateSession, 'lid-mapping: migrateSession').toHaveLength(2);
    expect(signalRepository.lidMapping.storeLIDPNMappings, 'lid-mapping: storeLIDPNMappings').toHaveLength(1);
    for (const name of ['mappingCache', 'keys'])
      expect(Object.hasOwn(signalRepository.lidMapping, name), `lid-mapping: ${name}`).toBe(true);
    expect(Reflect.get(ws, 'socket'), 'socket-close: ws.socket').toHaveProperty('terminate');
    const events = ['CB:iq,type:set,pair-device', 'CB:iq,,pair-success', 'CB:success', 'CB:receipt', 'CB:message'];
    expect(ws.listenerCount('CB:call'), 'call-ids: listeners of CB:call').toBe(1);
    const missing = events.filter((event) => ws.listenerCount(event) === 0);
    expect(missing, 'stanzas without a listener of Baileys').toEqual([]);
    expect(ws.listenerCount('CB:message'), 'newsletter-messages: listeners of CB:message').toBe(1);
    expect(ws.listenerCount('CB:ib,,dirty'), 'dirty-groups: listeners of CB:ib,,dirty').toBe(3);
    const raw: unknown = Reflect.get(ws, 'socket');
    const refusals = raw instanceof EventEmitter ? raw.listenerCount('unexpected-response') : 0;
    expect(refusals, 'refused-upgrade: listeners of unexpected-response').toBe(1);
  });
});

it('a Baileys query listens for its answer with the event `TAG:<id>`, which two patches use', async () => {
  await withSocket(({ ws, query }) => {
    const answer = query({ tag: 'iq', attrs: { id: 'one', to: '@s.whatsapp.net', type: 'get' } });
    answer.catch(() => undefined);
    expect(ws.listenerCount('TAG:one')).toBe(1);
  });
});

it('a serialized SessionRecord of libsignal has the members `_sessions` and `version`', () => {
  const record = libsignal.SessionRecord.deserialize({ version: 'v1', _sessions: {} });
  expect(Object.keys(record.serialize()).sort()).toEqual(['_sessions', 'version']);
});
