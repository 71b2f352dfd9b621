import { describe, expect, it } from 'vitest';
import { isLikelyTypo, isTypo } from '../../src/lib/typo.ts';

describe('isTypo', () => {
  it.each([
    ['WEBHOK_TIMEOUT', true],
    ['WEBHOOKS_TIMEOUT', true],
    ['WEBHOOK_TIMEOUTS', true],
    ['WEBHOOK_TIMEUOT', true],
    ['WEBHOOK-TIMEOUT', true],
    ['XEBHOOK_TIMEOUT', true],
    ['WEBHOOK_TIMEOUT', false],
    ['WEBHOOK_TIME', false],
    ['WEBHOOK_TIMEOUT_MS', false],
    ['WHBEOOK_TIMEOUT', false],
  ])('isTypo() of %s for WEBHOOK_TIMEOUT returns %s', (written, expected) =>
    expect(isTypo(written, 'WEBHOOK_TIMEOUT')).toBe(expected));
});

describe('isLikelyTypo', () => {
  it.each([
    ['PORTT', 'PORT', true],
    ['POORT', 'PORT', true],
    ['PROT', 'PORT', true],
    ['HOSST', 'HOST', true],
    ['HSOT', 'HOST', true],
    ['API_KEE', 'API_KEY', true],
    ['API_KYE', 'API_KEY', true],
    ['API_KY', 'API_KEY', true],
    ['API_KEYY', 'API_KEY', true],
    ['CLUSTR', 'CLUSTER', true],
    ['CLUSTRE', 'CLUSTER', true],
    ['CLUSSTER', 'CLUSTER', true],
    ['PORT', 'PORT', false],
    ['PORTS', 'PORT', false],
    ['PORT_', 'PORT', false],
    ['PORT2', 'PORT', false],
    ['POST', 'PORT', false],
    ['PART', 'PORT', false],
    ['POT', 'PORT', false],
    ['SORT', 'PORT', false],
    ['SPORT', 'PORT', false],
    ['PATH', 'PORT', false],
    ['HOSTS', 'HOST', false],
    ['HOSTNAME', 'HOST', false],
    ['GHOST', 'HOST', false],
    ['COST', 'HOST', false],
    ['HOT', 'HOST', false],
    ['API_KEYS', 'API_KEY', false],
    ['API_KEY2', 'API_KEY', false],
    ['API_KEY_', 'API_KEY', false],
    ['APP_KEY', 'API_KEY', false],
    ['APM_KEY', 'API_KEY', false],
    ['AI_KEY', 'API_KEY', false],
    ['APIKEY', 'API_KEY', false],
    ['XAPI_KEY', 'API_KEY', false],
    ['CLUSTERS', 'CLUSTER', false],
    ['CLUSTER1', 'CLUSTER', false],
    ['MUSTER', 'CLUSTER', false],
  ])('isLikelyTypo() of %s for %s returns %s', (written, meant, expected) =>
    expect(isLikelyTypo(written, meant)).toBe(expected));
});
