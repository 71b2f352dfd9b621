// The conformance suite of the storage: tests of the interfaces in src/storage/storage.ts for every dialect.
import { describe } from 'vitest';
import { accessTests } from './conformance/access.ts';
import { authKeyTests } from './conformance/auth-keys.ts';
import { authorityTests } from './conformance/authority.ts';
import { chatTests } from './conformance/chats.ts';
import { eventLogTests } from './conformance/event-log.ts';
import { fileTests } from './conformance/files.ts';
import type { OpenFixture } from './conformance/fixture.ts';
import { instanceTests } from './conformance/instances.ts';
import { messageSearchTests } from './conformance/message-search.ts';
import { messageSliceTests } from './conformance/message-slices.ts';
import { messageTests } from './conformance/messages.ts';
import { openTests } from './conformance/open.ts';
import { outboxTests } from './conformance/outbox.ts';
import { requestTests } from './conformance/requests.ts';
import { reusedIdTests } from './conformance/reused-ids.ts';
import { revealedNumberTests } from './conformance/revealed-numbers.ts';

export function conformance(dialect: string, open: OpenFixture): void {
  describe(`storage on ${dialect}`, () => {
    describe('openStorage', () => openTests(open));
    describe('instances', () => instanceTests(open));
    describe('authKeys', () => authKeyTests(open));
    describe('messages', () => messageTests(open));
    describe('permissions to change messages', () => authorityTests(open));
    describe('messages with reused ids', () => reusedIdTests(open));
    describe('files', () => fileTests(open));
    describe('message searches, edits and pruning', () => messageSearchTests(open));
    describe('searches of many messages', () => messageSliceTests(open));
    describe('outbox and webhooks', () => outboxTests(open));
    describe('event log and deliveries', () => eventLogTests(open));
    describe('chats and contacts', () => chatTests(open));
    describe('revealed phone numbers', () => revealedNumberTests(open));
    describe('requests', () => requestTests(open));
    describe('access keys and audit log', () => accessTests(open));
  });
}
