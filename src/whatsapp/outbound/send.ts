// Sends one message of any kind: resolves the recipient, waits in the queue of the chat, shows typing for the requested
// delay, adds quote and mentions, sends the message within a deadline, and stores it. In every error, `certain: true`
// means that nothing was sent, and `certain: false` that the message may have been sent. Decision D-017.

import { GatewayError } from '../../errors.ts';
import type { DomainEvent, Message } from '../../events/events.ts';
import { messageTypeOf } from '../../events/message-type.ts';
import { pause, withDeadline } from '../../lib/deadline.ts';
import { channelJidOf, isChannelJid, isGroup } from '../address/jid.ts';
import { type Address, resolveRecipient } from '../address/recipient.ts';
import type { proto } from '../baileys/proto.ts';
import type { Presence } from '../baileys/types.ts';
import { sourceOf, toJson } from '../content/message.ts';
import { toSentEvent } from '../content/sent-event.ts';
import { makeWellFormed } from '../content/well-formed.ts';
import { notOpenError } from '../query.ts';
import type { LocalReason } from '../send-error-reasons.ts';
import type { ChatAddress, Session } from '../session.ts';
import { createAddressRetry } from './address-retry.ts';
import { assertPostAllowed } from './channel-post.ts';
import { fetchDevices, prepareAddress } from './chat-address.ts';
import { assertContentSize } from './content-size.ts';
import { type Mentions, type Quoted, toContextInfo } from './context-info.ts';
import { findAcceptedMessage } from './idempotent-send.ts';
import { createMessageSecret, newMessageId } from './message-id.ts';
import { assertNewChatAllowed } from './new-chat-limit.ts';
import { relay, stanzaCountOf } from './relay.ts';
import { interruptedError, toFailure } from './send-failure.ts';
import { startSendLog } from './send-log.ts';
import { type SendWarning, setWarnings } from './send-warnings.ts';
import { assertDelay, showPresence } from './typing.ts';

export interface SendOptions {
  /** Milliseconds for which `presence` is shown before the message is sent. */
  delay?: number;
  /** Default: the presence of the operation, usually `composing`. */
  presence?: Presence;
  quoted?: Quoted;
  mentions?: Mentions;
}

export interface Outgoing {
  /** Phone number, user name, or JID of a person, a group or a channel. For a status: the status address. */
  number: string;
  /** The messageType: name of the member of proto.IMessage that `content` sets. */
  kind: string;
  /** JIDs of the recipients of a status. Only statuses have an audience. */
  audience?: readonly string[];
  options?: SendOptions | undefined;
  /** Default of `options.presence`. */
  presence: Presence;
  /** Builds the content, which must include `context` (quote, mentions, disappearing timer). */
  content: (context: proto.IContextInfo | undefined) => proto.IMessage | Promise<proto.IMessage>;
  /** Attributes to add to the message stanza. */
  attributes?: Record<string, string>;
  /**
   * True when an earlier message has started the chat: an earlier message of the same operation, or the message that
   * this message changes.
   */
  continuesChat?: boolean;
  /** Returns the event to store and publish for the message. Default: toSentEvent(). */
  event?: (message: Message) => DomainEvent;
}

/**
 * Sends one message. Resolves when the message is written to the socket and stored with the status PENDING. If WhatsApp
 * has accepted the message of an earlier request with the same idempotency key, resolves with that message. Messages to
 * the same chat are sent in the order of the calls. Throws:
 * - the errors of resolveRecipient(), assertNewChatAllowed(), prepareAddress(), toContextInfo() and
 *   assertPostAllowed();
 * - the errors of `outgoing.content` and assertContentSize();
 * - the errors of assertDelay();
 * - SEND_REFUSED, PLATFORM_TIMEOUT and INSTANCE_NOT_OPEN with `certain: true`;
 * - SEND_TIMEOUT, SEND_INTERRUPTED and STORAGE_UNAVAILABLE with `certain: false` and the `messageId`.
 */
