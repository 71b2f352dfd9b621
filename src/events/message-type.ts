// The type of a message: the name of the main member of its content.

/** Returns the name of the content's message field, for example `imageMessage`, or `unknown` when it has none. */
export function messageTypeOf(content: object): string {
  for (const name of Object.keys(content)) {
    if (name === 'conversation' || (name.includes('Message') && name !== 'senderKeyDistributionMessage')) return name;
  }
  return 'unknown';
}
