import type { Problem } from '../../problems';
import { InvalidInput } from '../../problems';
import { checkLength } from '../../reading';
import { Field } from '../field';
import { locate } from '../reading/locate';
import { parseYaml } from '../reading/parse-yaml';
import { checkDecision, secondDecisions } from './check-decision';
import type { HardeningDecision } from './decision';

/**
 * Reads the decisions under `harden` of a `cluster-canary.yaml`.
 *
 * @param file how messages name it
 * @throws InvalidInput with everything that is wrong, each with its line
 *
 * @example
 * harden:
 *   - service: platform/gate
 *     injectCaFrom: platform/gate-ca-g1
 *     timeoutSeconds: 5
 *   - webhook: pods.gate.example.com
 *     failurePolicy: Ignore
 *     optIn: { example.com/gate: enabled }
 */
export function readDecisions(text: string, file: string): readonly HardeningDecision[] {
  checkLength(text, file);
  const listed = Field.ofValue(parsed(text, file)).get('harden');
  if (!listed.exists) {
    return [];
  }
  const places = locate(text);
  const problems: Problem[] = Array.isArray(listed.value)
    ? []
    : [
        {
          path: `${file}:${places.lineOf('/harden') + 1} harden`,
          value: listed.value,
          allowed: 'a list of decisions',
        },
      ];
  listed.items.forEach((item, position) => {
    for (const problem of checkDecision(item.value).all) {
      const [key = ''] = problem.path.split('.');
      const line = places.lineOf(item.get(key).pointer) + 1;
      problems.push({ ...problem, path: `${file}:${line} harden[${position}].${problem.path}` });
    }
  });
  for (const { position, first, key, value } of secondDecisions(listed.items.map((item) => item.value))) {
    const line = places.lineOf(listed.items[position]!.get(key).pointer) + 1;
    problems.push({
      ...{ path: `${file}:${line} harden[${position}].${key}`, value },
      allowed: `decided once: harden[${first}] is about the same`,
    });
  }
  if (problems.length > 0) {
    throw new InvalidInput('hardening configuration', problems);
  }
  return listed.items.map(({ value }) => value as HardeningDecision);
}

function parsed(text: string, file: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    const said = (error as Error).message.split('\n')[0];
    throw new InvalidInput('hardening configuration', [{ path: file, allowed: `valid YAML: ${said}` }]);
  }
}
