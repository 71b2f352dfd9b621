// A simulated platform that costs tests little: it reports one pre-key more than a client has uploaded, so that the
// client uploads 5 instead of 812, and it has no TLS server.
import { createSandbox, type SandboxOptions } from '../../packages/sandbox/src/sandbox.ts';

/** Creates the platform. `options` replace those of a light one. */
export const createLightSandbox = (options: SandboxOptions = {}) =>
  createSandbox({ extraReportedPreKeys: 1, tlsPort: false, ...options });
