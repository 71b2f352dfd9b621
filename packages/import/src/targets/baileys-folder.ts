// Writes sessions as folders that useMultiFileAuthState of Baileys 7 reads.
import { join, resolve } from 'node:path';
import { toBaileys } from '../../../../src/session-bundle/baileys.ts';
import { countKeysByType } from '../../../../src/session-bundle/key-counts.ts';
import { writeBaileysFolder } from '../baileys-files.ts';
import type { Target, TargetOptions } from '../target.ts';

const UNUSED_SETTINGS = 'Baileys has no place for them.';
const UNUSED_SALT = 'Baileys has no place for it.';

/** Opens `location`: the folder of one session, or a folder of folders when several sessions are written. */
export async function openBaileysFolderTarget({ location, hasSeveralSessions }: TargetOptions): Promise<Target> {
  const path = resolve(location);
  return {
    title: `folder ${path}`,
    async write(bundle) {
      const { name, ...settings } = bundle.instance;
      const folder = hasSeveralSessions ? join(path, name) : path;
      writeBaileysFolder(folder, toBaileys(bundle));
      const { nctSalt, ...written } = bundle.keys;
      const count = Object.keys(settings).length;
      return {
        location: `folder ${folder}`,
        taken: countKeysByType(written),
        dropped: [
          ...(count > 0 ? [{ type: 'settings of the instance', count, reason: UNUSED_SETTINGS }] : []),
          ...(nctSalt === undefined ? [] : [{ type: 'nctSalt', count: 1, reason: UNUSED_SALT }]),
        ],
        warnings: [],
      };
    },
    async close() {},
  };
}
