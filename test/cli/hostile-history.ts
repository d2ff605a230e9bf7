import { mkdirSync } from 'node:fs';

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
    'a place': { args: ['--store', said, '--fleet', said] },
    'a swap file': { args: ['--plan', path('bad-swap.yaml')] },
  };
}
