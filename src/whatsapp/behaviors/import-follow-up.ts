// Completes the import of a session (session-transfer/) when the session connects. The import stores tasks, and this
// file does them. One task compares the pre-keys (one-time keys with which other devices start an encrypted session) on
// the server with the stored pre-keys, and uploads new ones if needed. The other task fetches the app state (chats,
// contacts and settings that the devices of the account share). A task that fails is repeated at the next connection.
// Decision D-176.
import type { AuthState } from '../baileys/auth/auth-state.ts';
import { collectAnswers } from '../baileys/patches/app-state-answers.ts';
import { requireAnswers } from '../baileys/required-answers.ts';
import { allChildrenOf, childOf, childrenOf, type Stanza } from '../baileys/stanza.ts';
import type { Socket } from '../baileys/types.ts';
import { queryWhatsApp } from '../query.ts';
import type { Session } from '../session.ts';
import { IMPORT_TASK_TYPE, IMPORT_TASKS, type ImportTask } from '../session-transfer/import-tasks.ts';

type FollowUpSocket = Pick<Socket, 'authState' | 'ev' | 'query' | 'resyncAppState' | 'uploadPreKeys'>;
type FollowUpAuth = Pick<AuthState, 'creds' | 'get' | 'remove'>;

/** The collections into which WhatsApp divides the app state. */
const COLLECTIONS = ['critical_block', 'critical_unblock_low', 'regular_high', 'regular_low', 'regular'] as const;
/** Minimum number of usable pre-keys on the server. With fewer, more are uploaded. */
const MIN_PRE_KEYS = 30;
/** Maximum number of pre-keys of one upload. Baileys uploads this number after a new link. */
const MAX_UPLOADED_PRE_KEYS = 812;
/**
 * Maximum value to which the id of the next pre-key is raised. The higher ids of three bytes remain for later pre-keys.
 */
const MAX_RAISED_ID = 0xff0000;
const PRE_KEY_ID_BYTES = 3;

/** Reads the tasks that an import has stored and no connection has done. */
export async function loadImportTasks(auth: Pick<AuthState, 'readAll'>): Promise<ImportTask[]> {
  const stored = await auth.readAll(IMPORT_TASK_TYPE);
  return IMPORT_TASKS.filter((task) => stored.has(task));
}

/** Does the tasks, one after the other, when the connection opens. A failure is only logged. */
export function installImportFollowUp(
  socket: FollowUpSocket,
  session: Session,
  { auth, tasks }: { auth: FollowUpAuth; tasks: readonly ImportTask[] },
): void {
  if (tasks.length === 0) return;
  const run = async (): Promise<void> => {
    for (const task of tasks) {
      if (session.ended.aborted) return;
      try {
        await perform(task, socket, session, auth);
        // Emits and stores the buffered events before the task is removed, so that a crash loses none of them.
        socket.ev.flush();
        await session.waitForEvents();
        auth.remove(IMPORT_TASK_TYPE, [task]);
        session.log.info({ task }, 'import.task.completed');
      } catch (err) {
        if (!session.ended.aborted) session.log.warn({ err, task }, 'import.task.failed');
      }
    }
  };
  let hasStarted = false;
  socket.ev.on('connection.update', ({ connection }) => {
    if (connection !== 'open' || hasStarted) return;
    hasStarted = true;
    void run();
  });
}

function perform(task: ImportTask, socket: FollowUpSocket, session: Session, auth: FollowUpAuth): Promise<void> {
  return task === 'pre-keys' ? restorePreKeys(socket, session, auth) : fetchAppState(socket);
}

/**
 * Fetches all collections of the app state. The server sends snapshots (complete collections), because no versions are
 * stored. Rejects when a collection could not be read: resyncAppState() itself resolves in this case.
 */
async function fetchAppState(socket: FollowUpSocket): Promise<void> {
  const answers: Stanza[] = [];
  const isInitialSync = false;
  // requireAnswers() makes a query without an answer reject. collectAnswers() appends the answers to `answers`.
  await collectAnswers(answers, () => requireAnswers(() => socket.resyncAppState(COLLECTIONS, isInitialSync)));
  const collections = answers.flatMap((answer) => childrenOf(childOf(answer, 'sync'), 'collection'));
  // Baileys stores no version for a collection that is empty on the server.
  const filled = collections.filter((collection) => allChildrenOf(collection).length > 0);
  const versions = await socket.authState.keys.get('app-state-sync-version', [...COLLECTIONS]);
  const unread = COLLECTIONS.filter((name) => !versions[name] && filled.some(({ attrs }) => attrs.name === name));
  if (unread.length > 0) throw new Error(`the app state could not be read: ${unread.join(', ')}`);
}

/**
 * Compares the pre-keys on the server with the stored ones. Uploads new pre-keys, together with the signed pre-key, in
 * three cases: a private half is not stored here, the server has another signed pre-key, or the server has fewer than
 * MIN_PRE_KEYS usable pre-keys.
 */
async function restorePreKeys(socket: FollowUpSocket, session: Session, auth: FollowUpAuth): Promise<void> {
  const digest = readDigest(await requireAnswers(() => queryWhatsApp(session, toDigestQuery())));
  const stored = await auth.get('pre-key', digest.preKeyIds.map(String));
  const missing = digest.preKeyIds.filter((id) => !stored[id]).length;
  const usable = digest.preKeyIds.length - missing;
  const isOwnSignedPreKey = digest.signedPreKey?.equals(auth.creds.signedPreKey.keyPair.public) ?? false;
  if (missing === 0 && usable >= MIN_PRE_KEYS && isOwnSignedPreKey) return;
  raiseNextId(socket, auth, digest.preKeyIds);
  await socket.uploadPreKeys(Math.min(MAX_UPLOADED_PRE_KEYS, Math.max(MIN_PRE_KEYS, missing)));
}

/**
 * Raises the id of the next pre-key above all ids on the server. A new key with one of these ids would have another
 * private half than the key on the server.
 */
function raiseNextId(socket: FollowUpSocket, { creds }: FollowUpAuth, serverIds: readonly number[]): void {
  const next = serverIds.reduce((max, id) => Math.max(max, id + 1), 0);
  if (next <= creds.nextPreKeyId || next > MAX_RAISED_ID) return;
  socket.ev.emit('creds.update', { nextPreKeyId: next, firstUnuploadedPreKeyId: next });
}

/**
 * Returns the query for the digest, the list of the account's keys on the server. Creates a new stanza each time,
 * because Baileys adds an id to the stanza that it sends.
 */
const toDigestQuery = (): Stanza => ({
  tag: 'iq',
  attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'encrypt' },
  content: [{ tag: 'digest', attrs: {} }],
});

/** Returns the ids of the one-time pre-keys on the server, and the public half of the signed pre-key on the server. */
function readDigest(answer: Stanza): { preKeyIds: number[]; signedPreKey: Buffer | undefined } {
  const digest = childOf(answer, 'digest');
  const ids = childrenOf(childOf(digest, 'list'), 'id').map(({ content }) =>
    content instanceof Uint8Array && content.length === PRE_KEY_ID_BYTES
      ? Buffer.from(content).readUIntBE(0, PRE_KEY_ID_BYTES)
      : 0,
  );
  const value = childOf(childOf(digest, 'skey'), 'value')?.content;
  return {
    preKeyIds: ids.filter((id) => id > 0),
    signedPreKey: value instanceof Uint8Array ? Buffer.from(value) : undefined,
  };
}
