// Writes sessions as folders that useMultiFileAuthState of Baileys 7 reads.
import { join, resolve } from 'node:path';
import { toBaileys } from '../../../../src/session-bundle/baileys.ts';
import { countKeysByType } from '../../../../src/session-bundle/key-counts.ts';
import { writeBaileysFolder } from '../baileys/files.ts';
import type { Target, TargetOptions } from '../session/target.ts';

const UNUSED_SETTINGS = 'Baileys has no place for them.';
const UNUSED_SALT = 'Baileys has no place for it.';

/** Opens `location`: the folder of one session or, for several sessions, the folder that contains their folders. */
export async function openBaileysFolderTarget({ location, hasSeveralSessions }: TargetOptions): Promise<Target> {
  const path = resolve(location);
  return {
    title: `folder ${path}`,
    async write(bundle) {
      const { name, ...settings } = bundle.instance;
      const folder = hasSeveralSessions ? join(path, name) : path;
      writeBaileysFolder(folder, toBaileys(bundle));
      // toBaileys() drops `nctSalt`, the salt of tokens for contacts that gave this account no privacy token.
      const { nctSalt, ...writtenKeys } = bundle.keys;
      const count = Object.keys(settings).length;
      return {
        location: `folder ${folder}`,
        written: countKeysByType(writtenKeys),
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
