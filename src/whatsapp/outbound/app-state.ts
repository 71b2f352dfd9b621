// Changes the app state, which all devices of an account share: name, archived chats, unread marks, stars. Each change
// waits for WhatsApp's answer, because Baileys rc14 treats a missing answer and a conflict with another device as
// success. Decision D-084.

import { GatewayError } from '../../errors.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { isConnectionClosed, isRefusal } from '../baileys/errors.ts';
import { collectAnswers } from '../baileys/patches/app-state-answers.ts';
import { toAppStatePatch } from '../baileys/queries.ts';
import { isUnanswered, requireAnswers } from '../baileys/required-answers.ts';
import { childOf, childrenOf, type Stanza } from '../baileys/stanza.ts';
import type { AppStatePatch, ChatModification } from '../baileys/types.ts';
import { notOpenError, withOpenKeys } from '../query.ts';
import type { Session } from '../session.ts';

/** Maximum number of attempts when the change conflicts with changes of other devices. */
const MAX_ATTEMPTS = 3;

/** Error code of WhatsApp: another device has changed the same collection (a part of the app state) first. */
const CONFLICT = '409';

/**
 * Makes one change. `change` is a ChatModification of Baileys, or an AppStatePatch for a change that has no
 * ChatModification. `jid` is the chat, or '' for a change of the account. `failure` is the sentence for the caller that
 * names the failed change. Throws PLATFORM_REFUSED with the texts `[failure, reason]`, INSTANCE_NOT_OPEN and
 * PLATFORM_TIMEOUT. `certain: false` means that WhatsApp may have made the change.
 */
export async function changeAppState(
  session: Session,
  change: ChatModification | AppStatePatch,
  jid: string,
  failure: string,
): Promise<void> {
  await waitForKey(session);
  const { keys } = session.socket.authState;
  const isPatch = 'syncAction' in change;
  const { type: collection } = isPatch ? change : toAppStatePatch(change, jid);
  const write = () => (isPatch ? session.socket.appPatch(change) : session.socket.chatModify(change, jid));
  // Before each attempt, Baileys loads the changes of other devices. After a conflict, the next attempt can succeed.
  for (let attempt = 1; ; attempt += 1) {
    const { [collection]: versionBefore } = await withOpenKeys(
      session,
      keys.get('app-state-sync-version', [collection]),
    );
    const answers: Stanza[] = [];
    try {
      await collectAnswers(answers, () => requireAnswers(write));
    } catch (error) {
      throw toFailure(session, error, failure);
    }
    const errorCode = answers.map(errorCodeIn).find((code) => code !== undefined);
    if (errorCode === undefined) return;
    // rc14 has already stored a collection version that WhatsApp does not have. Without this reset, rc14 would reject
    // all later changes of the collection.
    await withOpenKeys(session, keys.set({ 'app-state-sync-version': { [collection]: versionBefore ?? null } }));
    if (errorCode !== CONFLICT || attempt === MAX_ATTEMPTS) {
      throw new GatewayError('PLATFORM_REFUSED', [failure, `Error: the platform answered ${errorCode}`], {
        certain: true,
      });
    }
  }
}

/** Returns WhatsApp's error code for a refused change, 'an error' for a refusal without a code, otherwise undefined. */
function errorCodeIn(answer: Stanza): string | undefined {
  const collections = childrenOf(childOf(answer, 'sync'), 'collection');
  const refused = collections.find(({ attrs }) => attrs.type === 'error');
  return refused && (childOf(refused, 'error')?.attrs.code ?? 'an error');
}

/** Waits for the key that encrypts app state. The phone sends this key soon after linking. */
async function waitForKey(session: Session): Promise<void> {
  const { ev, authState } = session.socket;
  if (session.ended.aborted) throw notOpenError(session);
  if (authState.creds.myAppStateKeyId) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const resolveWhenKeyExists = () => {
    if (authState.creds.myAppStateKeyId) resolve();
  };
  ev.on('creds.update', resolveWhenKeyExists);
  await withDeadline(promise, {
    timeoutMs: session.sendTimeout,
    toTimeoutError: () =>
      new GatewayError('PLATFORM_TIMEOUT', 'The phone has not sent the encryption key of the app state yet.', {
        certain: true,
      }),
    signal: session.ended,
    toAbortError: () => notOpenError(session),
  }).finally(() => ev.off('creds.update', resolveWhenKeyExists));
}

/** Converts a rejection of Baileys. An unexpected error is returned unchanged. */
function toFailure(session: Session, error: unknown, failure: string): unknown {
  if (isUnanswered(error)) {
    return new GatewayError('PLATFORM_TIMEOUT', 'The platform did not answer.', { certain: false, cause: error });
  }
  if (session.ended.aborted || isConnectionClosed(error)) {
    return new GatewayError('PLATFORM_TIMEOUT', 'The connection was lost before the platform confirmed.', {
      certain: false,
      cause: error,
    });
  }
  if (!isRefusal(error)) return error;
  return new GatewayError('PLATFORM_REFUSED', [failure, `Error: ${error.message}`], { certain: true, cause: error });
}
