// The common path of every send: recipient, queue of the chat, typing and delay, context, relay within a deadline, record.
// The message id exists before anything is sent, and every failure says whether the message may still have been sent (`certain`).

import { GatewayError } from '../../errors.ts';
import type { DomainEvent, Message } from '../../events/events.ts';
import { pause, withDeadline } from '../../lib/deadline.ts';
import { channelOf, isGroup, isNewsletter } from '../address/jid.ts';
import { type Address, resolveRecipient } from '../address/recipient.ts';
import { statusOf } from '../baileys/connection-update.ts';
import { isUnanswered } from '../baileys/patches/query-timeout.ts';
import type { proto } from '../baileys/proto.ts';
import type { Stanza } from '../baileys/stanza.ts';
import type { Presence } from '../baileys/types.ts';
import { contentType, sourceOf, toJson } from '../content/message.ts';
import { toSentEvent } from '../content/sent-event.ts';
import { notOpen } from '../query.ts';
import type { Session } from '../session.ts';
import { assertPostAllowed } from './channel-post.ts';
import { type Mentions, type Quoted, toContextInfo } from './context-info.ts';
import { currentIdentity, messageSecret, newMessageId } from './message-id.ts';
import { assertNewChatAllowed } from './new-chat-limit.ts';
import { relay } from './relay.ts';
import { startSendLog } from './send-log.ts';
import { type SendWarning, setWarnings } from './send-warnings.ts';
import { showPresence } from './typing.ts';

export interface SendOptions {
  /** Milliseconds to show `presence` before the message is sent. */
  delay?: number;
  presence?: string;
  quoted?: Quoted;
  mentions?: Mentions;
}

export interface Outgoing {
  number: string;
  /** Name of the content object, equal to contentType() of the content. */
  kind: string;
  /** JIDs that may see the message. Only statuses have an audience; `number` is then the status address. */
  audience?: readonly string[];
  /** Children of the message stanza beside those that every message has. */
  nodes?: Stanza[];
  options?: SendOptions | undefined;
  /** Presence during `delay` when the caller names none. */
  presence: Presence;
  /** Returns the content. `context` holds quote and mentions; the content stores it where its kind keeps it. */
  content: (context: proto.IContextInfo | undefined) => proto.IMessage | Promise<proto.IMessage>;
  /** Attributes of the message stanza beside those that every message has. */
  attributes?: Record<string, string>;
  /** Returns the event to record; by default toSentEvent(). */
  event?: (message: Message) => DomainEvent;
}

/**
 * Sends and records one message. Resolves when the message is written to the socket and stored as PENDING. Sends to one chat keep the
 * order of calls. Throws GatewayError: what resolveRecipient() and assertNewChatAllowed() throw; INVALID_REQUEST when the delay exceeds
 * session.maxDelay; SEND_REFUSED, PLATFORM_TIMEOUT and INSTANCE_NOT_OPEN (`certain: true`: nothing was sent); SEND_TIMEOUT,
 * SEND_INTERRUPTED and STORAGE_UNAVAILABLE (`certain: false`: the message may have been sent under `messageId`).
 */
export async function send(session: Session, outgoing: Outgoing): Promise<Message> {
  const { delay = 0 } = outgoing.options ?? {};
  if (delay > session.maxDelay) {
    throw new GatewayError('INVALID_REQUEST', [[`options.delay must be <= ${session.maxDelay}`]], { certain: true });
  }
  const identity = currentIdentity();
  const earlier = identity?.isRepeat
    ? await session.storage.messages.get(session.instanceId, identity.messageId)
    : null;
  // WhatsApp has accepted it, so a repeated request sends nothing. Without an ack the same id is sent again.
  if (earlier && earlier.status !== 'PENDING' && earlier.status !== 'ERROR') return earlier;
  const sendLog = startSendLog(session, outgoing.kind);
  try {
    // Statuses and channels have fixed addresses.
    const fixed = outgoing.audience ? outgoing.number : channelOf(outgoing.number);
    const address = fixed ? { jid: fixed, lid: null } : await resolveRecipient(session, outgoing.number);
    // A change to an own message, a status and a post start no chat.
    if (!fixed && !outgoing.attributes?.edit) await assertNewChatAllowed(session, address);
    const { recorded } = await session.sendQueue.run(address.jid, () => sendQueued(session, address, outgoing, delay));
    const message = await recorded;
    sendLog.sent(message.key.id);
    return message;
  } catch (error) {
    sendLog.failed(error);
    throw error;
  }
}

