// Random changes of bytes, regardless of their format.
import type { Random } from '../support/random.ts';

/** Returns the bytes with one to three changes, such as a bit, a byte, a cut, a repetition or an insertion. */
export function corrupt(random: Random, original: Uint8Array): Buffer {
  let bytes: Buffer = Buffer.from(original);
  for (let changes = 1 + random.few(2); changes > 0; changes--) bytes = change(random, bytes);
  return bytes;
}

function change(random: Random, bytes: Buffer): Buffer {
  const position = random.int(bytes.length + 1);
  const otherPosition = random.int(bytes.length + 1);
  const [from, to] = [Math.min(position, otherPosition), Math.max(position, otherPosition)];
  const edited = Buffer.from(bytes);
  switch (random.int(7)) {
    case 0:
      if (position < edited.length) edited.writeUInt8(edited.readUInt8(position) ^ (1 << random.int(8)), position);
      return edited;
    case 1:
      if (position < edited.length)
        edited.writeUInt8(random.pick([0, 1, 0x7f, 0x80, 0xf8, 0xf9, 0xfc, 0xfd, 0xfe, 0xff]), position);
      return edited;
    case 2:
      return edited.subarray(0, position);
    case 3:
      return Buffer.concat([edited.subarray(0, from), edited.subarray(to)]);
    case 4:
      return Buffer.concat([edited, edited.subarray(from, to)]);
    case 5:
      return Buffer.concat([edited.subarray(0, position), random.bytes(1 + random.int(8)), edited.subarray(position)]);
    default:
      return Buffer.concat([edited.subarray(to), edited.subarray(0, from)]);
  }
}
