// The HTTP reply to a send: the sent message, and its delivery outcome if the caller waits for it (`?wait=ack`).
// Decision D-076.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Message } from '../../events/events.ts';
import { isObject } from '../../lib/json-object.ts';
import { findAcceptedMessage } from '../../whatsapp/outbound/idempotent-send.ts';
import { waitForStatus } from '../../whatsapp/outbound/send-outcome.ts';
import { type SentMessage, toSentMessage } from '../../whatsapp/outbound/send-result.ts';
import type { Session } from '../../whatsapp/session.ts';

/** ms that `wait=ack` waits when the request has no `timeout`. */
const DEFAULT_ACK_TIMEOUT_MS = 10_000;

interface SendRequest {
  instance: { session(): Session };
  /** `timeout` is in ms. */
  query: { wait?: 'ack'; timeout?: number };
  body: unknown;
  server: Pick<FastifyInstance, 'sendLoad'>;
}

/**
 * Calls `send` with the session of the request's instance, sets the status code of the reply and resolves with its
 * body. When an earlier request with the same idempotency key has sent the message, replies with that message and does
 * not call `send`: a file or a quoted message that the request names may no longer exist. Rejects like `send`.
 */
export async function replyWithSend(
  request: SendRequest,
  reply: FastifyReply,
  send: (session: Session) => Promise<Message>,
  status: 200 | 201 = 201,
): Promise<SentMessage> {
  const session = request.instance.session();
  const message = (await findAcceptedMessage(session)) ?? (await runSend(request, () => send(session)));
  const sent = await toSendReply(request, session, message);
  reply.code(status);
  return sent;
}

/** Runs `send`. Counts it as a send in progress (`sendLoad`) from the end of the requested `delay` on. */
export function runSend<T>(request: Pick<SendRequest, 'server' | 'body'>, send: () => Promise<T>): Promise<T> {
  const { server, body } = request;
  const options = isObject(body) ? body.options : undefined;
  const delay = isObject(options) && typeof options.delay === 'number' ? options.delay : 0;
  return server.sendLoad.run(request, send, delay);
}

/**
 * The sent message as the API shows it. With `wait=ack` the promise resolves after the acknowledgment or the timeout.
 */
export async function toSendReply(
  { query }: Pick<SendRequest, 'query'>,
  session: Session,
  message: Message,
): Promise<SentMessage> {
  const outcome = query.wait && (await waitForStatus(session, message.key, query.timeout ?? DEFAULT_ACK_TIMEOUT_MS));
  return toSentMessage(message, outcome);
}
