// Runs before each file of the unit tests. What it loads is loaded once per process.
import './signatures.ts';
