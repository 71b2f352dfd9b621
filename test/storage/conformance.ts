// Everything a store promises (src/storage/storage.ts), held against every dialect.
import { describe } from 'vitest';
import type { StorageOptions } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { accessTests } from './conformance/access.ts';
import { authKeyTests } from './conformance/auth-keys.ts';
import { authorityTests } from './conformance/authority.ts';
import { chatTests } from './conformance/chats.ts';
import { eventLogTests } from './conformance/event-log.ts';
import { fileTests } from './conformance/files.ts';
import { instanceTests } from './conformance/instances.ts';
import { messageSearchTests } from './conformance/message-search.ts';
import { messageSliceTests } from './conformance/message-slices.ts';
import { messageTests } from './conformance/messages.ts';
import { openTests } from './conformance/open.ts';
import { outboxTests } from './conformance/outbox.ts';
import { requestTests } from './conformance/requests.ts';
import { reusedIdTests } from './conformance/reused-ids.ts';
import { revealedNumberTests } from './conformance/revealed-numbers.ts';

/** One empty database of a dialect, for one test. */
export interface Bench {
  storage: Storage;
  /** Closes the store and opens it again on the same data. */
  reopen(
    options?: Partial<Pick<StorageOptions, 'network' | 'encryptionKey' | 'allowForeignTables' | 'onForeignTables'>>,
  ): Promise<Storage>;
  /** SQL beside the store, as a person with access to the database would do; resolves to the rows. */
  execute(sql: string): Promise<unknown[]>;
  /** From now on the database refuses to write this value into this column. */
  poison(table: string, column: string, value: string): Promise<void>;
  /** Takes the database away from the store. */
  breakDown(): Promise<void>;
}

/** The store as it is, then opened again on the same data. */
export async function* beforeAndAfterRestart(bench: Bench): AsyncGenerator<Storage> {
  yield bench.storage;
  yield bench.reopen();
}

export type OpenBench = () => Promise<Bench>;

export function conformance(dialect: string, open: OpenBench): void {
  describe(`storage on ${dialect}`, () => {
    describe('openStorage', () => openTests(open));
    describe('instances', () => instanceTests(open));
    describe('authKeys', () => authKeyTests(open));
    describe('messages', () => messageTests(open));
    describe('authority over messages', () => authorityTests(open));
    describe('message ids that several people use', () => reusedIdTests(open));
    describe('files', () => fileTests(open));
    describe('search, corrections and retention', () => messageSearchTests(open));
    describe('searches of many messages', () => messageSliceTests(open));
    describe('outbox and webhooks', () => outboxTests(open));
    describe('event log and deliveries', () => eventLogTests(open));
    describe('chats and contacts', () => chatTests(open));
    describe('numbers that become known', () => revealedNumberTests(open));
    describe('requests', () => requestTests(open));
    describe('keys and what was done with them', () => accessTests(open));
  });
}
