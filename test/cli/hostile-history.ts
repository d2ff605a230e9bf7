import { mkdirSync } from 'node:fs';

const keptId = '20260102t030405z-traffic-00000000';

const brokenId = '20260102t030405z-traffic-00000001';

/** A swap file and a history of others. */
export function hostileHistory(
  bad: string,
  badName: string,
  file: (name: string, content: string) => string,
  path: (name: string) => string,
): void {
  file('bad-swap.yaml', JSON.stringify({ fleet: bad, region: bad }));
  mkdirSync(path('history'));
  const swap = {
    kind: 'swap',
    fleet: 'apps',
    region: 'eu-west-1',
    by: bad,
    startedAt: 1,
    endedAt: 2,
    why: bad,
  };
  const slot = { name: 'blue', version: bad.slice(0, 100) };
  const phase = { phase: 'try', startedAt: 1, endedAt: 2, verdict: 'passed', reason: bad, approvedBy: bad };
  const ended = { ...swap, id: bad, old: slot, new: slot, verdict: 'completed', phases: [phase] };
  file(`history/${badName}.json`, JSON.stringify({ schemaVersion: 1, ...ended }));
  file(`history/${badName}-broken.json`, JSON.stringify({ ...swap, fleet: bad }));
  const at = '2026-01-02T03:04:05.000Z';
  const line = { at, text: bad };
  const shift = {
    ...{
      schemaVersion: 1,
      verdict: 'held',
      reason: bad,
      from: { blue: 100 },
      to: { blue: 100 },
      final: null,
    },
    ...{
      startedAt: at,
      endedAt: at,
      writes: [],
      checks: [],
      log: [line],
      approvals: [{ place: 5, by: bad, at }],
    },
    run: { id: keptId, plan: bad, route: bad.slice(0, 100), fleet: bad.slice(0, 100), by: bad },
  };
  mkdirSync(path('shifts'));
  file(`shifts/${keptId}.json`, JSON.stringify(shift));
  file(`shifts/${brokenId}.json`, JSON.stringify({ ...shift, verdict: bad }));
  file(`${badName}-shift.json`, JSON.stringify({ ...shift, [bad]: bad, verdict: bad }));
}

/** Command lines that read them, and what AWS says. */
export function historyCases(
  bad: string,
  path: (name: string) => string,
): Readonly<Record<string, { readonly args: readonly string[] }>> {
  const said = bad.replaceAll('\u0000', '');
  return {
    'an answer of AWS': { args: ['--fleet', 'apps'] },
    'an answer of AWS about a lease': { args: ['--plan', path('rule.yaml')] },
    entries: { args: ['--store', `folder:${path('history')}`] },
    shifts: { args: ['--store', `folder:${path('shifts')}`] },
    'a place': { args: ['--store', said, '--fleet', said] },
    'a swap file': { args: ['--plan', path('bad-swap.yaml')] },
  };
}

/** Command lines that draw the report of a shift of others. */
export function reportCases(
  bad: string,
  badName: string,
  path: (name: string) => string,
): Readonly<Record<string, { readonly args: readonly string[]; readonly hidden?: boolean }>> {
  const out = ['--out', path('reports')];
  const said = bad.replaceAll('\u0000', '');
  return {
    'a shift': { args: [path(`shifts/${keptId}.json`), ...out], hidden: true },
    'a shift of a history': { args: [keptId, '--store', `folder:${path('shifts')}`, ...out], hidden: true },
    'what is none': { args: [path(`${badName}-shift.json`), ...out] },
    'what is none, of a history': { args: [brokenId, '--store', `folder:${path('shifts')}`, ...out] },
    'a name': { args: [said, '--store', 'folder:.', ...out] },
    'a route': { args: [path(`shifts/${keptId}.json`), '--route', said, ...out] },
    'the name of a folder': { args: [path(`shifts/${keptId}.json`), '--out', path(`${badName}.yaml`)] },
  };
}

/** Command lines that try a plan on scenarios and shifts of others. */
export function simulateCases(
  badName: string,
  path: (name: string) => string,
): Readonly<Record<string, { readonly args: readonly string[]; readonly hidden?: 'json' }>> {
  return {
    'a scenario': { args: [path('plan.yaml'), '--scenario', path('bad-scenario.yaml')] },
    'a shift': { args: [path('plan.yaml'), '--from', path(`${badName}-shift.json`)] },
    'the name of a plan': {
      args: [path(`${badName}.yaml`), '--scenario', path('scenario.yaml'), '--runs', '10'],
      hidden: 'json',
    },
  };
}
