// The error for wrong command-line arguments. The program ends with exit code 2, before it writes anything.

export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}
