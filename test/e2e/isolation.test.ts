// One question that the platform leaves unanswered concerns one chat: the others of the account go on.
import { describe, expect, it } from 'vitest';
import { sendText } from '../../src/whatsapp/message/text.ts';
import { mine, text, theirs, useStage } from './stage.ts';

const stage = useStage();
/** ms. Long enough for the sends to the other chat on a busy machine. */
const queryTimeout = 5_000;
const other = '15550009003';

describe('a chat about which the platform does not answer', () => {
  it.each([
    ['whose keys', 'encrypt'],
    ['whose devices', 'usync'],
  ])('%s stay unknown fails by its own deadline and delays no other', async (_, xmlns) => {
    const line = await stage.openLinked({ queryTimeout });
    // Makes both numbers known, and one of them ready.
    await sendText(line.session, text('first', other));
    if (xmlns === 'usync') {
      await sendText(line.session, text('first'));
      await line.session.close();
    }
    const { session } = xmlns === 'usync' ? await stage.openLinked({ queryTimeout }) : line;
    if (xmlns === 'usync') await sendText(session, text('again', other));
    stage.sandbox.faults.add({ kind: 'mute', number: mine, xmlns });
    let hasEnded = false;
    const stuck = sendText(session, text('stuck'))
      .catch((error: unknown) => error)
      .finally(() => {
        hasEnded = true;
      });
    await Promise.all([1, 2, 3].map((n) => sendText(session, text(`free ${n}`, other))));
    expect(hasEnded).toBe(false);
    expect(await stuck).toMatchObject({ code: 'PLATFORM_TIMEOUT', certain: true });
    await sendText(session, text('at last'));
    const phone = stage.phone(theirs);
    await phone.waitFor(() => phone.messages().some((one) => one.text === 'at last'));
    expect(phone.messages().map((one) => one.text)).not.toContain('stuck');
  });
});
