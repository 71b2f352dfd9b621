// A server whose instance `shop` is open. Its operation sendText sends nothing and records its input.
import type { Message } from '../../../src/events/events.ts';
import type { AppDeps } from '../../../src/http/deps.ts';
import type { TextInput } from '../../../src/whatsapp/message/text.ts';
import { type Http, startHttp } from '../../support/http-fixture.ts';

/** The inputs of sendText since the last startOpen(). */
export const sentInputs: TextInput[] = [];
const operations: AppDeps['operations'] = {
  sendText: async (_: unknown, input: TextInput): Promise<Message> => {
    sentInputs.push(input);
    return {
      key: { remoteJid: `${input.number}@s.whatsapp.net`, fromMe: true, id: '3EB0AABBCCDDEEFF00112233' },
      message: { extendedTextMessage: { text: input.textMessage.text } },
      messageType: 'extendedTextMessage',
      messageTimestamp: 1767225600,
      status: 'PENDING',
      source: 'web',
    };
  },
};

/** Starts the server and forgets earlier inputs. */
export async function startOpen(env?: Record<string, string>): Promise<Http> {
  sentInputs.length = 0;
  const http = await startHttp(env, { operations });
  Object.assign(http.instances.get('shop') ?? {}, { session: () => ({}) });
  return http;
}
