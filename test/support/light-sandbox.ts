// A simulated platform that saves time in tests. It reports one prekey more than a client has uploaded, so that the
// client uploads 5 instead of 812. It has no TLS server.
import { createSandbox, type SandboxOptions } from '../../packages/sandbox/src/sandbox.ts';

/** Creates the platform. `options` override these two options. */
export const createLightSandbox = (options: SandboxOptions = {}) =>
  createSandbox({ extraReportedPreKeys: 1, tlsPort: false, ...options });
