import type { Format } from '../../../lib/core/validation';
import {
  dnsLabelUpTo,
  dnsSubdomainUpTo,
  Problems,
  secretKey,
  timeZone,
  variableName,
  wholeNumber,
} from '../../../lib/core/validation';

test.each<[string, Format, unknown[], unknown[]]>([
  ['dnsLabelUpTo', dnsLabelUpTo(5), ['a', 'a-b-c'], ['', 'a-b-cd', 'A', 'a.b', '-a']],
  ['dnsSubdomainUpTo', dnsSubdomainUpTo(5), ['a.b-c'], ['a.b-cd', 'a..b', 'a.']],
  ['secretKey', secretKey, ['tls.crt', 'a_b-C', '..data'], ['', 'a/b', 'x'.repeat(254), 1]],
  ['variableName', variableName, ['PATH', '_x1'], ['1x', 'a-b', '', null]],
  ['timeZone', timeZone, ['UTC', 'Europe/Berlin'], ['+02:00', 'Mars/Base', '', 2]],
])('%s', (_name, rule, accepted, refused) => {
  expect(accepted.filter((value) => !rule.accepts(value))).toEqual([]);
  expect(refused.filter((value) => rule.accepts(value))).toEqual([]);
});

test('a shorter name says how long it may be', () => {
  expect(dnsLabelUpTo(40).allowed).toMatch(/at most 40 characters$/);
  expect(dnsSubdomainUpTo(52).allowed).toMatch(/at most 52 characters$/);
});

test('fields that are given are held against their rules, others are not', () => {
  const problems = new Problems('x');
  const rule = wholeNumber(1, 3);
  problems.checkGiven(
    '',
    { a: 0, b: undefined, c: 2 } as object,
    { a: rule, b: rule, c: rule, d: rule } as any,
  );
  problems.checkGiven('inner', { a: null as any }, { a: rule });
  expect(problems.all).toEqual([
    { path: 'a', value: 0, allowed: rule.allowed },
    { path: 'inner.a', value: null, allowed: rule.allowed },
  ]);
});
