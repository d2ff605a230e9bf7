import * as fc from 'fast-check';
import { caRotationPhases } from '../../../lib/core/certificates/ca-rotation';
import { manifestObjects, lint } from '../../../lib/lint';
import type { Finding } from '../../../lib/lint';
import type { Stack } from './emitted-stacks';
import { certManager, serverOf } from './emitted-stacks';
import { emittedOrRefused, stacks } from './stack-space';
import { scaled } from '../../runs';

function evaluate(objects: readonly unknown[], before?: readonly unknown[]): readonly Finding[] {
  const { findings, failures } = lint(manifestObjects(objects), {
    ...(before ? { before: manifestObjects(before) } : {}),
  });
  expect(failures).toEqual([]);
  return findings;
}

const named = (findings: readonly Finding[]) => findings.map(({ severity, rule }) => `${severity} ${rule}`);

/** What is missing where the server, or the certificate, is not among the manifests. */
const unseen = { server: ['info WH06', 'info WH12'], certificate: ['info TLS10', 'info TLS12'] };

test('what the constructs make has no finding, over the whole space of options', () => {
  const evaluated = new Map<string, number>();
  const check = (stack: Stack, serverInSight: boolean): void => {
    const objects = emittedOrRefused(stack);
    if (!objects) {
      return;
    }
    for (const key of [stack.source, stack.webhook.intent, ...stack.also, `server ${serverInSight}`]) {
      evaluated.set(key, (evaluated.get(key) ?? 0) + 1);
    }
    const around = serverInSight ? [...serverOf(stack), certManager] : [];
    const expected = [
      ...(serverInSight ? [] : unseen.server),
      ...(stack.source === 'elsewhere' ? unseen.certificate : []),
    ];
    const others = evaluate([...objects, ...around]).filter(
      ({ severity, rule }) => !expected.includes(`${severity} ${rule}`),
    );
    expect(others).toEqual([]);
  };
  const numRuns = scaled(300, 60);
  fc.assert(fc.property(stacks, fc.boolean(), check), { numRuns, seed: 31 });
  expect(evaluated.size).toBe(7 + 3 + 2 + 2);
  expect(Math.min(...evaluated.values())).toBeGreaterThan(numRuns / 20);
});

test('nor has any step of a CA rotation, evaluated with the step before', () => {
  let evaluated = 0;
  const check = (stack: Stack, serverInSight: boolean): void => {
    const { generation } = stack;
    const steps: Stack[] = [
      { ...stack, source: 'Issuer', generation: generation - 1 },
      ...caRotationPhases.map((source): Stack => ({ ...stack, source })),
      { ...stack, source: 'Issuer' },
    ];
    const commits = steps.map(emittedOrRefused);
    const around = serverInSight ? [...serverOf(stack), certManager] : [];
    const expected = serverInSight ? [] : unseen.server;
    commits.forEach((objects, index) => {
      const before = commits[index - 1];
      if (objects && before) {
        evaluated += 1;
        const found = named(evaluate([...objects, ...around], [...before, ...around]));
        expect(found.filter((each) => !expected.includes(each))).toEqual([]);
      }
    });
  };
  fc.assert(fc.property(stacks, fc.boolean(), check), { numRuns: 50, seed: 32 });
  expect(evaluated).toBeGreaterThan(100);
});
