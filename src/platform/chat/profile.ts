// What an account shows of itself and of others: status text, privacy, pictures (interface §4.4).
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '@whiskeysockets/baileys';
import { GatewayError } from '../../errors.ts';
import { toJid } from '../jid.ts';
import { ask, Refusal } from '../query.ts';
import { resolve } from '../recipient.ts';
import type { Session } from '../session.ts';

const server = 's.whatsapp.net';
const privacyNames = ['readreceipts', 'profile', 'status', 'online', 'last', 'groupadd'] as const;
export type Privacy = Partial<Record<(typeof privacyNames)[number], string>>;

/** Changes the text under the own name. Throws PLATFORM_REFUSED and what ask() throws. */
export async function updateProfileStatus(session: Session, status: string): Promise<void> {
  const text = { tag: 'status', attrs: {}, content: Buffer.from(status, 'utf-8') };
  await change(session, 'status', text, 'Error updating profile status');
}

/**
 * Changes the settings that are given, one after the other, and resolves with all six as the platform has them then. Throws
 * PLATFORM_REFUSED at the first that the platform refuses (those before it are changed) and what ask() throws.
 */
export async function updatePrivacySettings(session: Session, changes: Privacy): Promise<Privacy> {
  const failure = 'Error updating privacy settings';
  for (const name of privacyNames) {
    const value = changes[name];
    if (value === undefined) continue;
    const category = { tag: 'category', attrs: { name, value } };
    await change(session, 'privacy', { tag: 'privacy', attrs: {}, content: [category] }, failure);
  }
  const answer = await question(session, 'get', 'privacy', { tag: 'privacy', attrs: {} }, failure);
  const current = getBinaryNodeChildren(getBinaryNodeChild(answer, 'privacy'), 'category');
  const values = new Map(current.map(({ attrs }) => [attrs.name, attrs.value]));
  return Object.fromEntries(privacyNames.map((name) => [name, values.get(name)]));
}

/**
 * The address of somebody's picture; null when it is hidden, missing or cannot be asked for now, which no caller can do anything
 * about. `session` is undefined while the instance is not connected. Throws INVALID_REQUEST when the number names nobody.
 */
export async function fetchProfilePictureUrl(
  session: Session | undefined,
  number: string,
): Promise<{ wuid: string; profilePictureUrl: string | null }> {
  const asked = toJid(number);
  if (!session) return { wuid: asked, profilePictureUrl: null };
  try {
    const { jid } = await resolve(session, number);
    const url = await session.socket.profilePictureUrl(jid, 'image').catch((err: unknown) => {
      session.log.debug({ err }, 'picture.unknown');
      return undefined;
    });
    return { wuid: jid, profilePictureUrl: url ?? null };
  } catch (err) {
    session.log.debug({ err }, 'picture.unknown');
    return { wuid: asked, profilePictureUrl: null };
  }
}

async function change(session: Session, xmlns: string, content: BinaryNode, failure: string): Promise<void> {
  await question(session, 'set', xmlns, content, failure);
}

function question(
  session: Session,
  type: 'get' | 'set',
  xmlns: string,
  content: BinaryNode,
  failure: string,
): Promise<BinaryNode> {
  const node = { tag: 'iq', attrs: { to: server, type, xmlns }, content: [content] };
  return ask(session, node).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    throw new GatewayError('PLATFORM_REFUSED', [failure, `Error: ${error.message}`], { certain: true, cause: error });
  });
}
