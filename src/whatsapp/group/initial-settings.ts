// Applies the optional settings of a new group: description, admins, picture. Returns failures instead of throwing,
// because the group already exists. Decision D-042.

import { type ErrorCode, GatewayError } from '../../errors.ts';
import type { GroupMetadata } from '../baileys/types.ts';
import type { Media } from '../media/media.ts';
import type { Session } from '../session.ts';
import { changeParticipants, isSuccess } from './participants.ts';
import { updatePicture, writeDescription } from './profile.ts';
import { toGroupError } from './query.ts';

export interface InitialSettings {
  description?: string;
  /** True makes every added participant an admin. */
  promoteParticipants?: boolean;
  /** URL, base64 or data URL. */
  profilePicture?: string;
}

/** A setting that could not be applied. */
export interface FailedSetting {
  field: keyof InitialSettings;
  code: ErrorCode;
  message: string;
}

/**
 * Applies the settings and returns those that failed. Also writes the new description and the new admins into `group`.
 */
export async function applyInitialSettings(
  session: Session,
  media: Media,
  group: GroupMetadata,
  { description, promoteParticipants, profilePicture }: InitialSettings,
): Promise<FailedSetting[]> {
  const failed: FailedSetting[] = [];
  const attempt = (field: keyof InitialSettings, step: Promise<void>): Promise<void> =>
    step.catch((err: unknown) => {
      session.log.warn({ err, field }, 'group.setup_step.failed');
      failed.push({ field, ...toFailedResult(err) });
    });
  if (description) await attempt('description', setDescription(session, group, description));
  if (promoteParticipants) await attempt('promoteParticipants', promoteAll(session, group));
  if (profilePicture) await attempt('profilePicture', updatePicture(session, media, group.id, profilePicture));
  return failed;
}

async function setDescription(session: Session, group: GroupMetadata, description: string): Promise<void> {
  await writeDescription(session, group.id, description).catch((error: unknown) => {
    throw toGroupError(error, { text: 'Error updating group description' });
  });
  group.desc = description;
}

async function promoteAll(session: Session, group: GroupMetadata): Promise<void> {
  const nonAdmins = group.participants.filter(({ admin }) => !admin).map(({ id }) => id);
  if (nonAdmins.length === 0) return;
  const nodes = await changeParticipants(session, group.id, 'promote', nonAdmins);
  const promoted = new Set(nodes.filter(isSuccess).map(({ attrs }) => attrs.jid));
  group.participants = group.participants.map((member) =>
    promoted.has(member.id) ? { ...member, admin: 'admin' } : member,
  );
  const notPromoted = nonAdmins.filter((id) => !promoted.has(id)).length;
  if (notPromoted > 0)
    throw new GatewayError('GROUP_REFUSED', [`${notPromoted} of ${nonAdmins.length} participants were not promoted`]);
}

/**
 * Returns the code and the message of an error. The message is the last text of a GatewayError's response, because that
 * text is the most specific one.
 */
export function toFailedResult(error: unknown): Pick<FailedSetting, 'code' | 'message'> {
  if (!(error instanceof GatewayError)) return { code: 'INTERNAL', message: 'Internal Server Error' };
  // `responseMessage` is a text, a list, or a list in a list. The items are texts or objects.
  const last: unknown = [error.responseMessage].flat(2).at(-1);
  if (typeof last === 'string') return { code: error.code, message: last };
  const hasMessage = typeof last === 'object' && last !== null && 'message' in last;
  return { code: error.code, message: hasMessage ? String(last.message) : error.code };
}
