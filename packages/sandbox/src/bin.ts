#!/usr/bin/env node
// The command of the published package: the platform and its controls, for a gateway that is started apart.
import { runPlatform } from './platform.ts';

await runPlatform(process.env);