/** A message that has left the queue of its chat. The next message may be sent while this one is being stored. */
interface Relayed {
  recorded: Promise<Message>;
}

/** Runs in the queue of the chat. */
async function sendQueued(session: Session, address: Address, outgoing: Outgoing, delay: number): Promise<Relayed> {
  const { options, attributes, nodes, audience } = outgoing;
  const { jid } = address;
  if (delay > 0) await showTyping(session, jid, toPresence(options?.presence) ?? outgoing.presence, delay);
  if (session.ended.aborted) throw notOpen();
  const isPost = isNewsletter(jid);
  const warnings: SendWarning[] = [];
  const context = isPost
    ? undefined
    : await toContextInfo(session, jid, options ?? {}, (warning) => warnings.push(warning));
  if (!audience && !isPost && !session.devices.isReady(jid)) await fetchDevices(session, jid);
  const content = await outgoing.content(context);
  if (isPost) await assertPostAllowed(session, jid, content, options?.quoted);
  // WhatsApp derives reporting tokens from the secret. Its own clients put one into every message, but not into changes
  // of messages.
  else if (!content.protocolMessage && !content.reactionMessage && !content.pinInChatMessage)
    content.messageContextInfo = { messageSecret: messageSecret(session), ...content.messageContextInfo };
  const message = toMessage(session, address, content);
  if (warnings.length > 0) setWarnings(message, warnings);
  const { id } = message.key;
  session.observer?.onSendStart(id);
  const sent = relay(session, jid, content, { id, attributes, nodes, audience }).then(
    () => ({ failure: undefined }),
    (error: unknown) => ({ failure: toFailure(session, error, id) }),
  );
  const event = (outgoing.event ?? toSentEvent)(message);
  const relayed = finish(session, { message, event }, sent);
  // A failure while the message is being recorded leaves open whether it was sent; an earlier failure means that it was not.
  const mayHaveBeenSent = ({ recorded }: Relayed) =>
    recorded.then(
      () => true,
      () => true,
    );
  session.expectAck(
    message.key,
    relayed.then(mayHaveBeenSent, () => false),
  );
  return relayed;
}

const CERTAIN = { certain: true };
/** Maximum age of the known account restrictions at the first message to a person, ms. */
const RESTRICTIONS_TTL = 3_600_000;

/** Fetches devices and keys of the chat's members before the message takes the account's turn. A failure means that nothing was sent. */
async function fetchDevices(session: Session, jid: string): Promise<void> {
  // For the following messages: WhatsApp reports changes of the restrictions, but not the current state.
  if (!isGroup(jid)) void session.restrictions.refresh(RESTRICTIONS_TTL);
  await withDeadline(session.devices.prefetch(jid), {
    after: session.sendTimeout,
    onTimeout: () => new GatewayError('PLATFORM_TIMEOUT', 'the platform did not answer; nothing was sent', CERTAIN),
    ended: session.ended,
    onEnded: notOpen,
  }).catch((error: unknown) => {
    if (error instanceof GatewayError) throw error;
    const failure = toFailure(session, error, '');
    throw failure.certain ? failure : notOpen(error);
  });
}

/** A message and the event that records it. */
interface Outbound {
  message: Message;
  event: DomainEvent;
}

const interrupted = (options: { certain: boolean; messageId: string; cause?: unknown }) =>
  new GatewayError('SEND_INTERRUPTED', 'the connection was lost while sending', options);

