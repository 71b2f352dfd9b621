import { describe, expect, it } from 'vitest';
import { maskUrl } from '../../src/webhooks/mask-url.ts';

describe('maskUrl', () => {
  it.each([
    ['https://hooks.example.com', 'https://hooks.example.com/'],
    ['https://hooks.example.com:8443/', 'https://hooks.example.com:8443/'],
    ['https://user:password@hooks.example.com/', 'https://***@hooks.example.com/'],
    ['https://token@hooks.example.com', 'https://***@hooks.example.com/'],
    ['https://:password@hooks.example.com', 'https://***@hooks.example.com/'],
    ['https://hooks.example.com/?token=sesame&x', 'https://hooks.example.com/?***'],
    ['https://hooks.example.com/?sesame', 'https://hooks.example.com/?***'],
    ['https://hooks.example.com/#sesame', 'https://hooks.example.com/#***'],
    ['https://hooks.slack.com/services/T0001/B0002/sesame', 'https://hooks.slack.com/***'],
    ['https://discord.com/api/webhooks/1/sesame?wait=true', 'https://discord.com/***?***'],
    ['https://u:p@[2001:db8::1]:9000/a?b#c', 'https://***@[2001:db8::1]:9000/***?***#***'],
    ['', ''],
    ['sesame', '***'],
    ['sesame:1', '***'],
    ['https://', '***'],
  ])('maskUrl() masks %s', (url, masked) => {
    expect(maskUrl(url)).toBe(masked);
    for (const secret of ['sesame', 'password', 'token']) expect(maskUrl(url)).not.toContain(secret);
  });
});
