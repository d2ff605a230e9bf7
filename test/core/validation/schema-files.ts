import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkKinds } from '../../../lib/shift/checks';
import type { AnyCheckKind } from '../../../lib/shift/checks';
import { checkJson } from '../../../lib/shift/checks/kinds';
import { lintConfigSchema } from '../../../lib/lint/config';
import { clusterSetSchema } from '../../../lib/manifests/cluster-sync/cluster-set-schema';
import { scenarioSchema } from '../../../lib/shift/simulation/scenario-schema';
import { described } from './described-schema';
import { routeDefinitions } from './route-definitions';

/** Where the JSON Schemas are. */
export const schemaFolder = resolve(__dirname, '../../../schemas');

const base = 'https://cluster-canary.example/schemas';

const draft = 'https://json-schema.org/draft/2020-12/schema';

/** The JSON Schemas that are made of schemas in the code, by the name of the file. */
export function schemaFiles(): Readonly<Record<string, object>> {
  return {
    'clusterset.json': {
      $schema: draft,
      $id: `${base}/clusterset.json`,
      title: 'Set of clusters',
      description:
        'A configuration file of `cluster-canary clusters`, as YAML or JSON. Templates and formats of names are checked ' +
        'by the command.',
      ...described(clusterSetSchema.json, 'lib/manifests/cluster-sync/cluster-set.ts', 'ClusterSet'),
    },
    'lint-config.json': {
      $schema: draft,
      $id: `${base}/lint-config.json`,
      title: 'Configuration of lint and harden',
      description: 'A `cluster-canary.yaml`.',
      ...described(lintConfigSchema.json, 'lib/lint/config.ts', 'LintConfigFile'),
    },
    'plan.json': planSchema(),
    'scenario.json': {
      $schema: draft,
      $id: `${base}/scenario.json`,
      title: 'Scenario of a simulated shift',
      description:
        'What `cluster-canary simulate --scenario` reads, as YAML or JSON: the traffic, how each slot does, what the ' +
        'metrics show of it, and what else goes wrong. Shares are numbers from 0 to 1, times count from the start of ' +
        'the shift. For editors: the command checks more than a schema can say.',
      ...described(scenarioSchema.json, 'lib/shift/simulation/scenario.ts', 'Scenario'),
    },
  };
}

/** The plan's, of which the part of the checks is made of their kinds. */
function planSchema(): object {
  const plan = JSON.parse(readFileSync(join(schemaFolder, 'plan.json'), 'utf8')) as { $defs: object };
  const kinds = checkKinds as unknown as Readonly<Record<string, AnyCheckKind>>;
  const check = described(checkJson(kinds), 'lib/shift/checks/kinds.ts', 'CheckArguments');
  return { ...plan, $defs: { ...plan.$defs, ...routeDefinitions(), check } };
}
