// The error for wrong arguments. It ends the program with exit code 2, before anything is written.

export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}
