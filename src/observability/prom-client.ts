// Loads only the files of prom-client that the gateway uses, and their dependencies. The index of prom-client would
// also load its default metrics with OpenTelemetry, summaries and the Pushgateway. Decision D-184.
import { createRequire } from 'node:module';
import type prom from 'prom-client';

export type Counter<Label extends string = string> = prom.Counter<Label>;
export type Gauge<Label extends string = string> = prom.Gauge<Label>;
export type Histogram<Label extends string = string> = prom.Histogram<Label>;
export type Registry = prom.Registry;

const require = createRequire(import.meta.url);

export const Counter: typeof prom.Counter = require('prom-client/lib/counter.js');
export const Gauge: typeof prom.Gauge = require('prom-client/lib/gauge.js');
export const Histogram: typeof prom.Histogram = require('prom-client/lib/histogram.js');
export const Registry: typeof prom.Registry = require('prom-client/lib/registry.js');
