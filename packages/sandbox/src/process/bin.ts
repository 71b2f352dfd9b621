#!/usr/bin/env node
// The command of the published package: runs the sandbox (a simulated WhatsApp platform) and its control API, for a
// gateway in another process.
import { runPlatform } from './platform.ts';

await runPlatform(process.env);
