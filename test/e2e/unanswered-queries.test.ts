// A query that the platform does not answer delays its own chat only, not the other chats of the account.
import { describe, expect, it } from 'vitest';
import { sendText } from '../../src/whatsapp/message/text.ts';
import { contact, ownNumber, textBody, useStage } from './session-stage.ts';

const stage = useStage();
/** In ms. Long enough for the sends to the other chat on a busy machine. */
const queryTimeout = 5_000;
const otherContact = '15550009003';

describe('chats whose queries the platform does not answer', () => {
  it.each([
    ['whose keys', 'encrypt'],
    ['whose devices', 'usync'],
  ])('a send to a chat %s stay unknown times out and does not delay sends to other chats', async (_, xmlns) => {
    const line = await stage.openLinked({ queryTimeout });
    // The other contact gets a Signal session. In the `usync` case, both contacts are known before the reconnect.
    await sendText(line.session, textBody('first', otherContact));
    if (xmlns === 'usync') {
      await sendText(line.session, textBody('first'));
      await line.session.close();
    }
    const { session } = xmlns === 'usync' ? await stage.openLinked({ queryTimeout }) : line;
    if (xmlns === 'usync') await sendText(session, textBody('again', otherContact));
    stage.sandbox.faults.add({ kind: 'mute', number: ownNumber, xmlns });
    let hasEnded = false;
    const stuckSend = sendText(session, textBody('stuck'))
      .catch((error: unknown) => error)
      .finally(() => {
        hasEnded = true;
      });
    await Promise.all([1, 2, 3].map((n) => sendText(session, textBody(`free ${n}`, otherContact))));
    expect(hasEnded).toBe(false);
    expect(await stuckSend).toMatchObject({ code: 'PLATFORM_TIMEOUT', certain: true });
    await sendText(session, textBody('at last'));
    const phone = stage.phone(contact);
    await phone.waitFor(() => phone.messages().some((message) => message.text === 'at last'));
    expect(phone.messages().map((message) => message.text)).not.toContain('stuck');
  });
});
