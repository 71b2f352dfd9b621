// After how long the messages of one chat disappear.

import { isGroup } from '../address/jid.ts';
import { resolveRecipient } from '../address/recipient.ts';
import { proto } from '../baileys/proto.ts';
import { toggleEphemeral } from '../group/settings.ts';
import { send } from '../outbound/send.ts';
import type { Session } from '../session.ts';

export interface EphemeralInput {
  number: string;
  /** Seconds; 0 keeps messages. */
  expiration: number;
}

/**
 * Tells everybody in the chat, and our sends follow it from then on. Resolves with the address of the chat. Throws as send(), and for groups as
 * toggleEphemeral() of theirs.
 */
export async function toggleChatEphemeral(session: Session, { number, expiration }: EphemeralInput): Promise<string> {
  const { jid, lid } = await resolveRecipient(session, number);
  if (isGroup(jid)) {
    await toggleEphemeral(session, jid, expiration);
    return jid;
  }
  await send(session, {
    number: jid,
    kind: 'protocolMessage',
    presence: 'composing',
    content: () => ({
      protocolMessage: {
        type: proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING,
        ephemeralExpiration: expiration,
        ephemeralSettingTimestamp: Math.floor(Date.now() / 1000),
      },
    }),
    event: (sent) => ({ type: 'chats.update', chats: [{ jid, ...(lid ? { lid } : {}), ephemeral: expiration }], sent }),
  });
  return jid;
}
