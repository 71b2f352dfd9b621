// The database of one test of the conformance suite.
import type { StorageOptions } from '../../../src/storage/open.ts';
import type { Storage } from '../../../src/storage/storage.ts';

/** An empty database of a dialect for one test. */
export interface StorageFixture {
  storage: Storage;
  /** Closes the storage and opens it again on the same data. */
  reopen(
    options?: Partial<Pick<StorageOptions, 'network' | 'encryptionKey' | 'allowForeignTables' | 'onForeignTables'>>,
  ): Promise<Storage>;
  /** Runs SQL outside of the storage, as an operator with access to the database can. Resolves with the rows. */
  execute(sql: string): Promise<unknown[]>;
  /** Makes the database reject new rows that have this value in this column. */
  rejectValue(table: string, column: string, value: string): Promise<void>;
  /** Makes the database unavailable to the storage. */
  makeUnavailable(): Promise<void>;
}

/** Yields the storage, and then the storage after it was opened again on the same data. */
export async function* beforeAndAfterRestart(fixture: StorageFixture): AsyncGenerator<Storage> {
  yield fixture.storage;
  yield fixture.reopen();
}

export type OpenFixture = () => Promise<StorageFixture>;
