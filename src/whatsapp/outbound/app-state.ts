// Changes the app state that all devices of an account share: name, archived chats, unread marks, stars. Each change
// waits for WhatsApp's answer. Baileys rc14 treats a missing answer and a conflict with another device as success, and
// then ignores later changes.

import { GatewayError } from '../../errors.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { CONNECTION_CLOSED, statusOf } from '../baileys/connection-update.ts';
import { collectAnswers } from '../baileys/patches/app-state-answers.ts';
import { isUnanswered, requireAnswers } from '../baileys/patches/query-timeout.ts';
import { toAppStatePatch } from '../baileys/queries.ts';
import { childOf, childrenOf, type Stanza } from '../baileys/stanza.ts';
import type { AppStatePatch, ChatModification } from '../baileys/types.ts';
import { notOpen } from '../query.ts';
import type { Session } from '../session.ts';

/** Attempts of a change that conflicts with changes of other devices. */
const MAX_ATTEMPTS = 3;

/**
 * Makes one change. `jid` is the chat, or '' for the account. `change` is a ChatModification of Baileys, or a patch for
 * which Baileys has no modification. Throws PLATFORM_REFUSED with `[failure, reason]`, INSTANCE_NOT_OPEN, and
 * PLATFORM_TIMEOUT; `certain: false` means that the change may have been made.
 */
export async function changeAppState(
  session: Session,
  change: ChatModification | AppStatePatch,
  jid: string,
  failure: string,
): Promise<void> {
  await waitForKey(session);
  const { keys } = session.socket.authState;
  const isOwn = 'syncAction' in change;
  const { type } = isOwn ? change : toAppStatePatch(change, jid);
  const write = () => (isOwn ? session.socket.appPatch(change) : session.socket.chatModify(change, jid));
  for (let attempt = 1; ; attempt += 1) {
    const { [type]: before } = await keys.get('app-state-sync-version', [type]);
    const answers: Stanza[] = [];
    try {
      await collectAnswers(answers, () => requireAnswers(write));
    } catch (error) {
      throw toFailure(session, error, failure);
    }
    const refused = answers.map(errorCodeIn).find((code) => code !== undefined);
    if (refused === undefined) return;
    // rc14 has already stored the change as made, under the version of another device's change.
    await keys.set({ 'app-state-sync-version': { [type]: before ?? null } });
    if (refused !== CONFLICT || attempt === MAX_ATTEMPTS) {
      throw new GatewayError('PLATFORM_REFUSED', [failure, `Error: the platform answered ${refused}`], {
        certain: true,
      });
    }
  }
}

const CONFLICT = '409';

/** Returns the error code for the collection in the answer, or undefined. */
function errorCodeIn(answer: Stanza): string | undefined {
  const collections = childrenOf(childOf(answer, 'sync'), 'collection');
  const refused = collections.find(({ attrs }) => attrs.type === 'error');
  return refused && (childOf(refused, 'error')?.attrs.code ?? 'an error');
}

/** Waits for the app-state key, which the phone sends soon after a device is linked. */
async function waitForKey(session: Session): Promise<void> {
  const { ev, authState } = session.socket;
  if (session.ended.aborted) throw notOpen();
  if (authState.creds.myAppStateKeyId) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => void (authState.creds.myAppStateKeyId && resolve());
  ev.on('creds.update', look);
  await withDeadline(promise, {
    after: session.sendTimeout,
    onTimeout: () =>
      new GatewayError('PLATFORM_TIMEOUT', 'the phone has not handed over the key of its settings yet', {
        certain: true,
      }),
    ended: session.ended,
    onEnded: notOpen,
  }).finally(() => ev.off('creds.update', look));
}

function toFailure(session: Session, error: unknown, failure: string): unknown {
  if (isUnanswered(error)) {
    return new GatewayError('PLATFORM_TIMEOUT', 'the platform did not answer', { certain: false, cause: error });
  }
  if (session.ended.aborted || typeof error === 'number' || statusOf(error) === CONNECTION_CLOSED) {
    return new GatewayError('PLATFORM_TIMEOUT', 'the connection was lost before the platform confirmed', {
      certain: false,
      cause: error,
    });
  }
  const isRefusal = error instanceof Error && typeof Reflect.get(error, 'data') === 'number';
  if (!isRefusal) return error;
  return new GatewayError('PLATFORM_REFUSED', [failure, `Error: ${error.message}`], { certain: true, cause: error });
}
