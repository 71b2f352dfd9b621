// The common path of every send: recipient, its turn in the chat, typing and delay, context, the send itself within a deadline, the record.
// An id exists before anything is sent, and every failure says whether the message may still have gone out.

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
import type { Session } from '../session.ts';
import { admit } from './channel-post.ts';
import { type Mentions, type Quoted, toContext } from './context-info.ts';
import { currentIdentity, messageSecret, newMessageId } from './message-id.ts';
import { assertNewChatAllowed } from './new-chat-limit.ts';
import { relay } from './relay.ts';
import { logSend } from './send-log.ts';
import { type SendWarning, setWarnings } from './send-warnings.ts';
import { showPresence } from './typing.ts';

export interface SendOptions {
  /** ms to show `presence` before the message goes out. */
  delay?: number;
  presence?: string;
  quoted?: Quoted;
  mentions?: Mentions;
}

export interface Outgoing {
  number: string;
  /** Name of the content object, as contentType() will tell. */
  kind: string;
  /** JIDs of those who may see it: it is a status, and `number` its address. */
  audience?: readonly string[];
  /** Children of the message stanza beyond what every message has. */
  nodes?: Stanza[];
  options?: SendOptions | undefined;
  /** Shown during `delay` when the caller names none. */
  presence: Presence;
  /** Content for the platform, with `context` (what it quotes and mentions) where its kind keeps it. */
  content: (context: proto.IContextInfo | undefined) => proto.IMessage | Promise<proto.IMessage>;
  /** Attributes of the message stanza beyond what every message has. */
  attributes?: Record<string, string>;
  /** What it is recorded as; by default what toSentEvent() sees in its content. */
  event?: (message: Message) => DomainEvent;
}

/** A message and what it is recorded as. */
interface Outbound {
  message: Message;
  event: DomainEvent;
}

/**
 * Sends and records one message; resolves when it is written to the socket and stored as PENDING. Sends to one chat go out in the order
 * of calls. Throws GatewayError: what resolve() and refuseStranger() throw; INVALID_REQUEST for a delay above session.maxDelay; SEND_REFUSED,
 * PLATFORM_TIMEOUT and INSTANCE_NOT_OPEN (`certain: true`: nothing was sent); SEND_TIMEOUT, SEND_INTERRUPTED and STORAGE_UNAVAILABLE
 * (`certain: false`: it may have gone out under `messageId`).
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
  // Taken by the platform, so there is nothing left to do. Without a word of it the same id goes out again.
  if (earlier && earlier.status !== 'PENDING' && earlier.status !== 'ERROR') return earlier;
  return logSend(session, outgoing.kind, () => goOut(session, outgoing, delay));
}

async function goOut(session: Session, outgoing: Outgoing, delay: number): Promise<Message> {
  const channel = outgoing.audience ? outgoing.number : channelOf(outgoing.number);
  const address = channel ? { jid: channel, lid: null } : await resolveRecipient(session, outgoing.number);
  // A change to a message of ours starts no chat, and neither do statuses and channels.
  if (!outgoing.attributes?.edit && !channel) await assertNewChatAllowed(session, address);
  const { recorded } = await session.sendQueue.run(address.jid, () => sendInTurn(session, address, outgoing, delay));
  return recorded;
}

/** A message whose turn in the chat is over: the next may go out while this one is being stored. */
interface Sent {
  recorded: Promise<Message>;
}

