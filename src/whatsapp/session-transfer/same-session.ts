// Finds the instance that already has the session of a session bundle. Two instances that use one session would damage
// the keys of the session. Decision D-175.
import type { InstanceIdentity } from '../../storage/instance-row.ts';
import type { Storage } from '../../storage/storage.ts';
import { toBareJid } from '../address/jid.ts';
import { decodeCreds } from '../baileys/auth/codec.ts';

interface Stores {
  instances: Pick<Storage['instances'], 'identities'>;
  authKeys: Pick<Storage['authKeys'], 'creds'>;
}

/**
 * Resolves with the instance, on any node, that is linked as the device `deviceJid`; undefined when there is none.
 * Other devices of the account and the instance `exceptId` do not count. Rejects when the credentials of an instance of
 * the account cannot be read.
 */
export async function findInstanceOfDevice(
  { instances, authKeys }: Stores,
  deviceJid: string,
  exceptId?: string,
): Promise<InstanceIdentity | undefined> {
  const account = toBareJid(deviceJid);
  const linked = (await instances.identities()).filter(({ id, ownerJid }) => ownerJid === account && id !== exceptId);
  for (const instance of linked) {
    const creds = await authKeys.creds(instance.id);
    if (creds && deviceOf(decodeCreds(creds).me?.id) === deviceOf(deviceJid)) return instance;
  }
  return undefined;
}

/** The device number in a JID; 0 when the JID has none. */
const deviceOf = (jid: string | undefined): number => Number(/:(\d+)@/.exec(jid ?? '')?.[1] ?? 0);
