// How every send is answered.
import type { FastifyReply } from 'fastify';
import type { Message } from '../../events/events.ts';
import { outcomeOf } from '../../whatsapp/outbound/send-outcome.ts';
import { type SentMessage, toSentMessage } from '../../whatsapp/outbound/send-result.ts';
import type { Session } from '../../whatsapp/session.ts';

/** ms that `wait=ack` waits unless the caller says otherwise. */
const patience = 10_000;

type Asked = { instance: { session(): Session }; query: { wait?: 'ack'; timeout?: number } };

/** The answer to a send: at once, or when it is known what the platform made of it. */
export async function replyWithSend(
  request: Asked,
  send: (session: Session) => Promise<Message>,
): Promise<SentMessage> {
  const session = request.instance.session();
  return described(request, session, await send(session));
}

/** One sent message in an answer. */
export async function described(
  { query }: Pick<Asked, 'query'>,
  session: Session,
  message: Message,
): Promise<SentMessage> {
  const outcome = query.wait && (await outcomeOf(session, message.key, query.timeout ?? patience));
  return toSentMessage(message, outcome);
}

/** The same as 201, which is what every send but one answers. */
export async function created(request: Asked, reply: FastifyReply, send: (session: Session) => Promise<Message>) {
  return reply.code(201).send(await replyWithSend(request, send));
}