async function sendInTurn(session: Session, address: Address, outgoing: Outgoing, delay: number): Promise<Sent> {
  const { options } = outgoing;
  if (delay > 0) await appear(session, address.jid, toPresence(options?.presence) ?? outgoing.presence, delay);
  if (session.ended.aborted) throw notConnected();
  const isPost = isNewsletter(address.jid);
  const warnings: SendWarning[] = [];
  const refers = isPost
    ? undefined
    : await toContext(session, address.jid, options ?? {}, (warning) => warnings.push(warning));
  if (!outgoing.audience && !isPost) await prepare(session, address.jid);
  const content = await outgoing.content(refers);
  // What the platform's reporting tokens are derived from; its own clients put it into every message, and not into changes to one.
  if (isPost) await admit(session, address.jid, content, options?.quoted);
  else if (!content.protocolMessage && !content.reactionMessage && !content.pinInChatMessage)
    content.messageContextInfo = { messageSecret: messageSecret(session), ...content.messageContextInfo };
  const message = toMessage(session, address, content);
  setWarnings(message, warnings);
  const { id } = message.key;
  session.observer?.onSendStart(id);
  const { attributes, nodes, audience } = outgoing;
  const relayed = relay(session, address.jid, content, { id, attributes, nodes, audience });
  const sent = relayed.then(
    () => ({ failure: undefined }),
    (error: unknown) => ({ failure: toFailure(session, error, id) }),
  );
  const event = (outgoing.event ?? toSentEvent)(message);
  const done = finish(session, { message, event }, sent);
  const settled = ({ recorded }: Sent) => recorded.then(left, left);
  session.expectAck(message.key, done.then(settled, neverLeft));
  return done;
}

/** Asks what the message needs; nothing is sent, whatever fails here. */
async function prepare(session: Session, jid: string): Promise<void> {
  if (session.devices.isReady(jid)) return;
  // So that the next messages know. The platform tells of changes, but not how things are.
  if (!isGroup(jid)) void session.restrictions.ask(hour);
  await withDeadline(session.devices.ready(jid), {
    after: session.sendTimeout,
    onTimeout: () => new GatewayError('PLATFORM_TIMEOUT', 'the platform did not answer; nothing was sent', sure),
    ended: session.ended,
    onEnded: notConnected,
  }).catch((error: unknown) => {
    if (error instanceof GatewayError) throw error;
    const failure = toFailure(session, error, '');
    throw failure.certain ? failure : notConnected(error);
  });
}

const sure = { certain: true };
const hour = 3_600_000;

/** A send that fails while it is being recorded may have gone out; one that does not get there has not. */
const left = () => true;
const neverLeft = () => false;

const interrupted = (options: { certain: boolean; messageId: string; cause?: unknown }) =>
  new GatewayError('SEND_INTERRUPTED', 'the connection was lost while sending', options);

/** Waits for the send within its deadline, then has the message recorded unless it is certain that it never left. */
async function finish(
  session: Session,
  outbound: Outbound,
  sent: Promise<{ failure: GatewayError | undefined }>,
): Promise<Sent> {
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

/** Resolves when the message is stored. It leaves in the same moment (outlet.ts), unless the session ended just then. */
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

/** A send that outlived its deadline and then turned out never to have left: its record must not stay PENDING for ever. */
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
  // The session has ended if this fails (Session.ingest); there is nobody left to tell.
  await session.ingest([change]).catch(() => undefined);
}

const notConnected = (cause?: unknown) =>
  new GatewayError('INSTANCE_NOT_OPEN', ['Error: Connection Closed'], { certain: true, cause });

/**
 * What a rejected relayMessage means. The message stanza is the last thing it writes: errors of its queries, of encryption and of a
 * socket found closed come before; errors of the write itself and of the key store, which commits after it, do not say.
 */
function toFailure(session: Session, error: unknown, messageId: string): GatewayError {
  const status = statusOf(error);
  // A query in flight when the socket drops rejects with ws's close code, a plain number.
  if (status === 428 || typeof error === 'number') return notConnected(error);
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

const presences: readonly string[] = [
  'unavailable',
  'available',
  'composing',
  'recording',
  'paused',
] satisfies Presence[];
const toPresence = (name: string | undefined): Presence | undefined =>
  // The list above is the type's.
  name !== undefined && presences.includes(name) ? (name as Presence) : undefined;

/** Shows `presence` in the chat for `delay` ms, then `paused`. A presence that cannot be shown delays all the same, as in channels. */
function appear(session: Session, jid: string, presence: Presence, delay: number): Promise<void> {
  if (isNewsletter(jid)) return pause(delay, session.ended);
  return showPresence(session, jid, { presence, delay }, (signal) =>
    signal().catch((err: unknown) => session.log.debug({ err }, 'presence.failed')),
  );
}