/** Waits for the send within its deadline. Then records the message, unless it is certain that it was not sent. */
async function finish(
  session: Session,
  outbound: Outbound,
  sent: Promise<{ failure: GatewayError | undefined }>,
): Promise<Relayed> {
  const { message } = outbound;
  const uncertain = { certain: false, messageId: message.key.id };
  const { failure } = await withDeadline(sent, {
    after: session.sendTimeout,
    onTimeout: () =>
      new GatewayError('SEND_TIMEOUT', 'the message was not confirmed in time; it may still go out', uncertain),
    ended: session.ended,
    onEnded: () => interrupted(uncertain),
  }).catch((error: GatewayError) => {
    void sent.then((late) => settleLate(session, message, late.failure));
    return { failure: error };
  });
  if (failure?.certain) throw failure;
  return { recorded: record(session, outbound, failure) };
}

/** Resolves when the message is stored. The frame is written at the same time (write-gate.ts), unless the session ends in between. */
async function record(
  session: Session,
  { message, event }: Outbound,
  failure: GatewayError | undefined,
): Promise<Message> {
  const uncertain = { certain: false, messageId: message.key.id };
  try {
    await session.ingest([event]);
  } catch (cause) {
    throw new GatewayError('STORAGE_UNAVAILABLE', 'the message was sent but could not be stored', {
      ...uncertain,
      cause,
    });
  }
  if (failure) throw failure;
  if (session.ended.aborted) throw interrupted(uncertain);
  return message;
}

/** Records ERROR for a send that failed with certainty after its deadline: its record must not stay PENDING forever. */
async function settleLate(session: Session, message: Message, failure: GatewayError | undefined): Promise<void> {
  if (!failure?.certain) return;
  const { key } = message;
  const change = {
    type: 'messages.update',
    key,
    status: 'ERROR',
    at: Date.now(),
    code: failure.code,
    reason: 'not_sent',
  } as const;
  // A failure ends the session (Session.ingest), and the caller already has its error.
  await session.ingest([change]).catch(() => undefined);
}

/**
 * Converts a rejection of relayMessage. The message stanza is the last frame that relayMessage writes: errors of its queries, of the
 * encryption and of a closed socket come before it. Errors of the write itself and of the key store, which commits after it, leave open
 * whether the message was sent.
 */
function toFailure(session: Session, error: unknown, messageId: string): GatewayError {
  const status = statusOf(error);
  // A query in flight when the socket drops rejects with the close code of ws, a plain number.
  if (status === 428 || typeof error === 'number') return notOpen(error);
  if (status === undefined) {
    session.log.warn({ err: error }, 'message.interrupted');
    return interrupted({ certain: false, messageId, cause: error });
  }
  if (isUnanswered(error)) {
    return new GatewayError('PLATFORM_TIMEOUT', 'the platform did not answer; nothing was sent', {
      certain: true,
      cause: error,
    });
  }
  const text = error instanceof Error ? error.message : 'refused';
  return new GatewayError('SEND_REFUSED', [`Error: ${text}`], { certain: true, cause: error });
}

function toMessage(session: Session, { jid, lid }: Address, content: proto.IMessage): Message {
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
    },
    ...(me?.name ? { pushName: me.name } : {}),
    message,
    messageType: contentType(message),
    messageTimestamp: Math.floor(Date.now() / 1000),
    status: 'PENDING',
    source: sourceOf(id),
  };
}

const PRESENCES: readonly string[] = [
  'unavailable',
  'available',
  'composing',
  'recording',
  'paused',
] satisfies Presence[];
const toPresence = (name: string | undefined): Presence | undefined =>
  // PRESENCES lists the members of the type.
  name !== undefined && PRESENCES.includes(name) ? (name as Presence) : undefined;

/** Shows `presence` for `delay` ms. A failure does not shorten the delay, and channels have no presence. */
function showTyping(session: Session, jid: string, presence: Presence, delay: number): Promise<void> {
  if (isNewsletter(jid)) return pause(delay, session.ended);
  return showPresence(session, jid, { presence, delay }, (call) =>
    call().catch((err: unknown) => session.log.debug({ err }, 'presence.failed')),
  );
}