export async function send(session: Session, outgoing: Outgoing): Promise<Message> {
  const { delay = 0 } = outgoing.options ?? {};
  assertDelay(session, delay);
  const accepted = await findAcceptedMessage(session);
  if (accepted) return accepted;
  const sendLog = startSendLog(session, outgoing.kind);
  try {
    // The addresses of statuses and channels need no lookup.
    const fixedJid = outgoing.audience ? outgoing.number : channelJidOf(outgoing.number);
    const address = fixedJid ? { jid: fixedJid, lid: null } : await resolveRecipient(session, outgoing.number);
    // Statuses and channel posts do not start a chat.
    const mayStartChat = !fixedJid && !outgoing.continuesChat;
    if (mayStartChat) await assertNewChatAllowed(session, address);
    const { recorded } = await session.sendQueue.run(address.jid, () => sendQueued(session, address, outgoing, delay));
    const message = await recorded;
    sendLog.logSent(message.key.id);
    return message;
  } catch (error) {
    sendLog.logFailure(error);
    throw error;
  }
}

/**
 * `recorded` resolves when the message is stored. The queue of the chat must not wait for this promise, so it is in an
 * object: an async function waits for a promise that it returns, but not for a promise in an object that it returns.
 */
interface Relayed {
  recorded: Promise<Message>;
}

/** The part of send() that runs in the queue of the chat. */
async function sendQueued(session: Session, address: Address, outgoing: Outgoing, typingMs: number): Promise<Relayed> {
  const { options, attributes, audience } = outgoing;
  const { jid } = address;
  const isPost = isChannelJid(jid);
  const isDirect = !audience && !isPost && !isGroup(jid);
  const to: ChatAddress = isDirect ? await prepareAddress(session, jid) : { chat: jid, jid, attributes: {} };
  if (typingMs > 0) await showTyping(session, to.jid, options?.presence ?? outgoing.presence, typingMs);
  if (session.ended.aborted) throw notOpenError(session);
  const warnings: SendWarning[] = [];
  const context = isPost
    ? undefined
    : await toContextInfo(session, jid, options ?? {}, (warning) => warnings.push(warning));
  // For a chat with one person, prepareAddress() has fetched the devices.
  if (isGroup(jid) && !session.devices.isPrefetched(jid)) await fetchDevices(session, jid);
  const content = await outgoing.content(context);
  makeWellFormed(content);
  if (isPost) await assertPostAllowed(session, jid, content, options?.quoted);
  else addMessageSecret(session, content);
  assertContentSize(content);
  // `to.form` says whether `to.jid` is a LID or a phone number. Only an address of a person has a form.
  const lid = address.lid ?? (to.form === 'lid' ? to.jid : null);
  const message = toMessage(session, { ...address, lid }, content);
  if (warnings.length > 0) setWarnings(message, warnings);
  const { id } = message.key;
  // For metrics and traces.
  session.observer?.onSendStart(id);
  const relayOptions = { id, attributes, audience };
  const relaying = relay(session, to, content, relayOptions);
  const sent = relaying.then(
    () => ({ failure: undefined }),
    (error: unknown) => ({ failure: toFailure(session, error, id) }),
  );
  const event = (outgoing.event ?? toSentEvent)(message);
  const relayed = recordWhenRelayed(session, { message, event }, sent);
  // `relayed` rejects only when nothing was sent. Once it has resolved, the message may have been sent, even if storing
  // it fails.
  const waitUntilRecorded = ({ recorded }: Relayed) =>
    recorded.then(
      () => true,
      () => true,
    );
  const mayHaveBeenSent = relayed.then(waitUntilRecorded, () => false);
  // Sends the message to the other address of the person when WhatsApp refuses the first one.
  const retry = to.form && createAddressRetry(session, { address: to, content, options: relayOptions });
  // A status is sent in several stanzas. `stanzaCount` resolves with the number of those that were written, also after
  // a failure.
  const stanzaCount = audience && relaying.catch(stanzaCountOf);
  session.expectAck(message.key, mayHaveBeenSent, retry, stanzaCount);
  return relayed;
}

/**
 * Adds a secret to the content, as WhatsApp's own clients do for every message except edits, deletions, reactions and
 * pins. The reporting token of the message is derived from the secret: with the token, WhatsApp recognizes the message
 * when a recipient reports it.
 */
