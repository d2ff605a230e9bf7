import { lintConfigSchema } from '../../../lib/lint/config';
import { clusterSetSchema } from '../../../lib/manifests/cluster-sync/cluster-set-schema';
import { scenarioSchema } from '../../../lib/shift/simulation/scenario-schema';
import { described } from './described-schema';

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
