// Stores a few named values, such as the network (WhatsApp or the sandbox), the value that checks the encryption key,
// and the WhatsApp Web version. The table has the older name `fact`.
import type { Database } from './database.ts';
import type { Metadata } from './storage.ts';

export function createMetadata({ build, query }: Database): Metadata {
  return {
    async get(name) {
      const [row] = await query(build.selectFrom('fact').select('value').where('name', '=', name));
      return row?.value ?? null;
    },
    async getOrSet(name, value) {
      const insert = build.insertInto('fact').values({ name, value });
      await query(insert.onConflict((conflict) => conflict.column('name').doNothing()));
      const [row] = await query(build.selectFrom('fact').select('value').where('name', '=', name));
      return row?.value ?? value;
    },
    async set(name, value) {
      const insert = build.insertInto('fact').values({ name, value });
      await query(insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ value })));
    },
  };
}
