// Wrong arguments, which end the program with exit code 2 before it changes anything.

export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}
