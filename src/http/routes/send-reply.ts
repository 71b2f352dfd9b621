// The HTTP reply to a send: the sent message, with its delivery outcome when the caller asked to wait for it (`?wait=ack`).
import type { FastifyReply } from 'fastify';
import type { Message } from '../../events/events.ts';
import { waitForStatus } from '../../whatsapp/outbound/send-outcome.ts';
import { type SentMessage, toSentMessage } from '../../whatsapp/outbound/send-result.ts';
import type { Session } from '../../whatsapp/session.ts';

/** ms that `wait=ack` waits when the request has no `timeout`. */
const DEFAULT_ACK_TIMEOUT_MS = 10_000;

interface SendRequest {
  instance: { session(): Session };
  query: { wait?: 'ack'; timeout?: number };
}

/** Sends through the session of the request's instance and resolves with the reply, whose status it sets. Rejects like `send`. */
export async function replyWithSend(
  request: SendRequest,
  reply: FastifyReply,
  send: (session: Session) => Promise<Message>,
  status: 200 | 201 = 201,
): Promise<SentMessage> {
  const session = request.instance.session();
  const sent = await toSendReply(request, session, await send(session));
  reply.code(status);
  return sent;
}

/** One sent message as the API shows it. With `wait=ack` it resolves after the acknowledgement or the timeout. */
export async function toSendReply(
  { query }: Pick<SendRequest, 'query'>,
  session: Session,
  message: Message,
): Promise<SentMessage> {
  const outcome = query.wait && (await waitForStatus(session, message.key, query.timeout ?? DEFAULT_ACK_TIMEOUT_MS));
  return toSentMessage(message, outcome);
}