function addMessageSecret(session: Session, content: proto.IMessage): void {
  if (content.protocolMessage || content.reactionMessage || content.pinInChatMessage) return;
  content.messageContextInfo = { messageSecret: createMessageSecret(session), ...content.messageContextInfo };
}

/** A message and the event with which it is stored and published. */
interface MessageWithEvent {
  message: Message;
  event: DomainEvent;
}

/**
 * Waits for `sent`, at most until the deadline, and then starts to store the message. When certainly nothing was sent,
 * stores nothing and throws the failure.
 */
async function recordWhenRelayed(
  session: Session,
  { message, event }: MessageWithEvent,
  sent: Promise<{ failure: GatewayError | undefined }>,
): Promise<Relayed> {
  const uncertain = { certain: false, messageId: message.key.id };
  const { failure } = await withDeadline(sent, {
    timeoutMs: session.sendTimeout,
    toTimeoutError: () =>
      new GatewayError('SEND_TIMEOUT', 'The message was not confirmed in time. It may still go out.', uncertain),
    signal: session.ended,
    toAbortError: () => interruptedError(uncertain),
  }).catch((error: GatewayError) => {
    void sent.then((lateResult) => recordLateFailure(session, message, lateResult.failure));
    return { failure: error };
  });
  if (failure?.certain) throw failure;
  return { recorded: record(session, { message, event }, failure) };
}

/**
 * Stores and publishes the message, and then throws `failure` when it is set. Also throws when the session has ended
 * meanwhile, because the frame of the message may not have been written yet (write-gate.ts).
 */
async function record(
  session: Session,
  { message, event }: MessageWithEvent,
  failure: GatewayError | undefined,
): Promise<Message> {
  const uncertain = { certain: false, messageId: message.key.id };
  try {
    await session.ingest([event]);
  } catch (cause) {
    throw new GatewayError('STORAGE_UNAVAILABLE', 'The message was sent but could not be stored.', {
      ...uncertain,
      cause,
    });
  }
  if (failure) throw failure;
  if (session.ended.aborted) throw interruptedError(uncertain);
  return message;
}

/**
 * Gives the message the status ERROR when its send failed after the deadline and nothing was sent. Without this change
 * the stored message would stay PENDING forever.
 */
async function recordLateFailure(session: Session, message: Message, failure: GatewayError | undefined): Promise<void> {
  if (!failure?.certain) return;
  const { key } = message;
  const change = {
    type: 'messages.update',
    key,
    status: 'ERROR',
    at: Date.now(),
    code: failure.code,
    reason: 'not_sent' satisfies LocalReason,
  } as const;
  // Errors are ignored: a failed ingest() ends the session itself, and the caller of send() already has an error.
  await session.ingest([change]).catch(() => undefined);
}

function toMessage(session: Session, { jid, lid, username }: Address, content: proto.IMessage): Message {
  const me = session.me();
  const id = newMessageId();
  const message = toJson(content);
  return {
    key: {
      remoteJid: jid,
      fromMe: true,
      id,
      ...(isGroup(jid) && me ? { participant: me.jid } : {}),
      ...(lid && lid !== jid ? { remoteJidAlt: lid } : {}),
      ...(username ? { remoteJidUsername: username } : {}),
    },
    ...(me?.name ? { pushName: me.name } : {}),
    message,
    messageType: messageTypeOf(message),
    messageTimestamp: Math.floor(Date.now() / 1000),
    status: 'PENDING',
    source: sourceOf(id),
  };
}

/**
 * Shows `presence` for `durationMs`. A failure does not shorten this time. In channels, which have no presence, only
 * waits.
 */
function showTyping(session: Session, jid: string, presence: Presence, durationMs: number): Promise<void> {
  if (isChannelJid(jid)) return pause(durationMs, session.ended);
  return showPresence(session, jid, { presence, delay: durationMs }, (call) =>
    call().catch((err: unknown) => session.log.debug({ err }, 'presence.failed')),
  );
}
