import { proto } from '@whiskeysockets/baileys';
import { proto as olderProto } from 'baileys-6';
import { expect, it } from 'vitest';

// Both versions register their messages in protobufjs. With one copy of protobufjs, the last version that is loaded
// would replace the messages of the other one in every test of the same worker.
it('Baileys 6, which tests use beside Baileys 7, has messages of its own', () => {
  const key = proto.Message.AppStateSyncKeyData.decode(new Uint8Array());
  expect(key).toBeInstanceOf(proto.Message.AppStateSyncKeyData);
  expect(key).not.toBeInstanceOf(olderProto.Message.AppStateSyncKeyData);
  expect(olderProto.Message).not.toBe(proto.Message);
});
