// Runs before each file of the unit tests. Its imports are loaded once per process.
import './signatures.ts';
